import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import Rendering

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
    Case(name: "moved", summary: SampleTrend.moved),
    Case(name: "hostile", summary: SampleTrend.hostile),
    Case(name: "broken", summary: SampleTrend.broken),
    Case(name: "incomplete", summary: SampleTrend.incomplete),
    Case(name: "suspicious", summary: SampleTrend.suspicious),
  ]

  struct Headline: CustomTestStringConvertible {
    var name: String
    var summary: TrendSummary
    var text: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    Headline(name: "quiet", summary: SampleTrend.quiet, text: "🟢 green, nothing changed"),
    Headline(
      name: "first",
      summary: SampleTrend.first,
      text: "⚪ unjudged, no verdict yet: night 1, needs 5 earlier nights"
    ),
    Headline(
      name: "broken",
      summary: SampleTrend.broken,
      text: "❌ failed, the run has no result; known: 1 confirmed regression"
    ),
    Headline(
      name: "incomplete",
      summary: SampleTrend.incomplete,
      text: "🟠 unsettled, 1 series not measured"
    ),
    Headline(
      name: "suspicious",
      summary: SampleTrend.suspicious,
      text: "🟠 unsettled, 1 suspected change"
    ),
  ])
  func `is green only where all is measured, judged and as before`(_ example: Headline) throws {
    let title = try TrendMarkdown(summary: example.summary).rendered().prefix { $0 != "\n" }
    #expect(title.hasSuffix(example.text))
    let page = DashboardHTML(example.summary).rendered()
    #expect(page.contains("verdict good") == example.text.contains("green"))
    let text = TrendText(example.summary, style: TextStyle(width: .max)).rendered()
    #expect(text.contains(example.text.drop { $0 != " " }.dropFirst()))
  }

  @Test func `tells why a night has no result, and of the last one with a result`() throws {
    let lines = try TrendMarkdown(summary: SampleTrend.broken).rendered().split(separator: "\n")
    #expect(lines[1].contains("app warm exited with status 1"))
    #expect(lines[2].contains("the last result is of 2026-11-20"))
    #expect(lines[4].contains("`launchlab run scenario.yml`"))
  }

  @Test func `shows what the user saw beside the last good night`() throws {
    var summary = SampleTrend.red
    summary.films = [
      FilmStrip(
        title: "app warm",
        rows: [
          FilmStrip.Row(name: "tonight", film: FilmStripTests.film),
          FilmStrip.Row(name: "2026-11-20", film: FilmStripTests.film),
        ]
      )
    ]
    let report = try TrendMarkdown(summary: summary).rendered()
    let name = "\(summary.run.id)-film-1.svg"
    let section = try #require(report.components(separatedBy: "## What the user saw\n").last)
    #expect(section.contains("**app warm:** tonight Speed Index 307.0 ms, visually complete at"))
    #expect(
      section.contains("<img src=\"img/\(name)\" width=\"960\" alt=\"film of app warm: tonight")
    )
    let picture = try #require(TrendCharts(summary).files.first { $0.name == name })
    #expect(picture.text.contains("2026-11-20: Speed Index"))
    let page = DashboardHTML(summary).rendered()
    #expect(page.contains("<summary>What the user saw: app warm</summary><iframe sandbox"))
    // Pictures in a frame are those of the page, as far as its policy is concerned.
    #expect(page.contains("img-src data:"))
    let plain = TrendMarkdown(summary: summary, options: ReportOptions(hasCharts: false))
    #expect(try !plain.rendered().contains("<img"))
  }

  @Test func `says in the fifth line why launches are slower, and in the section of the alert`()
    throws
  {
    var summary = SampleTrend.red
    let main = try #require(TrendLead(summary).main)
    let index = try #require(summary.alerts.firstIndex(of: main))
    summary.alerts[index].explanation = SampleAlerts.explanation
    summary.flameGraphs = [main.number: "<svg/>"]
    let report = try TrendMarkdown(summary: summary).rendered()
    let lines = report.split(separator: "\n")
    #expect(lines[4] == "- **Why:** `scan_plugins` (new): +0.34 of +0.46 ms (73 %)")
    #expect(lines[5].hasPrefix("- **Next:**"))
    let picture = "\(summary.run.id)-\(main.id)-why.svg"
    #expect(
      report.contains(
        """

        ### server@4c1f9e2 is 0.46 ms slower

        | reason |
        |---|
        | `scan_plugins` |

        [Flame graph of the difference](img/\(picture))

        """
      )
    )
    #expect(TrendCharts(summary).files.contains { $0 == (picture, "<svg/>") })
    let plain = TrendMarkdown(summary: summary, options: ReportOptions(hasCharts: false))
    #expect(try !plain.rendered().contains("Flame graph"))
    let text = TrendText(summary, style: TextStyle(width: .max)).rendered()
    #expect(text.contains("\n  why: scan_plugins (new): +0.34 of +0.46 ms (73 %)\n"))
    #expect(AlertFeed(summary).rendered().contains("; why: scan_plugins (new)"))
    summary.alerts[index].state = .fixed
    #expect(!TrendText(summary, style: TextStyle(width: .max)).rendered().contains("why: scan"))
  }

  @Test func `links commits to where the scenario says that they can be read`() throws {
    var summary = SampleTrend.red
    let build = try #require(summary.tonight.build)
    summary.scenario.source = Source(
      repository: "/src/shop",
      build: "make",
      commitURL: "https://git.example.org/c/?id={commit}&full"
    )
    let report = try TrendMarkdown(summary: summary).rendered()
    let url = "https://git.example.org/c/?id=\(build.commit)&full"
    let link = #/\[`([0-9a-f]{10})`\]\(https://git\.example\.org/c/\?id=([0-9a-f]{40})&full\)/#
    let links = report.matches(of: link)
    #expect(!links.isEmpty && links.allSatisfy { $0.2.hasPrefix($0.1) })
    let page = DashboardHTML(summary).rendered()
    let escaped = url.replacing("&", with: "&amp;")
    #expect(page.contains("commit <a href=\"\(escaped)\">\(build.commit.prefix(10))</a>"))
    #expect(page.contains(#""url":"https://git.example.org/c/?id=\#(build.commit)\u0026full""#))

    let imported = "v1.2"
    #expect(summary.scenario.source?.url(ofCommit: imported) == nil)
  }

  /// A night with one red alert of +12.4 %, whose level has changed again five nights after its onset.
  private func redReport(levelNow: Double) throws -> String {
    var summary = SampleTrend.red
    let onset = try #require(
      summary.series[0].points.firstIndex { $0.run == summary.alerts[0].onset }
    )
    summary.series[0].changes.append(
      LevelChange(index: onset + 4, before: 463.1e6, after: levelNow, alert: nil)
    )
    summary.alerts = [summary.alerts[0]]
    #expect(summary.series[0].key == summary.alerts[0].series)
    return try TrendMarkdown(summary: summary).rendered()
  }

  @Test func `a red alert that was mended in part says so, and stays red`() throws {
    let text = try redReport(levelNow: 427e6)
    #expect(text.hasPrefix("# Launch times of shop, 2026-11-21: 🔴 red"))
    #expect(text.contains("(partly fixed: 427.0 ms now, +3.6 %)"))
    #expect(!text.contains("second step"))
  }

  @Test func `the second line tells of a metric without a value, whatever its name`() throws {
    var summary = SampleTrend.hostile
    let index = try #require(summary.series.firstIndex { $0.key.metric == .minorFaults })
    summary.series[index].assessment.outcome = .missing
    let line = try TrendMarkdown(summary: summary).rendered().split(separator: "\n")[1]
    #expect(line.hasSuffix("warm minor faults not measured"))
    #expect(!line.contains("<script>"))
  }

  @Test func `a second step of a red alert is in the first lines`() throws {
    let lines = try redReport(levelNow: 500e6).split(separator: "\n")
    #expect(lines[0].hasSuffix("known: 1 confirmed regression, 1 second step"))
    #expect(lines[1].contains("(a second step on 2026-11-17: +8.0 %, 463.1 → 500.0 ms)"))
  }

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

  @Test(arguments: cases.filter { ["first", "moved", "settled", "incomplete"].contains($0.name) })
  func `draws the first series`(_ example: Case) throws {
    let trend = try #require(example.summary.series.first)
    let chart = TrendChart(trend, in: example.summary, alert: example.summary.alerts.first)
    try expectSnapshot(chart.rendered(.light), named: "\(example.name)", suite: "TrendChart")
  }

  @Test func `begins with the five lines that answer`() throws {
    let lines = try TrendMarkdown(summary: SampleTrend.red).rendered().split(separator: "\n")
    let starts = [
      "# Launch", "- **What:**", "- **Since:**", "- **Code or machine:**", "- **Next:**",
    ]
    #expect(zip(lines, starts).allSatisfy { $0.hasPrefix($1) })
  }

  @Test(arguments: cases)
  func `ends with one comment for programs`(_ example: Case) throws {
    let text = try TrendMarkdown(summary: example.summary).rendered()
    let last = try #require(text.split(separator: "\n").last)
    #expect(text.hasSuffix("-->\n"))
    #expect(text.ranges(of: "-->").count == 1)
    let json = last.dropFirst("<!-- launchlab:".count).dropLast(" -->".count)
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(value?["run"] as? String == example.summary.run.id)
    #expect(value?["scenario"] as? String == example.summary.scenario.name)
  }

  @Test func `a name cannot break out of its place`() throws {
    let text = try TrendMarkdown(summary: SampleTrend.hostile).rendered()
    #expect(!text.contains("<script"))
    #expect(!text.unicodeScalars.contains("\u{202E}"))
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.contains("R-17") }
    #expect(rows.count == 2)
    let cells = rows.map { $0.replacing("\\|", with: "").count { $0 == "|" } }
    #expect(cells == [8, 12])
  }

  @Test func `a machine change does not hide behind an older alert`() throws {
    let lines = try TrendMarkdown(summary: SampleTrend.moved).rendered().split(separator: "\n")
    let day = SampleTrend(count: 70).day(60)
    #expect(
      lines[0].hasSuffix("1 confirmed regression; the machine is slower too: control +99.9 %")
    )
    #expect(lines[1].contains("(tonight 92"))
    #expect(lines[3].contains("control target +99.9 % since \(day)"))
    #expect(lines.contains { $0.hasPrefix("| 🟣\u{A0}moved") })
    #expect(lines.contains { $0.contains("(+99.9 %) in the night of \(day), and its program") })
  }

  @Test func `fewer slow launches of the control are no move of the machine`() throws {
    var summary = SampleTrend.moved
    for place in summary.series.indices where summary.series[place].role == .control {
      summary.series[place].key.metric = .slowShare
    }
    #expect(!summary.series.isEmpty)
    let line = try TrendMarkdown(summary: summary).rendered().split(separator: "\n")[0]
    #expect(line.contains("1 confirmed regression") && !line.contains("the machine"))
  }

  @Test func `a number that is no condition is not said to be unmet`() throws {
    var summary = SampleTrend.red
    summary.alerts[0].events[0].criteria.append(
      Criterion(
        id: "baseline-median",
        text: "baseline median",
        value: 412e6,
        isMet: false,
        n: 28,
        unit: .nanoseconds
      )
    )
    let text = try TrendMarkdown(summary: summary).rendered()
    let row = try #require(text.split(separator: "\n").first { $0.contains("baseline-median") })
    #expect(row.split(separator: "|")[1].trimmingCharacters(in: .whitespaces) == "–")
    let why = AlertText(summary.alerts[0], style: TextStyle(width: 200)).rendered()
    let line = try #require(why.split(separator: "\n").first { $0.contains("baseline-median") })
    #expect(line.contains("28  –    baseline median"))
  }

  @Test func `shows missing nights as gaps`() throws {
    let text = try TrendMarkdown(summary: SampleTrend.red).rendered()
    #expect(text.contains("`▁▁▂▁▁▁▁▂·▁▂▁▁▁▂·▁▁▁▁▁▇████████`"))
  }

  @Test func `takes a template as it is, and escapes once`() throws {
    let text = try TrendMarkdown(
      summary: SampleTrend.hostile,
      template: "{{#findings}}\n{{id}} {{series}}\n{{/findings}}\n{{nothing}}{{scenario}}"
    ).rendered()
    #expect(text.hasPrefix(#"R-17 a\|b\`c\`&lt;/summary&gt;"#))
    #expect(!text.contains("&amp;"))
  }

  @Test func `tells where a template is wrong`() throws {
    let template = "# {{title}}\n{{#alerts}}\n{{alerts}}\n{{/alert}}\n"
    let report = TrendMarkdown(summary: SampleTrend.quiet, template: template)
    let error = try #require(throws: TemplateError.self) { try report.rendered() }
    #expect(
      error.diagnostics.map(\.description) == [
        """
        error: the template cannot be read: a section ends with another name than it begins with, \
        in "{{/alert}}"
          at: template:4
          help: correct it, or begin with the one that `launchlab report --print-template` prints
        """
      ]
    )
  }

  @Test func `gives the same bytes for the same night`() throws {
    let texts = try (0..<2).map { _ in try TrendMarkdown(summary: SampleTrend.red).rendered() }
    #expect(texts[0] == texts[1])
  }
}
