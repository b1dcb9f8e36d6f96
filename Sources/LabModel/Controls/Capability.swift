/// What a host can do of something that launchlab needs, as `doctor` finds it.
package struct Capability: Hashable, Codable, Sendable {
  /// A stable name in kebab case, such as `drop-caches`, by which it can be suppressed.
  package var id: String

  /// What it is, for people, such as `dropping the page cache`.
  package var title: String

  package var status: Status

  /// What was found, as a sentence without a full stop.
  package var finding: String

  /// The command or the change that mends it; nil when it is fine, or nothing can be done.
  package var remedy: String?

  package init(
    id: String,
    title: String,
    status: Status,
    finding: String,
    remedy: String? = nil
  ) {
    self.id = id
    self.title = title
    self.status = status
    self.finding = finding
    self.remedy = remedy
  }

  /// How good it is.
  package enum Status: String, Codable, CaseIterable, Sendable {
    case ok
    case degraded
    case missing
  }
}
