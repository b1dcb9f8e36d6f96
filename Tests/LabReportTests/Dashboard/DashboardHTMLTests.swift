import Foundation
import Testing

@testable import History
@testable import LaunchCore
@testable import Rendering

@Suite struct DashboardHTMLTests {
  /// The JSON that the script of a page reads.
  static func data(of page: String) throws -> [String: Any] {
    let opening = try #require(page.range(of: "id=\"data\">"))
    let closing = try #require(page[opening.upperBound...].range(of: "</script>"))
    let json = Data(page[opening.upperBound..<closing.lowerBound].utf8)
    return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
  }

  @Test func `the same summary gives the same bytes`() {
    let sample = SampleDashboard()
    #expect(DashboardHTML(sample.summary).rendered() == DashboardHTML(sample.summary).rendered())
  }

  @Test func `refers to nothing outside of itself`() {
    let page = DashboardHTML(SampleDashboard().summary).rendered()
    let inside = page.replacing("http://www.w3.org/2000/svg", with: "")
    #expect(!inside.contains("http:"))
    #expect(!inside.contains("https:"))
    #expect(!inside.contains("//cdn"))
    #expect(!inside.contains("url(\""))
    #expect(!inside.contains("@import"))
    #expect(page.contains("default-src 'none'"))
  }

  @Test func `keeps names out of the script and the markup`() throws {
    let usual = DashboardHTML(SampleDashboard().summary).rendered()
    var sample = SampleDashboard(names: SampleDashboard.hostile)
    sample.subject = SampleDashboard.hostile.joined()
    let page = DashboardHTML(sample.summary).rendered()
    for tag in ["<script", "</script", "<!--", "<b>"] {
      #expect(page.ranges(of: tag).count == usual.ranges(of: tag).count, "\(tag)")
    }
    #expect(!page.contains("\u{2028}"))
    let series = try #require(try Self.data(of: page)["series"] as? [[String: Any]])
    #expect(series.compactMap { $0["target"] as? String }.prefix(5).last == sample.names[2])
    #expect(series[0]["target"] as? String == sample.names[0])
  }

  @Test func `holds every point, night and reason`() throws {
    let sample = SampleDashboard()
    let summary = sample.summary
    let data = try Self.data(of: DashboardHTML(summary).rendered())
    let slots = try #require(data["slots"] as? [String: Any])
    #expect((slots["time"] as? [Int])?.count == sample.nights)
    let problems = try #require(slots["problems"] as? [[Any]])
    #expect(problems.count == summary.missed.count + 2)
    #expect(problems[0][1] as? String == "no run")
    let series = try #require(data["series"] as? [[String: Any]])
    let first = summary.series[0]
    #expect(series[0]["median"] as? [Double] == first.points.map(\.median))
    #expect((series[0]["at"] as? [Int])?.count == first.points.count)
    let alerts = try #require(series[0]["alerts"] as? [[String: Any]])
    #expect(alerts.map { $0["id"] as? String } == ["R-17"])
  }

  @Test func `shows the launches of the proof of an alert`() throws {
    var summary = SampleDashboard(names: SampleDashboard.hostile).summary
    let distributions = try #require(
      LaunchDistributions(
        "</script>",
        [.init("\"good\"", [4e6, 5e6]), .init("bad", [6e6, 7e6])],
        unit: .nanoseconds
      )
    )
    summary.distributions = [17: distributions]
    let page = DashboardHTML(summary).rendered()
    #expect(page.contains("<summary>Launches of the proof</summary><iframe sandbox"))
    #expect(page.ranges(of: "</script>").count == 2)
    let files = TrendCharts(summary).files
    let picture = try #require(files.first { $0.name.hasSuffix("-R-17-launches.svg") })
    #expect(picture.text == distributions.svg())
    let report = try TrendMarkdown(summary: summary).rendered()
    #expect(report.contains("![Launches of the proof](img/\(picture.name))"))
    let plain = ReportOptions(hasCharts: false)
    #expect(try !TrendMarkdown(summary: summary, options: plain).rendered().contains("![Launches"))
  }

  @Test func `tells a point without an interval from one of no width`() throws {
    var summary = SampleDashboard().summary
    summary.series[0].points[0].intervalLow = nil
    summary.series[0].points[0].intervalHigh = nil
    summary.series[0].points[1].intervalLow = summary.series[0].points[1].median
    let data = try Self.data(of: DashboardHTML(summary).rendered())
    let series = try #require(data["series"] as? [[String: Any]])
    let below = try #require(series[0]["below"] as? [Int])
    #expect(below[0] == -1)
    #expect(below[1] == 0)
  }

  @Test func `says the verdict and the alerts without any script`() {
    let sample = SampleDashboard()
    var summary = sample.summary
    summary.tonight.build?.subject = sample.subject
    let page = DashboardHTML(summary).rendered()
    let verdict = "1 broken budget; known: 1 confirmed regression, 1 suspected regression"
    #expect(page.contains("✖</span> \(verdict)</p>"))
    #expect(page.contains(">R-17</a> server warm: launch is 8.0 % slower"))
    #expect(page.contains("<code>launchlab why R-17</code>"))
    #expect(page.contains("budget of server warm, launch: broken"))
    #expect(page.contains("lazy-load &quot;fonts&quot; &amp; &lt;icons&gt;"))
  }

  @Test func `says why an alert is slower, with its flame graph`() throws {
    var summary = SampleDashboard().summary
    summary.alerts[0].explanation = SampleAlerts.explanation
    let why = "<p class=\"why\"><b>Why:</b> scan_plugins (new): +0.34 of +0.46 ms (73 %)</p>"
    #expect(DashboardHTML(summary).rendered().contains("\(why)</li>"))
    summary.flameGraphs = [
      summary.alerts[0].number: "<svg viewBox=\"0 0 1200 480\"><text>a &amp; b</text></svg>"
    ]
    let page = DashboardHTML(summary).rendered()
    let frame = try #require(page.firstMatch(of: #/<iframe sandbox .*?</iframe>/#)).0
    #expect(frame.contains("style=\"aspect-ratio: 1200 / 480\""))
    #expect(frame.contains("&quot;0 0 1200 480&quot;"))
    #expect(frame.contains("a &amp;amp; b"))
    // Whatever size it has, it fills the frame.
    #expect(frame.contains("svg { display: block; width: 100%; height: auto }"))
    #expect(page.ranges(of: "<b>Why:").count == 1)
  }

  @Test func `is quiet when nothing is open`() {
    var summary = SampleDashboard().summary
    summary.alerts = []
    summary.budgets = []
    for index in summary.series.indices { summary.series[index].assessment.outcome = .quiet }
    let page = DashboardHTML(summary).rendered()
    #expect(page.contains("✔</span> nothing changed</p>"))
    #expect(!page.contains("<h2>Alerts</h2>"))
  }
}
