import Foundation
import LabAnalysis
import LabModel
import LabReport
import LabTestSupport
import Testing

/// The page in a real browser.
@Suite(
  .serialized,
  .temporaryDirectory,
  .enabled(if: Chromium.isInstalled, "\(Chromium.requirement)")
)
struct DashboardBrowserTests {
  private func document(
    _ sample: SampleDashboard = SampleDashboard(),
    at hash: String = "",
    by browser: Chromium = Chromium()
  ) throws -> String {
    try document(of: sample.summary, at: hash, by: browser)
  }

  private func document(
    of summary: TrendSummary,
    at hash: String = "",
    by browser: Chromium = Chromium()
  ) throws -> String {
    let page = DashboardHTML(summary).rendered()
    let document = try browser.document(of: page, at: hash, in: TemporaryDirectory.path)
    #expect(document.contains("data-ready=\"yes\""), "the script did not reach its end")
    #expect(document.contains("<pre id=\"error\" role=\"alert\" hidden=\"\"></pre>"))
    return document
  }

  @Test func `draws every series that is in sight`() throws {
    let document = try document()
    #expect(document.ranges(of: "<path class=\"line\" d=\"M").count == 1 + 6)
    #expect(document.contains("6 of 6 series, 90 of 120 nights"))
    #expect(document.contains("R-17 ▲ +8.0 %"))
    #expect(document.contains("◆ kernel 6.1.0-40"))
    #expect(document.contains("class=\"miss\" d=\"M"))
  }

  struct Filter: CustomTestStringConvertible {
    var hash: String
    var count: String
    var testDescription: String { hash }
  }

  @Test(arguments: [
    Filter(hash: "#target=server&range=30", count: "2 of 6 series, 30 of 120 nights"),
    Filter(hash: "#target=server&state=warm&range=all", count: "1 of 6 series, 120 of 120 nights"),
    Filter(hash: "#metric=launch&changed=1", count: "3 of 6 series, 90 of 120 nights"),
    Filter(hash: "#search=WARM+serv", count: "1 of 6 series, 90 of 120 nights"),
    Filter(hash: "#target=nobody&range=7", count: "6 of 6 series, 90 of 120 nights"),
    Filter(
      hash: "#target=gr%C3%B6%C3%9Fe%7C%E6%97%A5%E6%9C%AC%20%3Cb%3E",
      count: "2 of 6 series, 90 of 120 nights"
    ),
  ])
  func `shows what the address asks for`(_ filter: Filter) throws {
    let document = try document(at: filter.hash)
    #expect(document.contains(filter.count))
    let hidden =
      document.ranges(of: "<section class=\"card\"").count
      - document.ranges(of: #/<section class="card" aria-label="[^"]*">/#).count
    #expect(filter.count.hasPrefix("\(6 - hidden) of"))
  }

  @Test func `orders the charts as is asked for`() throws {
    func names(_ order: String) throws -> [String] {
      try document(at: "#sort=\(order)").matches(
        of: #/<section class="card" aria-label="([^"]*)">/#
      )
      .map { String($0.1) }
    }
    let byName = try names("name")
    #expect(byName.count == 6)
    #expect(byName == byName.sorted())
    #expect(try names("change").first == "server · warm · launch")
  }

  @Test func `marks values beyond the axis, and draws the control behind its targets`() throws {
    var summary = SampleDashboard().summary
    let old = summary.series[4].points.count - 20
    summary.series[4].points[old].median *= 3
    summary.series[5].key.target = Arm.controlTarget
    summary.series[5].key.state = .warm
    let document = try document(of: summary)
    // Of both there is one in the legend, too.
    #expect(document.ranges(of: "<path class=\"outside\" d=\"M").count == 1 + 1)
    #expect(document.ranges(of: "<path class=\"control\" d=\"M").count == 1 + 3)

    // Of a control without any of what is counted there is nothing to scale.
    for index in summary.series[5].points.indices { summary.series[5].points[index].median = 0 }
    #expect(!(try self.document(of: summary)).contains("NaN"))
  }

  @Test func `lists quiet series where there are many`() throws {
    let document = try document(SampleDashboard(nights: 60, series: 40))
    #expect(document.contains("<h2>37 quiet series"))
    #expect(document.ranges(of: "<svg class=\"spark\"").count == 37)
    #expect(document.contains("40 of 40 series"))
    let cards = #/<section class="card" aria-label="[^"]*">/#
    #expect(document.ranges(of: cards).count == 3)
    #expect(document.contains("#target=cli&amp;state=warm&amp;metric=launch"))
  }

  @Test func `tells the night that the address asks for`() throws {
    let sample = SampleDashboard()
    let point = sample.summary.series[0].points[sample.summary.series[0].points.count - 4]
    let document = try document(at: "#target=server&state=warm&night=\(point.run)")
    let day = point.startedAt.formatted(.iso8601).prefix(10)
    #expect(document.contains("<b>\(day) 00:00 UTC: "))
    #expect(document.contains("run \(point.run)"))
    #expect(document.contains("n 40"))
    #expect(document.contains("aria-valuetext=\"\(day)"))
  }

  @Test func `says why a night has no value`() throws {
    let document = try document(at: "#range=all&night=night-40")
    #expect(document.contains(": no value</b> · run failed · run night-40"))
  }

  @Test func `shows the series as a table`() throws {
    let document = try document(at: "#show=table")
    #expect(document.ranges(of: "<td>✖ regression</td>").count == 1)
    #expect(document.contains("R-17 confirmed"))
    #expect(document.ranges(of: "<tr>").count == 1 + 6)
  }

  @Test func `lets no name run or break the page`() throws {
    var sample = SampleDashboard(names: SampleDashboard.hostile)
    sample.subject = SampleDashboard.hostile.joined()
    let document = try document(sample)
    #expect(!document.contains("<title>broken"))
    #expect(document.contains("6 of 6 series"))
    #expect(document.ranges(of: "<script").count == 2)
  }

  @Test func `draws 3,000 nights of 20 series without losing extremes`() throws {
    let sample = SampleDashboard(nights: 3_000, series: 20)
    let document = try document(sample, at: "#range=all", by: Chromium(height: 700))
    #expect(document.contains("20 of 20 series, 3000 of 3000 nights"))
    let charts = document.ranges(of: "<path class=\"line thin\" d=\"M").count
    #expect(charts >= 2)
    #expect(charts < 20, "a chart that nobody sees is not drawn")
  }
}
