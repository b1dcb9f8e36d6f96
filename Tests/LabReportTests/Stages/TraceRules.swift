import Foundation
import Testing

/// What formats of traces ask of a file.
enum TraceRules {
  /// Checks a Chrome trace: the fields of every kind of event, and that slices of a thread nest.
  ///
  /// Source: "Trace Event Format" of the Chromium project (2016); Perfetto's page "Synthetic track
  /// events" says that slices of a thread must nest perfectly.
  static func expectChromeTrace(_ data: Data) throws -> [ChromeEvent] {
    let trace = try JSONDecoder().decode(ChromeFile.self, from: data)
    #expect(["ms", "ns"].contains(trace.displayTimeUnit))
    var slices: [[Int]: [(start: Int64, end: Int64)]] = [:]
    var named: Set<[Int]> = []
    for event in trace.traceEvents {
      #expect(!event.name.isEmpty)
      switch event.ph {
      case "M":
        #expect(event.args != nil)
        if event.name == "thread_name" { named.insert([event.pid, event.tid]) }
      case "i":
        #expect(event.s == "t")
        #expect(try nanoseconds(event.ts) >= 0)
      case "X":
        let start = try nanoseconds(event.ts)
        let duration = try nanoseconds(event.dur)
        #expect(start >= 0 && duration >= 0)
        slices[[event.pid, event.tid], default: []].append((start, start + duration))
      default: Issue.record("unknown phase \(event.ph)")
      }
    }
    for (track, spans) in slices {
      #expect(named.contains(track))
      expectNesting(spans)
    }
    return trace.traceEvents
  }

  /// As a reader that cuts off what follows the point has it.
  private static func nanoseconds(_ microseconds: Double?) throws -> Int64 {
    Int64(try #require(microseconds) * 1_000)
  }

  private static func expectNesting(_ spans: [(start: Int64, end: Int64)]) {
    var open: [Int64] = []
    for span in spans.sorted(by: { ($0.start, $1.end) < ($1.start, $0.end) }) {
      while let end = open.last, end <= span.start { open.removeLast() }
      if let end = open.last { #expect(span.end <= end) }
      open.append(span.end)
    }
  }

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

/// A Chrome trace, as far as its rules are checked.
private struct ChromeFile: Decodable {
  var traceEvents: [ChromeEvent]
  var displayTimeUnit: String
}

/// One event of a Chrome trace.
///
/// It is decoded, since `JSONSerialization` of Foundation for Linux loses the last digit of numbers.
struct ChromeEvent: Decodable {
  var name: String
  var ph: String
  var pid: Int
  var tid: Int
  var ts: Double?
  var dur: Double?
  var s: String?
  var args: Arguments?

  struct Arguments: Decodable {
    var name: String?
    var syntheticOffset: Bool?

    enum CodingKeys: String, CodingKey {
      case name
      case syntheticOffset = "synthetic_offset"
    }
  }
}
