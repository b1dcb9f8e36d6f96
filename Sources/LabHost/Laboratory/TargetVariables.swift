import Foundation
import LabModel
import SystemPackage

/// The environment that a target is launched in.
struct TargetVariables {
  let policy: TargetEnvironment

  /// By which `restore` finds what was launched; nil where a cgroup holds it.
  let mark: String?

  /// The directory for temporary files of each launch; nil leaves the variable alone.
  var temporary: FilePath?

  /// The values that the scenario does not hold itself.
  var secrets = SecretValues.none

  /// Where programs are looked up in a pinned environment; that of Debian's login shells of root.
  static let pinnedPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  /// The variables of a target, with those that the scenario adds.
  ///
  /// The XDG directories follow a private HOME, because a cache elsewhere would survive its reset.
  func variables(of target: Target, home: FilePath?) -> [String: String] {
    var variables = base
    variables["PWD"] = target.directory
    if let home {
      for name in ["CACHE", "CONFIG", "DATA", "STATE"] { variables["XDG_\(name)_HOME"] = nil }
      variables["HOME"] = home.string
    }
    variables[MarkedProcesses.variable] = mark
    if let temporary { variables["TMPDIR"] = temporary.string }
    return variables.merging(target.environment) { $1 }
      .merging(secrets.variables(of: target)) { $1 }
  }

  private var base: [String: String] {
    switch policy {
    case .pinned:
      return ["PATH": Self.pinnedPath, "HOME": "/", "LANG": "C.UTF-8", "TZ": "UTC"]
    case .inherited:
      var variables = ProcessInfo.processInfo.environment
      // What launchlab was told by what has started it is not meant for the target.
      for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LAUNCHLAB_EVENTS"] {
        variables[name] = nil
      }
      variables["LD_AUDIT"] = StageProbe.removed(from: variables["LD_AUDIT"])
      variables["GLIBC_TUNABLES"] = StageProbe.removedTunable(from: variables["GLIBC_TUNABLES"])
      return variables
    }
  }
}
