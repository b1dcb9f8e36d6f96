import Foundation
package import LaunchCore
package import Rendering

/// An alert as a terminal shows it: one sentence, then everything that it rests on.
package struct AlertText {
  private let alert: Alert
  private let nights: [Night]
  private let deliveries: [Delivery]
  private let scenarioFile: String
  private let style: TextStyle

  /// - Parameters:
  ///   - alert: What is shown.
  ///   - nights: Those of the scenario, for commits; may be empty.
  ///   - deliveries: Whom it was told to; those of other alerts are left out.
  ///   - scenarioFile: What the scenario is called on the command line.
  ///   - style: Colours and width.
  package init(
    _ alert: Alert,
    nights: [Night] = [],
    deliveries: [Delivery] = [],
    scenarioFile: String = "scenario.yml",
    style: TextStyle = TextStyle()
  ) {
    self.alert = alert
    self.nights = nights
    self.scenarioFile = scenarioFile
    self.deliveries = deliveries.filter { $0.alert == alert.number }
    self.style = style
  }

  /// One sentence: what, how much, since when, code or machine; without a full stop.
  package var sentence: String { AlertSentence(alert, nights: nights).text }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let events = alert.events.indices.flatMap { [""] + eventLines($0) }
    let lines =
      headLines + events + proofLines + explanationLines + deliveryLines + nextLines
    return lines.joinedLines(style)
  }

  private var headLines: [String] {
    let sentence = style.wrapped("\(alert.id): \(self.sentence.printable)", indent: 2)
    let painted = sentence.map { style.paint($0, alert.isRed ? .boldFailure : .bold) }
    let runs =
      ["first night \(alert.onset)"] + (alert.lastGood.map { ["last good night \($0)"] } ?? [])
    let facts = ["scenario \(alert.series.scenario)"] + runs
    let host = ["host \(alert.series.fingerprint.prefix(8))"]
    let line = "  " + (facts + host).joined(separator: ", ").printable
    let why = alert.explanation.map { style.wrapped("  why: \($0.why.printable)", indent: 4) }
    return painted + (why ?? []) + style.wrapped(line, indent: 2)
  }

  // MARK: - Events

  private func eventLines(_ index: Int) -> [String] {
    let event = alert.events[index]
    let by = event.run.map { ", run \($0)" } ?? ", by \(event.person ?? "hand")"
    let title =
      "\(Quantity.instant(event.at))\(by): \(event.state.rawValue), cause \(event.cause.rawValue)"
    return [style.paint(title.printable, ink(event.state))]
      + style.wrapped("  \(event.reason.printable)", indent: 2)
      + criteriaTable(event.criteria)
  }

  private func criteriaTable(_ criteria: [Criterion]) -> [String] {
    guard !criteria.isEmpty else { return [] }
    let titles = ["", "criterion", "value", "limit", "n", "met", "what"]
    let rows = criteria.map { criterion in
      let words = CriterionWords(criterion: criterion)
      return [
        TextTable.Cell(""), TextTable.Cell(criterion.id), TextTable.Cell(words.value),
        TextTable.Cell(words.limit), TextTable.Cell(words.n),
        TextTable.Cell(words.met, criterion.isMet ? .warning : .dim),
        TextTable.Cell(criterion.text.printable),
      ]
    }
    let wide = TextTable(
      columns: [.left, .left, .right, .right, .right, .left, .left],
      rows: [titles.map { TextTable.Cell($0, .dim) }] + rows
    )
    guard wide.width > style.width else { return wide.lines(style: style) }
    return narrowLines(wide, criteria)
  }

  /// The table without its widest column, which stands below each row.
  private func narrowLines(_ wide: TextTable, _ criteria: [Criterion]) -> [String] {
    let table = TextTable(
      columns: wide.columns.dropLast(),
      rows: wide.rows.map { $0.dropLast() }
    )
    let lines = table.lines(style: style)
    return [lines[0]]
      + zip(lines.dropFirst(), criteria).flatMap { line, criterion in
        [line] + style.wrapped("      \(criterion.text.printable)", indent: 6)
      }
  }

  private func ink(_ state: Alert.State) -> TextStyle.Ink {
    switch state {
    case .confirmed: alert.direction == .worse ? .failure : .success
    case .suspected: .warning
    case .acknowledged, .refuted: .note
    case .fixed, .recovered: .success
    }
  }

  // MARK: - Proof, deliveries, commands

  private var proofLines: [String] {
    guard let proof = alert.proof else { return [] }
    let change = TrendWords.change(
      proof.ratio,
      low: proof.low,
      high: proof.high,
      of: alert.series.metric
    )
    let hasInterval = proof.low != nil && proof.high != nil
    let confidence =
      hasInterval
      ? String(format: " at %g %%", proof.confidence * 100) : ", too few pairs for an interval"
    let what = proof.scope == .build ? "the whole build" : "the executable alone"
    let facts = [
      "  change \(change)\(confidence)",
      "  verdict \(proof.verdict.rawValue), effect limit \(Quantity.percent(proof.effectLimit))",
      "  \(Quantity.count(proof.pairs, "pair")) of \(proof.baseline) and \(proof.candidate)"
        + " in run \(proof.run), \(what)",
    ]
    let smallest = proof.smallestDetectable.map {
      ["  the smallest effect that this detects in 80 % of cases is \(Quantity.percent($0))"]
    }
    return ["", style.paint("proof: \(proof.good) against \(proof.bad)".printable, .bold)]
      + (facts + (smallest ?? [])).flatMap { style.wrapped($0.printable, indent: 4) }
  }

  private var explanationLines: [String] {
    guard let explanation = alert.explanation else { return [] }
    let title = "why: \(explanation.after) against \(explanation.before), \(explanation.run)"
    let lines = explanation.text.split(separator: "\n", omittingEmptySubsequences: false)
    return ["", style.paint(title.printable, .bold)]
      + lines.dropLast().map { $0.isEmpty ? "" : "  \(String($0).printable)" }
  }

  private var deliveryLines: [String] {
    guard !deliveries.isEmpty else { return [] }
    let lines = deliveries.map { delivery in
      let state =
        alert.events.indices.contains(delivery.event)
        ? alert.events[delivery.event].state.rawValue : "event \(delivery.event + 1)"
      let outcome = delivery.failure.map { "failed: \($0)" } ?? "delivered"
      return "  \(Quantity.instant(delivery.at)), \(state), to \(delivery.notifier): \(outcome)"
    }
    return ["", style.paint("notified", .bold)]
      + lines.flatMap { style.wrapped($0.printable, indent: 4) }
  }

  private var nextLines: [String] {
    let commands = AlertCommands(alert, nights: nights, scenarioFile: scenarioFile)
    let waits = alert.isOpen && alert.state != .acknowledged
    let shown = [commands.compare, waits ? commands.acknowledge : nil].compactMap(\.self)
    guard !shown.isEmpty else { return [] }
    return ["", style.paint("next", .bold)] + shown.map { "  \($0.printable)" }
  }
}

