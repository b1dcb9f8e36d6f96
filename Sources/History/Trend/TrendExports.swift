import Foundation
import Gate
import LaunchCore
import Rendering

/// The verdict of nights as a file for Prometheus, such as one of the textfile collector of
/// node_exporter.
package struct OpenMetricsText {
  private let summaries: [TrendSummary]

  package init(_ summaries: [TrendSummary]) { self.summaries = summaries }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    OpenMetricsFamily.document([verdict, alerts, time] + measured)
  }

  private func scenario(_ summary: TrendSummary) -> (String, String) {
    ("scenario", summary.scenario.name)
  }

  /// 1 for the verdict of the night, 0 for the others.
  private var verdict: OpenMetricsFamily {
    OpenMetricsFamily(
      "launchlab_night_verdict",
      help: "Whether the newest night has this verdict.",
      samples: summaries.flatMap { summary in
        TrendLead.Colour.allCases.map { colour in
          let isSo = TrendLead(summary).colour == colour
          return ([scenario(summary), ("verdict", colour.rawValue)], isSo ? 1 : 0)
        }
      }
    )
  }

  private var alerts: OpenMetricsFamily {
    OpenMetricsFamily(
      "launchlab_open_alerts",
      help: "Open alerts of the code that ask for something.",
      samples: summaries.flatMap { summary in
        [
          ([scenario(summary), ("state", "confirmed")], summary.alerts.count(where: \.isRed)),
          (
            [scenario(summary), ("state", "suspected")],
            summary.alerts.count { $0.state == .suspected }
          ),
        ].map { ($0, Double($1)) }
      }
    )
  }

  private var time: OpenMetricsFamily {
    OpenMetricsFamily(
      "launchlab_night_timestamp_seconds",
      help: "When the newest night began, in Unix time.",
      unit: "seconds",
      samples: summaries.map { ([scenario($0)], $0.tonight.startedAt.timeIntervalSince1970) }
    )
  }

  /// Two families per metric: tonight's medians, and their ratios to the baselines.
  private var measured: [OpenMetricsFamily] {
    Metric.allCases.flatMap { metric in
      let trends = summaries.flatMap { summary in
        summary.series.filter { $0.key.metric == metric }.map { (summary, $0) }
      }
      let (unit, factor) = OpenMetricsFamily.unit(of: metric.unit)
      let name = "launchlab_\(metric.rawValue)"
      func samples(_ value: (SeriesTrend) -> Double?) -> [([(String, String)], Double)] {
        trends.compactMap { summary, trend in
          let labels = [
            scenario(summary), ("target", trend.key.target), ("state", trend.key.state.rawValue),
          ]
          return value(trend).map { (labels, $0) }
        }
      }
      return [
        OpenMetricsFamily(
          name,
          help: metric == .slowShare
            ? "Share of slow launches of the newest night." : "Median of the newest night.",
          unit: unit,
          samples: samples { $0.assessment.tonight.map { factor * $0.median } }
        ),
        OpenMetricsFamily(
          "\(name)_baseline_ratio",
          help: "Median of the newest night / median of its baseline.",
          unit: "ratio",
          samples: samples(\.assessment.ratio)
        ),
      ]
    }
  }
}

