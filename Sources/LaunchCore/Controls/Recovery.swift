/// What was left over of labs that were killed, and what became of it.
package struct Recovery: Hashable, Codable, Sendable {
  /// In the order in which they were undone.
  package var changes: [UndoneChange]

  /// What else a person should know.
  package var notes: [Diagnostic]

  package init(_ changes: [UndoneChange] = [], notes: [Diagnostic] = []) {
    self.changes = changes
    self.notes = notes
  }

  /// 128 when something could not be undone, else 0.
  package var exitCode: LabExitCode {
    changes.contains { $0.status == .failed } ? .couldNotMeasure : .done
  }

  /// A warning for each value that somebody else changed, an error for each change that stays, and
  /// what else there is to know.
  package var diagnostics: [Diagnostic] { changes.compactMap(\.diagnostic) + notes }
}

extension UndoneChange {
  /// What a person should know of it; nil when nothing is amiss.
  package var diagnostic: Diagnostic? {
    switch status {
    case .restored, .unchanged, .expired: nil
    case .foreign where kind == .directory:
      Diagnostic(
        .warning,
        id: "foreign-directory",
        problem: "\(place) is in the journal of a run, but is \(found ?? ""), and stays",
        remedy: remedy.map { "look into it with `\($0)`, and remove it if nobody needs it" }
      )
    case .foreign:
      Diagnostic(
        .warning,
        id: "foreign-change",
        problem: "\(place) was changed by somebody else to \"\(found ?? "")\", and stays so"
          + (before.map { "; before the run it was \"\($0)\"" } ?? ""),
        remedy: remedy.map { "if that is not meant, restore it with `\($0)`" }
      )
    case .failed where kind == .journal:
      Diagnostic(
        .error,
        id: "journal-untrusted",
        problem: "this journal of changes is not read, since somebody else can have written it: "
          + (reason ?? "it is not your own"),
        place: place,
        remedy: (remedy.map {
          "see what it says; if it is of a lab of yours, make it trusted with `\($0)`, and run "
            + "`launchlab restore`; else "
        } ?? "") + "remove it with `rm \(place)`"
      )
    case .failed:
      Diagnostic(
        .error,
        id: "not-restored",
        problem: "cannot restore \(place): \(reason ?? "unknown error")",
        remedy: remedy.map {
          "restore it with `\($0)`, then run `launchlab restore` to clear the journal"
        }
      )
    }
  }
}

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
