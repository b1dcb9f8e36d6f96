import Foundation
import Testing

/// What formats of traces ask of a file.
enum TraceRules {
  /// Checks a speedscope file: required fields, known units, and for evented profiles the order and
  /// the balance of events.
  ///
  /// Source: `src/lib/file-format-spec.ts` and, for what the reader asks of frames that close,
  /// `CallTreeProfileBuilder` in `src/lib/profile.ts`, of jlfwong/speedscope (commit 5236f552).
  static func expectSpeedscope(_ data: Data) throws -> [[String: Any]] {
    let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(root["$schema"] as? String == "https://www.speedscope.app/file-format-schema.json")
    let shared = try #require(root["shared"] as? [String: Any])
    let frames = try #require(shared["frames"] as? [[String: Any]])
    #expect(frames.allSatisfy { $0["name"] is String })
    let profiles = try #require(root["profiles"] as? [[String: Any]])
    #expect(!profiles.isEmpty)
    #expect(profiles.indices.contains(try #require(root["activeProfileIndex"] as? Int)))
    for profile in profiles { try expectEvented(profile, frames: frames.count) }
    return profiles
  }

  private static func expectEvented(_ profile: [String: Any], frames: Int) throws {
    #expect(profile["type"] as? String == "evented")
    #expect(profile["name"] is String)
    let units = ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"]
    #expect(units.contains(try #require(profile["unit"] as? String)))
    let start = try #require(profile["startValue"] as? Int64)
    let end = try #require(profile["endValue"] as? Int64)
    #expect(start <= end)
    var last = start
    var open: [Int] = []
    for event in try #require(profile["events"] as? [[String: Any]]) {
      let time = try #require(event["at"] as? Int64)
      let frame = try #require(event["frame"] as? Int)
      #expect(time >= last && time <= end)
      #expect((0..<frames).contains(frame))
      last = time
      if event["type"] as? String == "O" {
        open.append(frame)
      } else {
        #expect(event["type"] as? String == "C")
        #expect(open.popLast() == frame)
      }
    }
    #expect(open.isEmpty)
  }
}