/// The verdict of nights as a JUnit report: a test suite per scenario, a test case per judged series
/// and budget, and for what was counted and is not allowed.
///
/// A confirmed regression, a broken budget and what was counted are failures; a suspicion, a series
/// without a value and a night without a result are errors; a series with too few nights is skipped.
package struct JUnitReport {
  private let summaries: [TrendSummary]

  package init(_ summaries: [TrendSummary]) { self.summaries = summaries }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    JUnitSuite.document(summaries.map(suite))
  }

  private func suite(_ summary: TrendSummary) -> JUnitSuite {
    JUnitSuite(
      name: summary.scenario.name,
      start: summary.tonight.startedAt.formatted(.iso8601),
      cases: cases(summary)
    )
  }

  private func cases(_ summary: TrendSummary) -> [JUnitSuite.Case] {
    let lead = TrendLead(summary)
    let name = summary.scenario.name
    if lead.colour == .failed {
      let text = summary.failure ?? lead.statusText ?? "the run has no result"
      return [.init(group: name, name: "night", finding: ("error", text))]
    }
    let series = summary.judged.map { trend in
      let metric = trend.key.metric
      return JUnitSuite.Case(
        group: "\(name).\(trend.key.target).\(trend.key.state.rawValue)",
        name: metric.rawValue,
        seconds: metric == .launch ? trend.assessment.tonight.map { $0.median / 1e9 } : nil,
        finding: finding(trend, lead)
      )
    }
    let budgets = summary.budgets.map { check in
      let budget = check.budget
      let value = check.median.map { Quantity.text($0, budget.metric.unit) } ?? Quantity.none
      let text = "\(value), limit \(Quantity.text(budget.maximum, budget.metric.unit))"
      let element: String? =
        switch check.outcome {
        case .broken: "failure"
        case .undecided, .unmeasured: "error"
        case .kept: nil
        }
      return JUnitSuite.Case(
        group: "\(name).\(budget.target).\(budget.state.rawValue)",
        name: "budget of \(budget.metric.rawValue)",
        finding: element.map { ($0, text) }
      )
    }
    let counts = summary.openChanges.map { change in
      JUnitSuite.Case(
        group: "\(name).\(change.finding.target)",
        name: "\(change.finding.rule): \(change.finding.item)",
        finding: ("failure", CountedWords.Group(changes: [change]).text)
      )
    }
    return series + budgets + counts
  }

  private func finding(_ trend: SeriesTrend, _ lead: TrendLead) -> (element: String, text: String)?
  {
    let own = lead.summary.alerts.filter { alert in
      alert.kind != .budget && alert.series.isSameArm(as: trend.key)
    }
    if let red = own.first(where: \.isRed) {
      let why = red.explanation.map { "; why: \($0.why)" } ?? ""
      return ("failure", TrendAnswer.what(red, in: lead).plain + why)
    }
    if let suspected = own.first(where: { $0.state == .suspected }) {
      return ("error", "not proved: \(TrendAnswer.what(suspected, in: lead).plain)")
    }
    return switch trend.assessment.outcome {
    case .suspected:
      ("error", "\(TrendWords.change(trend.assessment.ratio)) against its baseline, not proved")
    case .missing: ("error", "not measured")
    case .new: ("skipped", "too few nights to compare with")
    default: nil
    }
  }
}

/// The alerts of a scenario as an Atom feed, the newest first.
///
/// Source of the format: RFC 4287.
package struct AlertFeed {
  private let summary: TrendSummary

  /// How many entries a feed has at most.
  private static let most = 50

  package init(_ summary: TrendSummary) { self.summary = summary }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let name = summary.scenario.name
    let id = "urn:launchlab:\(Self.path(name))"
    let alerts = (summary.alerts + summary.pastAlerts).filter { !$0.events.isEmpty }
      .sorted { Self.time($0) > Self.time($1) }.prefix(Self.most)
    let lines =
      [
        #"<?xml version="1.0" encoding="UTF-8"?>"#, #"<feed xmlns="http://www.w3.org/2005/Atom">"#,
        "  <id>\(id)</id>", "  <title>Launch times of \(SVGText.escaped(name))</title>",
        "  <updated>\(summary.tonight.startedAt.formatted(.iso8601))</updated>",
        "  <author><name>launchlab</name></author>",
        #"  <link rel="alternate" href="index.html"/>"#,
      ] + alerts.flatMap { entry($0, id) } + ["</feed>"]
    return lines.joinedLines()
  }

  private func entry(_ alert: Alert, _ feed: String) -> [String] {
    let sentence = AlertSentence(alert, nights: summary.nights).text
    let lead = TrendLead(summary)
    let text = [
      TrendAnswer.what(alert, in: lead).plain,
      "since: " + TrendAnswer.since(alert, in: lead).plain,
      "code or machine: " + TrendAnswer.cause(alert).plain,
      alert.openExplanation.map { "why: \($0.why)" },
      "more: launchlab why \(alert.id)",
    ].compactMap(\.self)
    return [
      "  <entry>", "    <id>\(feed):\(alert.id)</id>",
      "    <title>\(SVGText.escaped("\(alert.id) \(sentence)"))</title>",
      "    <updated>\(Self.time(alert).formatted(.iso8601))</updated>",
      "    <link rel=\"alternate\" href=\"latest.md#\(alert.id.lowercased())\"/>",
      "    <content type=\"text\">\(SVGText.escaped(text.joined(separator: "; ")))</content>",
      "  </entry>",
    ]
  }

  private static func time(_ alert: Alert) -> Date { alert.events.last?.at ?? .distantPast }

  /// The text with everything escaped that a name in a URN cannot hold.
  private static func path(_ text: String) -> String {
    SVGText.escaped(
      text.addingPercentEncoding(withAllowedCharacters: .urlHostAllowed) ?? "scenario"
    )
  }
}
