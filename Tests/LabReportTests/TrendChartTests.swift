import Foundation
import FoundationXML
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore

@Suite struct TrendChartTests {
  @Test(arguments: TrendReportTests.cases)
  func `is well-formed and refers to nothing`(_ example: TrendReportTests.Case) throws {
    let trend = try #require(example.summary.series.first)
    let chart = TrendChart(trend, in: example.summary)
    let texts = [ChartTheme.light, .dark].map(chart.rendered)
    let foreign = ["<script", "href", "url("]
    #expect(texts.allSatisfy { XMLParser(data: Data($0.utf8)).parse() })
    #expect(texts.allSatisfy { !$0.unicodeScalars.contains("\u{202E}") })
    #expect(texts.allSatisfy { text in !foreign.contains { text.contains($0) } })
  }

  @Test func `marks breaks, gaps and values outside the axis`() throws {
    let summary = SampleTrend.red
    let trend = try #require(summary.series.first { $0.key.metric == .peakRSS })
    let chart = TrendChart(trend, in: summary, alert: summary.alerts.last)
    try expectSnapshot(chart.rendered(.dark), named: "machine-dark", suite: "TrendChart")
    #expect(chart.alternative.contains("2 missing"))
    #expect(chart.alternative.contains("break before 2026-11-02: kernel 6.1.0-40 → 6.1.0-41"))
    #expect(chart.alternative.contains("1 value outside the axis, such as 72.78 MiB"))
  }

  @Test func `shows the newest nights of a long history`() throws {
    let summary = SampleTrend.many
    let trend = try #require(summary.series.first)
    let circles = TrendChart(trend, in: summary).rendered(.light).ranges(of: "<circle").count
    #expect(circles == 90)
    #expect(trend.points.count == 2_998)
  }

  @Test func `marks the onset of its alert, and no commit`() throws {
    let summary = SampleTrend.moved
    let chart = TrendChart(summary.series[0], in: summary, alert: summary.alerts[0])
    let text = chart.rendered(.light)
    let sample = SampleTrend(count: 70)
    #expect(text.contains("▲ R-17 +12.4 %<"))
    for night in [51, 60] { #expect(!text.contains(String(sample.commit(night).prefix(7)))) }
    #expect(text.contains("budget 20.00 s, above this axis ↑"))
  }

  @Test func `makes a light and a dark file per alert`() {
    let names = TrendCharts(SampleTrend.red).files.map(\.name)
    #expect(names.prefix(2) == ["n10059-R-17.svg", "n10059-R-17-dark.svg"])
    #expect(names.count == 6)
  }
}
