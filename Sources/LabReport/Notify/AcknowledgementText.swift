package import LabModel

/// What a person reads who has acknowledged an alert.
package struct AcknowledgementText {
  private let alert: Alert

  package init(_ alert: Alert) { self.alert = alert }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let reason = alert.events.last?.reason ?? ""
    return "\(alert.id) \(AlertSentence(alert).text)\n  reason: \(reason)\n"
      .split(separator: "\n").map { String($0).printable + "\n" }.joined()
  }
}
