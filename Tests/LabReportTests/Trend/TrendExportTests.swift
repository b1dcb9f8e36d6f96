import Foundation
import FoundationXML
import LabTestSupport
import Testing

@testable import History

/// What other programs read of a night.
@Suite struct TrendExportTests {
  static let cases: [(name: String, summary: TrendSummary)] = [
    ("red", SampleTrend.red), ("settled", SampleTrend.settled), ("broken", SampleTrend.broken),
    ("incomplete", SampleTrend.incomplete), ("hostile", SampleTrend.hostile),
  ]

  @Test(arguments: cases.map(\.name))
  func `writes OpenMetrics, JUnit and Atom`(name: String) throws {
    let summary = try #require(Self.cases.first { $0.name == name }).summary
    let metrics = OpenMetricsText([summary]).rendered()
    let junit = JUnitReport([summary]).rendered()
    let feed = AlertFeed(summary).rendered()
    try expectSnapshot(metrics + "\n" + junit + "\n" + feed, named: name, suite: "TrendExport")
    for xml in [junit, feed] {
      let parser = XMLParser(data: Data(xml.utf8))
      #expect(parser.parse(), "\(String(describing: parser.parserError)) in\n\(xml)")
    }
    let samples = metrics.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(samples.allSatisfy { $0.wholeMatch(of: #/[a-z0-9_]+\{.*\} -?[0-9.e+-]+/#) != nil })
    #expect(metrics.hasSuffix("\n# EOF\n"))
  }

  @Test func `a night counts as what it is`() {
    func counts(_ summary: TrendSummary) -> String {
      let suite = JUnitReport([summary]).rendered().split(separator: "\n")
        .first { $0.contains("<testsuite ") }
      return suite?.firstMatch(of: #/failures="\d+" errors="\d+" skipped="\d+"/#)
        .map { String($0.0) } ?? ""
    }
    #expect(counts(SampleTrend.red) == #"failures="1" errors="1" skipped="0""#)
    #expect(counts(SampleTrend.broken) == #"failures="0" errors="1" skipped="0""#)
    #expect(counts(SampleTrend.quiet) == #"failures="0" errors="0" skipped="0""#)
    #expect(counts(SampleTrend.first) == #"failures="0" errors="0" skipped="1""#)
  }
}
