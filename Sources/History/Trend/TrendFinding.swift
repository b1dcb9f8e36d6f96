import Foundation
import LaunchCore
import Rendering

/// One alert in Markdown, as values that a template puts in their places.
struct TrendFinding {
  let alert: Alert
  let lead: TrendLead
  let scenarioFile: String

  /// The chart of the series; nil where there is nothing to draw.
  let chart: TrendChart?

  /// Whether there is a picture of its explanation.
  let hasFlameGraph: Bool

  /// Whether there is one of the launches of its proof.
  let hasDistributions: Bool

  private var summary: TrendSummary { lead.summary }

  var values: [String: Any] {
    let table = AlertTable(lead: lead)
    let blocks: [(String, [String])] = [
      ("picture", picture), ("quantiles", table.quantiles(of: alert)),
      ("stages", table.stages(of: alert)), ("criteria", table.criteria(of: alert)),
      ("explanation", explanation), ("events", events), ("commands", commands),
      ("similar", similar),
    ]
    var values: [String: Any] = [
      "id": alert.id, "anchor": alert.id.lowercased(), "symbol": TrendWords.symbol(alert),
      "state": alert.state.rawValue, "title": TrendWords.title(alert),
      "series": MarkdownTable.escaped(TrendWords.name(alert.series)),
      "change": TrendTable.unbroken(alert.changeText), "step": alert.stepText,
      "what": TrendAnswer.what(alert, in: lead).markdown,
      "since": TrendAnswer.since(alert, in: lead).markdown,
      "cause": TrendAnswer.cause(alert).markdown,
      "age": Quantity.count(lead.age(of: alert), "night"),
    ]
    values["why"] = alert.explanation?.markdown
    if hasDistributions {
      let name = SVGText.escaped(TrendCharts.distributionsName(alert, in: summary))
      values["launches"] = "![Launches of the proof](img/\(name))"
    }
    for (name, lines) in blocks where !lines.isEmpty {
      values[name] = String(lines.joinedLines().dropLast())
    }
    return values
  }

  private var picture: [String] {
    guard let chart else { return [] }
    let name = SVGText.escaped(TrendCharts.name(alert, in: summary))
    let alternative = SVGText.escaped(chart.alternative)
    return [
      "<picture>",
      #"  <source media="(prefers-color-scheme: dark)" srcset="img/\#(name)-dark.svg">"#,
      #"  <img src="img/\#(name).svg" width="800" alt="\#(alternative)">"#,
      "</picture>",
    ]
  }

  /// The reasons as a table, and a link to their picture.
  private var explanation: [String] {
    guard let explanation = alert.explanation else { return [] }
    let text = explanation.section.trimmingCharacters(in: .newlines)
    let picture = "img/\(SVGText.escaped(TrendCharts.flameGraphName(alert, in: summary)))"
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      + (hasFlameGraph ? ["", "[Flame graph of the difference](\(picture))"] : [])
  }

  private var events: [String] {
    alert.events.map { event in
      let reason = MarkdownTable.escaped(event.reason)
      let by = event.person.map { " by \(MarkdownTable.escaped($0))" } ?? ""
      return "- \(Quantity.instant(event.at)): \(event.state.rawValue)\(by), \(reason)"
    }
  }

  private var commands: [String] {
    TrendAnswer.commands(for: alert, in: lead, scenarioFile: scenarioFile)
      .map { "    \($0.command.printable)" }
  }

  /// Alerts of the same target and metric that ended before, at most 3.
  private var similar: [String] {
    let past = summary.pastAlerts.filter {
      $0.series.target == alert.series.target && $0.series.metric == alert.series.metric
        && $0.direction == alert.direction && $0.number != alert.number
    }
    return past.prefix(3).map { former in
      let end = former.events.last
      let day = end.map { $0.at.utcDay } ?? ""
      let name = MarkdownTable.escaped(TrendWords.name(former.series))
      let reason = end.map { ": \(MarkdownTable.escaped($0.reason))" } ?? ""
      return
        "- \(former.id) \(name) \(former.changeText), \(former.state.rawValue) \(day)\(reason)"
    }
  }
}

/// The last line of a report: a comment that programs read, and that no reader sees.
package struct TrendMark {
  private let lead: TrendLead

  init(_ lead: TrendLead) { self.lead = lead }

  /// The run that a report is of; nil where its last line does not say.
  package static func run(in report: String) -> String? {
    report.split(separator: "\n").last?.firstMatch(of: /"run":"([^"]*)"/).map { String($0.1) }
  }

  /// Such as `<!-- launchlab:{"schema":"launchlab.report/1",…} -->`.
  ///
  /// Inside the texts, characters that could end the comment are written as escapes of JSON.
  var comment: String {
    let summary = lead.summary
    let value: JSONValue = [
      "schema": "launchlab.report/1",
      "scenario": .string(summary.scenario.name),
      "run": .string(summary.run.id),
      "colour": .string(lead.colour.rawValue),
      "alerts": .array(
        summary.alerts.map { alert in
          [
            "id": .string(alert.id), "state": .string(alert.state.rawValue),
            "cause": .string(alert.cause.rawValue), "red": .bool(alert.isRed),
          ]
        }
      ),
    ]
    let json = JSONText.line(value).dropLast()
      .replacing("<", with: #"\u003c"#).replacing(">", with: #"\u003e"#)
      .replacing("--", with: #"-\u002d"#)
    return "<!-- launchlab:\(Self.ascii(String(json))) -->"
  }

  /// The JSON text with everything that is not ASCII as escapes.
  private static func ascii(_ json: String) -> String {
    json.utf16.reduce(into: "") { text, unit in
      if let scalar = Unicode.Scalar(unit), scalar.isASCII {
        text.unicodeScalars.append(scalar)
      } else {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }
}
