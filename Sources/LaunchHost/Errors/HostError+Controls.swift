import Foundation
import Glibc
import LaunchCore
import SystemPackage

extension HostError {
  /// Somebody else's lab is at work.
  ///
  /// To end a process is advised only where the kernel says that it holds the lock, and that it is
  /// called launchlab: anybody may write to the lock's file.
  static func busyDiagnostic(lock: String, owner: LabLockOwner, waited: String?) -> Diagnostic {
    let find = "find who has it open with `fuser -v \(lock)`, and wait until it has ended"
    let (problem, remedy) =
      switch owner {
      case .process(let holder, isLab: true, _):
        (
          "another launchlab is measuring on this host: "
            + holder.sentence,
          "wait for it with `--wait 30m`, or stop it with `kill \(holder.pid)`"
        )
      case .process(let holder, isLab: false, _):
        (
          "the lab lock is held by a process other than launchlab: \(holder.sentence)",
          "find out what it is, and wait until it has ended"
        )
      case .inherited(let pid):
        (
          "the lab lock is held, but process \(pid) that took it has ended and left it to another",
          find
        )
      case .unseen(let claim):
        (
          "the lab lock is held by a process that is not seen from here, such as one of another "
            + "container (pid namespace)"
            + (claim.map { "; its file names \($0.sentence), which cannot be verified" } ?? ""),
          "look for it outside of this container, and wait until it has ended"
        )
      }
    return Diagnostic(
      .error,
      id: "lab-busy",
      problem: problem + (waited.map { "; gave up after \($0)" } ?? ""),
      place: lock,
      remedy: remedy
    )
  }

  /// Somebody has put something in the way.
  static func lockDiagnostic(path: String, reason: String) -> Diagnostic {
    let other = "name a directory of your own in \(JournalDirectory.variable)"
    return Diagnostic(
      .error,
      id: "lab-lock",
      problem: "the lab lock cannot be used: \(reason)",
      place: path,
      remedy: geteuid() == 0
        ? "find out who made it, and remove it with `rm -r \(path)`, or \(other)"
        : "ask root to remove it with `rm -r \(path)`, or \(other), where labs of others are not "
          + "kept out"
    )
  }

  /// Root would do whatever others wrote there.
  static func directoryDiagnostic(path: String, reason: String) -> Diagnostic {
    Diagnostic(
      .error,
      id: "journal-directory",
      problem: "the directory of the journal of changes has to be your own: \(reason)",
      place: path,
      remedy: "see what is in it, then make it your own with `chown \(geteuid()) \(path)` and "
        + "`chmod 700 \(path)`, or name another directory in \(JournalDirectory.variable)"
    )
  }

  /// The spawner cannot be kept alive.
  static func lossDiagnostic(status: String, times: Int) -> Diagnostic {
    let count = times == 1 ? "" : "; that is \(times) times in a row without a launch in between"
    return Diagnostic(
      .error,
      id: "spawner-lost",
      problem: "the spawner ended with \(status) during a launch"
        + count,
      remedy: "find out what ended it, with `dmesg | tail` for the kernel's out-of-memory killer, "
        + "then go on with `--resume last` where a scenario is run or bisected"
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
          remedy: "fix that, or take \"\(name.rawValue)\" out of the required controls; "
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
