package import Foundation

/// One attempt to tell somebody of an event of an alert.
package struct Delivery: Hashable, Codable, Sendable {
  /// The number of the alert.
  package var alert: Int

  /// The index of the event in the alert.
  package var event: Int

  /// Whom, as `docs/verdicts.md` names notifiers, such as `email dev@example.org`.
  package var notifier: String
  package var at: Date

  /// Why it could not be delivered; nil when it was.
  package var failure: String?

  package init(alert: Int, event: Int, notifier: String, at: Date, failure: String? = nil) {
    self.alert = alert
    self.event = event
    self.notifier = notifier
    self.at = at
    self.failure = failure
  }
}
