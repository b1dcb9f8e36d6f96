package import Foundation
import Testing

/// What the format of Chrome traces asks of a file.
package enum ChromeTraceRules {
  /// Checks a Chrome trace: the fields of every kind of event, that slices of a thread nest, and that
  /// both ends of an arrow lie in a slice.
  ///
  /// Source: "Trace Event Format" of the Chromium project (2016); Perfetto's page "Synthetic track
  /// events" says that slices of a thread must nest perfectly.
  package static func expect(_ data: Data) throws -> [ChromeEvent] {
    let trace = try JSONDecoder().decode(ChromeFile.self, from: data)
    #expect(["ms", "ns"].contains(trace.displayTimeUnit))
    var slices: [[Int]: [(start: Int64, end: Int64)]] = [:]
    var named: Set<[Int]> = []
    var arrows: [Int: [ChromeEvent]] = [:]
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
      case "s": arrows[try #require(event.id), default: []].insert(event, at: 0)
      case "f":
        #expect(event.bp == "e")
        arrows[try #require(event.id), default: []].append(event)
      default: Issue.record("unknown phase \(event.ph)")
      }
    }
    for (track, spans) in slices {
      #expect(named.contains(track))
      expectNesting(spans)
    }
    for ends in arrows.values {
      #expect(ends.map(\.ph) == ["s", "f"])
      for end in ends {
        let time = try nanoseconds(end.ts)
        let spans = slices[[end.pid, end.tid]] ?? []
        #expect(spans.contains { $0.start <= time && time <= $0.end })
      }
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
  package var dur: Double?
  package var s: String?
  package var id: Int?
  package var bp: String?
  package var cat: String?
  package var args: Arguments?

  package struct Arguments: Decodable {
    package var name: String?
    package var syntheticOffset: Bool?

    enum CodingKeys: String, CodingKey {
      case name
      case syntheticOffset = "synthetic_offset"
    }
  }
}
