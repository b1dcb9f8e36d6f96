import Foundation
package import LabModel

/// An alert as a terminal shows it: one sentence, then everything that it rests on.
package struct AlertText {
  private let alert: Alert
  private let nights: [Night]
  private let deliveries: [Delivery]
  private let style: TextStyle

  /// - Parameters:
  ///   - alert: What is shown.
  ///   - nights: Those of the scenario, for commits; may be empty.
  ///   - deliveries: Whom it was told to; those of other alerts are left out.
  ///   - style: Colours and width.
  package init(
    _ alert: Alert,
    nights: [Night] = [],
    deliveries: [Delivery] = [],
    style: TextStyle = TextStyle()
  ) {
    self.alert = alert
    self.nights = nights
    self.deliveries = deliveries.filter { $0.alert == alert.number }
    self.style = style
  }

  /// One sentence: what, how much, since when, code or machine; without a full stop.
  package var sentence: String { AlertSentence(alert, nights: nights).text }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let events = alert.events.indices.flatMap { [""] + eventLines($0) }
    let lines = headLines + events + proofLines + deliveryLines + nextLines
    return lines.map { $0 + "\n" }.joined()
  }

  private var headLines: [String] {
    let sentence = style.wrapped("\(alert.id): \(self.sentence.printable)", indent: 2)
    let painted = sentence.map { style.paint($0, alert.isRed ? .boldFailure : .bold) }
    let runs =
      ["first night \(alert.onset)"] + (alert.lastGood.map { ["last good night \($0)"] } ?? [])
    let facts = ["scenario \(alert.series.scenario)"] + runs
    let host = ["host \(alert.series.fingerprint.prefix(8))"]
    let line = "  " + (facts + host).joined(separator: ", ").printable
    return painted + style.wrapped(line, indent: 2)
  }

  // MARK: - Events

  private func eventLines(_ index: Int) -> [String] {
    let event = alert.events[index]
    let by = event.run.map { ", run \($0)" } ?? ", by hand"
    let title =
      "\(Quantity.instant(event.at))\(by): \(event.state.rawValue), cause \(event.cause.rawValue)"
    return [style.paint(title, ink(event.state))]
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
    let interval = proof.low.flatMap { low in
      proof.high.map { high in
        String(format: " [%.4f, %.4f] at %g %%", low, high, proof.confidence * 100)
      }
    }
    let what = proof.scope == .build ? "the whole build" : "the executable alone"
    let facts = [
      String(format: "  ratio %.4f", proof.ratio) + (interval ?? ", too few pairs for an interval"),
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

  private var deliveryLines: [String] {
    guard !deliveries.isEmpty else { return [] }
    let lines = deliveries.map { delivery in
      let state =
        alert.events.indices.contains(delivery.event)
        ? alert.events[delivery.event].state.rawValue : "event \(delivery.event + 1)"
      let outcome = delivery.failure.map { "failed: \($0)" } ?? "delivered"
      return "  \(Quantity.instant(delivery.at)), \(state), to \(delivery.notifier): \(outcome)"
    }
    return ["", style.paint("told", .bold)]
      + lines.flatMap { style.wrapped($0.printable, indent: 4) }
  }

  private var nextLines: [String] {
    let commands = AlertCommands(alert, nights: nights)
    let waits = alert.isOpen && alert.state != .acknowledged
    let shown = [commands.compare, waits ? commands.acknowledge : nil].compactMap(\.self)
    guard !shown.isEmpty else { return [] }
    return ["", style.paint("next", .bold)] + shown.map { "  \($0.printable)" }
  }
}
