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
