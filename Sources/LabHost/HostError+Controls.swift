import Foundation
import LabModel
import SystemPackage

extension HostError {
  /// Somebody else's lab is at work.
  static func busyDiagnostic(lock: String, holder: LabHolder?, isAlive: Bool) -> Diagnostic {
    guard let holder else {
      return Diagnostic(
        .error,
        id: "lab-busy",
        problem: "another launchlab is measuring on this host; it has not said who it is",
        place: lock,
        remedy: "find it with `fuser -v \(lock)`, and wait until it has ended"
      )
    }
    // Anybody may write to the lock's file: a line feed must not begin a line of advice.
    let command = holder.command.joined(separator: " ").replacing("\n", with: "\\n")
    let user = holder.user.replacing("\n", with: "\\n")
    let since = holder.startedAt.formatted(.iso8601)
    guard isAlive else {
      return Diagnostic(
        .error,
        id: "lab-busy",
        problem: "the lab lock is held in the name of process \(holder.pid) of \(user), "
          + "\"\(command)\" since \(since), which is not seen from here: it has ended and left "
          + "the lock to another process, or it runs in another container",
        place: lock,
        remedy: "find who holds it with `fuser -v \(lock)`, and wait until it has ended"
      )
    }
    return Diagnostic(
      .error,
      id: "lab-busy",
      problem: "another launchlab is measuring on this host, and two would disturb each other: "
        + "process \(holder.pid) of \(user), \"\(command)\" since \(since)",
      place: lock,
      remedy: "wait until it has ended, or end it with `kill \(holder.pid)`"
    )
  }

  /// Each control that was required and cannot be had, in the order of controls.
  static func refusedDiagnostics(_ reasons: [ControlName: String]) -> [Diagnostic] {
    ControlName.allCases.compactMap { name in
      reasons[name].map { reason in
        Diagnostic(
          .error,
          id: "control-refused",
          problem: "control \"\(name.rawValue)\" is required, but \(reason)",
          remedy: "mend that, or take \"\(name.rawValue)\" out of the required controls; "
            + "`launchlab doctor` says what this host can do"
        )
      }
    }
  }

  static func changeDiagnostic(_ change: Change, reason: String) -> Diagnostic {
    Diagnostic(
      .error,
      id: "change-failed",
      problem: "cannot \(change.action): \(reason)",
      place: change.place
    )
  }

  static func journalDiagnostic(operation: String, path: String, errno: Int32) -> Diagnostic {
    Diagnostic(
      .error,
      id: "journal",
      problem: "cannot \(operation) the journal of changes: \(Errno(rawValue: errno)); "
        + "nothing is changed that is not in it",
      place: path,
      remedy:
        "make room on its file system, or name another directory in \(JournalDirectory.variable)"
    )
  }
}
