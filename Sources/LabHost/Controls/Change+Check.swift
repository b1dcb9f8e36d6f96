import SystemPackage

extension Change {
  /// Whether launchlab makes such changes: a damaged journal must not reach anything else.
  var isPossible: Bool {
    do throws(ChangeFailure) {
      try check()
      return true
    } catch {
      return false
    }
  }

  /// - Throws: Why launchlab never makes such a change.
  func check() throws(ChangeFailure) {
    switch self {
    case .value(let path, _, _):
      // Links such as `/proc/1/root` lead everywhere.
      let names = path.split(separator: "/")
      guard names.starts(with: ["proc", "sys"]) || names.starts(with: ["sys"]),
        !names.contains("..")
      else { throw ChangeFailure("it is no file of /proc/sys or /sys") }
    case .cpuset(let path, _, _):
      guard Self.isNamedByLaunchlab(path) else {
        throw ChangeFailure("it is no cpuset of launchlab")
      }
    case .cgroup(let path):
      guard Self.isNamedByLaunchlab(path) else {
        throw ChangeFailure("it is no cgroup of launchlab")
      }
    case .directory(let path):
      // Whether it is one is said by the mark in it alone.
      guard path.hasPrefix("/"), let name = FilePath(path).lastComponent?.string,
        name.hasPrefix(Workspace.prefix) || ProcessIdentity(name) != nil
      else { throw ChangeFailure("it is no private directory of launchlab") }
    case .copies(let directory, let lab):
      guard directory.hasPrefix("/"), !directory.split(separator: "/").contains(".."),
        ProcessIdentity(lab) != nil
      else { throw ChangeFailure("it is no directory that a lab has made copies in") }
    case .unit, .swapArea, .processes: break
    }
  }

  private static func isNamedByLaunchlab(_ path: String) -> Bool {
    let names = path.split(separator: "/")
    return names.last?.hasPrefix("launchlab-") == true && !names.contains("..")
  }
}
