package import Foundation
import Testing

/// What the viewers of Chrome traces ask of a file.
package enum ChromeTraceRules {
  /// Checks a Chrome trace: the fields of every kind of event, that the events of a thread are in the
  /// order of their times and its slices nest, and that both ends of an arrow lie in a slice.
  ///
  /// Source: "Trace Event Format" of the Chromium project (2016); Perfetto's page "Synthetic track
  /// events" says that slices of a thread must nest perfectly. What tells the ends of slices from begins
  /// at the same time is of `src/import/trace-event.ts` of speedscope (commit 3613918).
  ///
  /// - Returns: The events but for the ends of slices, whose begins have their lengths.
  package static func expect(_ data: Data) throws -> [ChromeEvent] {
    let trace = try JSONDecoder().decode(ChromeFile.self, from: data)
    #expect(["ms", "ns"].contains(trace.displayTimeUnit))
    var tracks: [[Int]: Track] = [:]
    var named: Set<[Int]> = []
    var arrows: [Int: [ChromeEvent]] = [:]
    var events: [ChromeEvent] = []
    for event in trace.traceEvents {
      #expect(!event.name.isEmpty)
      let track = [event.pid, event.tid]
      switch event.ph {
      case "M":
        #expect(event.args != nil)
        if event.name == "thread_name" { named.insert(track) }
      case "i":
        #expect(event.s == "t")
        try tracks[track, default: Track()].expect(event)
      case "B":
        #expect(event.args?.isEmpty != true)
        try tracks[track, default: Track()].expect(event)
        tracks[track]?.open.append(events.count)
      case "E":
        #expect(event.args?.isEmpty == true)
        try tracks[track, default: Track()].expect(event)
        let last = tracks[track]?.open.popLast()
        let begin = try #require(last)
        let start = try nanoseconds(events[begin].ts)
        let end = try nanoseconds(event.ts)
        #expect(events[begin].name == event.name && start < end)
        events[begin].length = end - start
        tracks[track]?.slices.append(start...max(start, end))
      case "s": arrows[try #require(event.id), default: []].insert(event, at: 0)
      case "f":
        #expect(event.bp == "e")
        arrows[try #require(event.id), default: []].append(event)
      default: Issue.record("unknown phase \(event.ph)")
      }
      if event.ph != "E" { events.append(event) }
    }
    #expect(named.isSuperset(of: tracks.keys))
    #expect(!tracks.values.contains { !$0.open.isEmpty })
    for ends in arrows.values {
      #expect(ends.map(\.ph) == ["s", "f"])
      for end in ends {
        let time = try nanoseconds(end.ts)
        let slices = tracks[[end.pid, end.tid]]?.slices ?? []
        #expect(slices.contains { $0.contains(time) })
      }
    }
    return events
  }

  /// A thread, as far as it was read.
  private struct Track {
    var time: Int64 = 0

    /// The places of the begins whose ends are still to come.
    var open: [Int] = []
    var slices: [ClosedRange<Int64>] = []

    mutating func expect(_ event: ChromeEvent) throws {
      let last = time
      let next = try nanoseconds(event.ts)
      #expect(last <= next)
      time = next
    }
  }

  /// As a reader that cuts off what follows the point has it.
  private static func nanoseconds(_ microseconds: Double?) throws -> Int64 {
    Int64(try #require(microseconds) * 1_000)
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
package struct ChromeEvent: Decodable {
  package var name: String
  package var ph: String
  package var pid: Int
  package var tid: Int
  package var ts: Double?
  package var s: String?
  package var id: Int?
  package var bp: String?
  package var cat: String?
  package var args: Arguments?

  /// How many nanoseconds a slice is long; not in the file.
  package var length: Int64?

  package struct Arguments: Decodable {
    package var name: String?
    package var detail: String?
    package var syntheticOffset: Bool?
    package var isEmpty: Bool

    package init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      name = try values.decodeIfPresent(String.self, forKey: Key(stringValue: "name"))
      detail = try values.decodeIfPresent(String.self, forKey: Key(stringValue: "detail"))
      syntheticOffset = try values.decodeIfPresent(
        Bool.self,
        forKey: Key(stringValue: "synthetic_offset")
      )
      isEmpty = values.allKeys.isEmpty
    }

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }

      init(stringValue: String) { self.stringValue = stringValue }

      init?(intValue: Int) { nil }
    }
  }
}
