import Foundation
import LaunchCore
import Rendering

/// The trend of a scenario as one self-contained page: every series as a chart that can be filtered,
/// zoomed and pointed at.
///
/// Its frame is `dashboard.html`, with `dashboard.css` and `dashboard.js` inside it. The page loads
/// nothing: its policy forbids every request. The same summary gives the same bytes. It needs a
/// browser with the CSS function `light-dark()` (2024). What comes from a scenario, a commit or a
/// store is escaped as text, and never as a part of the page or of its script.
package struct DashboardHTML {
  private let summary: TrendSummary

  /// - Parameter summary: What the night is concluded with.
  package init(_ summary: TrendSummary) { self.summary = summary }

  /// The page, in time and memory proportional to the number of points.
  package func rendered() -> String {
    // No part that comes from outside can hold a mark: each has its `<` escaped.
    let parts = [
      ("title", Markup.text("\(summary.scenario.name): launch trend")),
      ("style", DashboardFile.css), ("script", DashboardFile.js),
      ("header", DashboardHeader(summary).rendered()), ("data", DashboardData(summary).json),
    ]
    return parts.reduce(DashboardFile.html) { page, part in
      page.replacing("<!-- \(part.0) -->", with: part.1)
    }
  }
}

/// The top of the dashboard, which needs no script: the verdict of the night, what is open, and what
/// a reader must know.
struct DashboardHeader {
  let summary: TrendSummary

  init(_ summary: TrendSummary) { self.summary = summary }

  func rendered() -> String {
    """
    <header>
    <h1>\(Markup.text(summary.scenario.name)) <small>launch trend</small></h1>
    <p class="verdict \(verdict.kind)"><span aria-hidden="true">\(verdict.sign)</span> \
    \(Markup.text(verdict.text))</p>
    \(answer)\(alertList)\(films)<p class="facts">\(facts.joined(separator: " · "))</p>
    \(findings)\(pastList)</header>
    """
  }

  private struct Verdict {
    var kind: String
    var sign: String
    var text: String
  }

  /// In the words of the report, beside which a sign and a colour only repeat what they say.
  private var verdict: Verdict {
    let lead = TrendLead(summary)
    let text = lead.counts + lead.moveText + lead.openText
    return switch lead.colour {
    case .failed, .red: Verdict(kind: "bad", sign: "✖", text: text)
    case .unsettled: Verdict(kind: "doubt", sign: "?", text: text)
    case .unjudged: Verdict(kind: "plain", sign: "–", text: text)
    case .green:
      Verdict(kind: lead.openText.isEmpty ? "good" : "plain", sign: "✔", text: text)
    }
  }

  /// What changed, where no alert says so.
  private var answer: String {
    guard summary.alerts.isEmpty else { return "" }
    let what = TrendAnswer(summary, scenarioFile: summary.scenarioFile).what.plain
    return "<p class=\"answer\">\(Markup.text(what))</p>\n"
  }

  /// In HTML.
  private var facts: [String] {
    let night = summary.tonight
    let build = night.build.map { build in
      let url = summary.scenario.source?.url(ofCommit: build.commit)
      let commit = Markup.text(TrendWords.short(build.commit))
      let link = url.map { "<a href=\"\(Markup.text($0))\">\(commit)</a>" } ?? commit
      return "commit \(link)" + Markup.text(build.subject.isEmpty ? "" : " \"\(build.subject)\"")
    }
    let disturbed =
      summary.disturbedLaunches > 0 ? ", \(summary.disturbedLaunches) disturbed" : ""
    let first = [Quantity.instant(night.startedAt), "run \(night.run)"].map(Markup.text)
    let last = [
      "host \(night.fingerprint.prefix(8))",
      Quantity.launches(summary.launches) + disturbed,
      Quantity.count(summary.hostNights.own.count, "night") + " stored",
    ].map(Markup.text)
    return first + [build].compactMap(\.self) + last
  }

  private var alertList: String {
    guard !summary.alerts.isEmpty else { return "" }
    return "<h2>Alerts</h2>\n<ul class=\"alerts\">\n"
      + summary.alerts.map { item($0) + "\n" }.joined() + "</ul>\n"
  }

  private var films: String {
    summary.films.map { Self.frame("What the user saw: \($0.title)", $0.rendered()) }.joined()
  }

  private var pastList: String {
    guard !summary.pastAlerts.isEmpty else { return "" }
    let count = Quantity.count(summary.pastAlerts.count, "past alert")
    return "<details><summary>\(count)</summary>\n<ul class=\"alerts\">\n"
      + summary.pastAlerts.map { item($0) + "\n" }.joined() + "</ul></details>\n"
  }