/// What a person reads who has acknowledged an alert.
package struct AcknowledgementText {
  private let alert: Alert

  package init(_ alert: Alert) { self.alert = alert }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let reason = alert.events.last?.reason ?? ""
    return "\(alert.id) \(AlertSentence(alert).text)\n  reason: \(reason)\n"
      .split(separator: "\n").map(String.init).joinedLines()
  }
}

/// The numbers of a criterion as people read them.
struct CriterionWords {
  let criterion: Criterion

  var value: String { text(criterion.value) }

  var limit: String { text(criterion.limit) }

  var n: String { criterion.n.map(String.init) ?? Quantity.none }

  /// Whether the condition speaks for a change; a dash for a number that is no condition.
  var met: String { criterion.isFigure ? Quantity.none : criterion.isMet ? "yes" : "no" }

  private func text(_ number: Double?) -> String {
    guard let number else { return Quantity.none }
    switch criterion.unit {
    case .nanoseconds: return scale(.nanoseconds).text(number)
    case .bytes: return scale(.bytes).text(number)
    case .count: return scale(.count).text(number)
    case .percent: return scale(.percent).text(number)
    case .share: return String(format: "%.2f %%", number * 100)
    case .ratio: return TrendWords.change(number)
    case .probability: return Self.probability(number)
    }
  }

  /// The same scale for value and limit, so that they can be compared at a glance.
  private func scale(_ unit: Metric.Unit) -> Scale {
    Scale(unit, for: max(abs(criterion.value ?? 0), abs(criterion.limit ?? 0)))
  }

  private static func probability(_ number: Double) -> String {
    number == 0 || number >= 0.001
      ? String(format: "%.4f", number) : String(format: "%.1e", number)
  }
}

/// The commands that a reader of an alert may want next.
package struct AlertCommands: Hashable, Sendable {
  /// Shows every criterion.
  package let why: String

  /// Takes the new level as the normal one.
  package let acknowledge: String

  /// Launches the two builds that the change lies between again, interleaved, or where they are not
  /// known, holds the last good night and the first bad one against each other; nil for a budget.
  package let compare: String?

  /// - Parameters:
  ///   - alert: What is read.
  ///   - nights: Those of the scenario, for the commits; may be empty.
  ///   - scenarioFile: What the scenario is called on the command line.
  package init(_ alert: Alert, nights: [Night] = [], scenarioFile: String = "scenario.yml") {
    why = "launchlab why \(alert.id)"
    acknowledge = "launchlab ack \(alert.id) --reason \"…\""
    guard let lastGood = alert.lastGood else {
      compare = nil
      return
    }
    let range = AlertRange(alert, nights: nights)
    if let commits = range.commits {
      let arm =
        "--target \(ShellQuoting.text([alert.series.target])) --state \(alert.series.state.rawValue)"
      let scenario = ShellQuoting.text([scenarioFile])
      compare = "launchlab compare --revisions \(commits) \(scenario) \(arm)"
    } else {
      let bad = range.isProved ? alert.onset : range.bad.night?.run ?? alert.onset
      compare = "launchlab compare \(lastGood) \(bad)"
    }
  }
}
