/// What became of one control in a run.
package struct ControlReceipt: Hashable, Codable, Sendable {
  package var name: String
  package var wanted: String?
  package var before: String?
  package var after: String?
  package var status: Status

  /// Why the control did not do what was wanted; nil when it did.
  package var reason: String?

  package init(
    name: String,
    wanted: String? = nil,
    before: String? = nil,
    after: String? = nil,
    status: Status,
    reason: String? = nil
  ) {
    self.name = name
    self.wanted = wanted
    self.before = before
    self.after = after
    self.status = status
    self.reason = reason
  }

  /// What became of a control.
  package enum Status: String, Codable, Sendable {
    case applied

    /// It was only read and is reported.
    case observed
    case failed
    case unavailable
  }
}