  private func item(_ alert: Alert) -> String {
    let kind = alert.isRed ? "bad" : alert.state == .suspected ? "doubt" : "plain"
    let sentence = AlertSentence(alert, nights: summary.nights).text
    let why = AlertCommands(alert).why
    return """
      <li class="\(kind)"><a href="#\(hash(of: alert))">\(alert.id)</a> \
      \(Markup.text(sentence)) <code>\(Markup.text(why))</code>\(explanation(of: alert))\(launches(of: alert))</li>
      """
  }

  /// Why launches are slower, with the flame graph where there is one.
  private func explanation(of alert: Alert) -> String {
    guard let explanation = alert.explanation else { return "" }
    let picture =
      summary.flameGraphs[alert.number].map {
        Self.frame("Flame graph of the difference", $0)
      } ?? ""
    return "<p class=\"why\"><b>Why:</b> \(Markup.text(explanation.why))</p>\(picture)"
  }

  private func launches(of alert: Alert) -> String {
    summary.distributions[alert.number].map {
      Self.frame("Launches of the proof", $0.svg(), width: 640)
    } ?? ""
  }

  /// The picture fills the frame, however wide that is.
  private static let frameStyle =
    "<!DOCTYPE html><style>body { margin: 0 } svg { display: block; width: 100%; height: auto }</style>"

  /// A picture as a document of its own: its style and its tooltips stay its own, and nothing in it runs.
  ///
  /// Of the page it takes `width` at most.
  private static func frame(_ title: String, _ picture: String, width: Int? = nil) -> String {
    let limit = width.map { "; max-width: \($0)px" } ?? ""
    let size = picture.prefixMatch(of: /<svg [^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"/)
    let shape = size.map { " style=\"aspect-ratio: \($0.1) / \($0.2)\(limit)\"" } ?? ""
    let source = (frameStyle + picture).replacing("&", with: "&amp;")
      .replacing("\"", with: "&quot;")
    return "<details><summary>\(Markup.text(title))</summary>"
      + "<iframe sandbox title=\"\(Markup.text(title))\"\(shape) srcdoc=\"\(source)\"></iframe></details>"
  }

  /// The part of the address that shows the series of an alert, and its first night.
  private func hash(of alert: Alert) -> String {
    let key = alert.series
    let parts = [
      ("target", key.target), ("state", key.state.rawValue), ("metric", key.metric.rawValue),
      ("night", alert.onset),
    ]
    return parts.map { name, value in
      let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
      )
      return "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")"
    }
    .joined(separator: "&amp;")
  }

  /// Budgets that are not kept, nights without a result, a changed host, and notes.
  private var findings: String {
    let lines = budgetLines + hostLines + missedLines + noteLines
    guard !lines.isEmpty else { return "" }
    return "<h2>Notes</h2>\n<ul class=\"notes\">\n"
      + lines.map { "<li>\(Markup.text($0))</li>\n" }.joined() + "</ul>\n"
  }

  private var budgetLines: [String] {
    summary.budgets.filter { $0.outcome != .kept }.map { check in
      let budget = check.budget
      let scale = Scale(budget.metric.unit, for: budget.maximum)
      let value = check.median.map { "median \(scale.text($0)), " } ?? ""
      return "budget of \(budget.target) \(budget.state.rawValue), "
        + "\(budget.metric.label): \(check.outcome.rawValue) "
        + "(\(value)at most \(scale.text(budget.maximum)))"
    }
  }

  private var hostLines: [String] {
    summary.hostChanges.map {
      "host changed since the night before: \($0.fact) \($0.before) → \($0.after)"
    }
  }

  /// The newest ones; the charts mark every one.
  private var missedLines: [String] {
    let shown = summary.missed.suffix(3).reversed().map { "no result for \($0.day): \($0.reason)" }
    let rest = summary.missed.count - shown.count
    return shown
      + (rest > 0
        ? ["\(Quantity.count(rest, "earlier night")) without a result, marked × in the charts"]
        : [])
  }

  private var noteLines: [String] {
    summary.notes.map { note in
      "\(note.severity.rawValue): \(note.problem)" + (note.remedy.map { "; \($0)" } ?? "")
    }
  }
}

/// Text that stands in HTML.
enum Markup {
  /// The text with everything escaped that HTML could take for a part of itself, also inside quotes.
  static func text(_ text: String) -> String {
    var escaped = ""
    for scalar in text.printable.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A JSON text that cannot end the script element that it stands in.
  ///
  /// These characters stand in JSON strings only, where an escape means the same.
  static func scriptSafe(json: String) -> String {
    var safe = ""
    safe.reserveCapacity(json.utf8.count)
    for scalar in json.unicodeScalars {
      switch scalar.value {
      case 0x3C: safe += "\\u003c"
      case 0x3E: safe += "\\u003e"
      case 0x26: safe += "\\u0026"
      case 0x2028: safe += "\\u2028"
      case 0x2029: safe += "\\u2029"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}
