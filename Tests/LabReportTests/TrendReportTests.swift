import Foundation
import LabAnalysis
import LabModel
import LabReport
import LabTestSupport
import Testing

@Suite struct TrendReportTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var summary: TrendSummary
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "red", summary: SampleTrend.red),
    Case(name: "settled", summary: SampleTrend.settled),
    Case(name: "quiet", summary: SampleTrend.quiet),
    Case(name: "first", summary: SampleTrend.first),
    Case(name: "hostile", summary: SampleTrend.hostile),
  ]

  @Test(arguments: cases)
  func `reports a night`(_ example: Case) throws {
    let text = try TrendMarkdown(summary: example.summary).rendered()
    try expectSnapshot(text, named: example.name, suite: "TrendMarkdown")
  }

  @Test(arguments: cases)
  func `answers on the terminal`(_ example: Case) throws {
    let wide = TrendText(example.summary, style: TextStyle(width: 100)).rendered()
    let narrow = TrendText(example.summary, style: TextStyle(usesColor: true, width: 60)).rendered()
    try expectSnapshot(wide + "\n" + narrow, named: example.name, suite: "TrendText")
  }

  @Test(arguments: cases)
  func `draws the first series`(_ example: Case) throws {
    let trend = try #require(example.summary.series.first)
    let chart = TrendChart(trend, in: example.summary, alert: example.summary.alerts.first)
    try expectSnapshot(chart.rendered(.light), named: "\(example.name)", suite: "TrendChart")
  }
}
