/// What became of one machine change that was to be undone.
package struct UndoneChange: Hashable, Codable, Sendable {
  /// The control that made the change; nil for what every run makes, such as its cgroup.
  package var control: ControlName?

  package var kind: Kind

  /// What was changed, such as `/proc/sys/vm/swappiness` or `cron.service`.
  package var place: String

  /// The value before the change, where there is one.
  package var before: String?

  /// What was found there by somebody else's hand; nil unless the status is `foreign`.
  package var found: String?

  package var status: Status

  /// Why it failed, as a sentence without a full stop; nil otherwise.
  package var reason: String?

  /// The command that undoes it by hand.
  package var remedy: String?

  /// The lab that made the change, such as `launchlab run redis.yml (pid 4711)`; nil when it is
  /// this one, or unknown.
  package var lab: String?

  package init(
    control: ControlName? = nil,
    kind: Kind,
    place: String,
    before: String? = nil,
    found: String? = nil,
    status: Status,
    reason: String? = nil,
    remedy: String? = nil,
    lab: String? = nil
  ) {
    self.control = control
    self.kind = kind
    self.place = place
    self.before = before
    self.found = found
    self.status = status
    self.reason = reason
    self.remedy = remedy
    self.lab = lab
  }

  /// What was changed; the raw value is the name used in JSON.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    case value
    case unit
    case swapArea = "swap_area"
    case cpuset
    case cgroup
    case processes
    case directory
    case copies

    /// A whole journal that somebody else can have written, so that it is not read.
    case journal

    /// An entry of a journal that this version cannot read.
    case unknown
  }

  /// How the undoing ended; the raw value is the name used in JSON.
  package enum Status: String, Codable, CaseIterable, Sendable {
    case restored

    /// The machine was as before already.
    case unchanged

    /// Somebody else changed it meanwhile; it is left as it was found.
    case foreign

    /// The change ended with an earlier boot of the machine.
    case expired
    case failed
  }
}
