import LabAnalysis
package import LabModel

/// What people are told of findings: one subject, and a paragraph per finding.
///
/// Every way of telling them shows the same words; see ``SlackNotice``, ``MailNotice`` and
/// ``SummaryNotice``.
package struct Notice: Hashable, Sendable {
  package let scenario: String

  /// One line, without characters that end it.
  package let subject: String

  /// At least one, the gravest first.
  let paragraphs: [Paragraph]

  /// What else must be known, as sentences without a full stop.
  let remarks: [String]

  /// What is said of one finding.
  struct Paragraph: Hashable {
    /// The finding, as a sentence without a full stop.
    let title: String

    /// Why, and how far it is proved, as sentences without a full stop.
    let details: [String]

    /// Commands, each with what it is for.
    let commands: [Command]
  }

  struct Command: Hashable {
    let purpose: String
    let text: String
  }

  /// Puts findings into words.
  ///
  /// - Parameters:
  ///   - findings: Each alert with the index of the event that is told; at least one.
  ///   - scenario: The name of the scenario.
  ///   - nights: Those of the scenario, for commits and days.
  ///   - missedDays: The days without a result since the last one, ascending.
  package init(
    _ findings: [(alert: Alert, event: Int)],
    scenario: String,
    nights: [Night],
    missedDays: [String] = []
  ) {
    self.scenario = scenario
    let sorted = findings.map { Self.told($0.alert, event: $0.event) }
      .sorted { (Self.gravity(of: $0), $0.number) < (Self.gravity(of: $1), $1.number) }
    paragraphs = sorted.map { Paragraph($0, nights: nights) }
    let first = paragraphs.first?.title ?? ""
    subject = Self.oneLine(
      paragraphs.count == 1
        ? "launchlab \(scenario): \(first)"
        : "launchlab \(scenario): \(paragraphs.count) findings, first \(first)"
    )
    remarks = missedDays.isEmpty ? [] : [Self.remark(on: missedDays)]
  }

  /// The alert as it was right after an event.
  private static func told(_ alert: Alert, event: Int) -> Alert {
    guard alert.events.indices.contains(event) else { return alert }
    var told = alert
    told.events = Array(alert.events.prefix(event + 1))
    told.state = alert.events[event].state
    told.cause = alert.events[event].cause
    return told
  }

  /// Red ones first, then what is open, then what ended.
  private static func gravity(of alert: Alert) -> Int {
    if alert.isRed { return 0 }
    if alert.direction == .worse, alert.isOpen { return 1 }
    return alert.isOpen ? 2 : 3
  }

  private static let shownDays = 5

  private static func remark(on days: [String]) -> String {
    let more = days.count > shownDays ? " and \(days.count - shownDays) more" : ""
    let nights = days.count == 1 ? "the night" : "the nights"
    return
      "no result for \(nights) \(days.prefix(shownDays).joined(separator: ", "))\(more)"
  }

  /// The text with visible control characters, cut to what a subject can hold.
  private static func oneLine(_ text: String) -> String { text.printable.truncated(to: 200) }
}

extension Notice.Paragraph {
  fileprivate init(_ alert: Alert, nights: [Night]) {
    title = "\(alert.id) \(AlertSentence(alert, nights: nights).text)".printable
    let reason = alert.events.last?.reason
    details = [reason.map { "why: \($0)" }, alert.proof.map(Self.phrase)].compactMap(\.self)
      .map(\.printable)
    let why = Notice.Command(purpose: "every number behind it", text: "launchlab why \(alert.id)")
    let isToBeTaken = alert.state == .confirmed && alert.direction == .worse
    commands =
      [why]
      + (isToBeTaken
        ? [
          Notice.Command(
            purpose: "to accept the new level as the baseline",
            text: "launchlab ack \(alert.id) --reason TEXT"
          )
        ] : [])
  }

  private static func phrase(_ proof: Proof) -> String {
    let interval =
      proof.low.flatMap { low in
        proof.high.map { high in
          " (\(Quantity.percent(proof.confidence)) interval \(Quantity.significant(low)) to "
            + "\(Quantity.significant(high)))"
        }
      } ?? ""
    return
      "proof: \(Quantity.count(proof.pairs, "pair")) of launches of \(proof.good.prefix(12)) and "
      + "\(proof.bad.prefix(12)) in turn, ratio \(Quantity.significant(proof.ratio))\(interval): "
      + proof.verdict.rawValue
  }
}
