import Glibc
import SystemPackage

/// A private directory of a run, which is removed with its content.
struct DirectoryChange {
  var path: String

  /// Removes it through no link and no mount, unless a living lab other than this one has it.
  func undo() throws(ChangeFailure) -> Undoing {
    let directory = FilePath(path)
    guard exists else { return .alreadyRestored }
    guard directory.isAbsolute, let owner = owner(of: directory) else {
      throw ChangeFailure("it is no private directory of launchlab")
    }
    guard owner == .current || !owner.isAlive else {
      throw ChangeFailure("process \(owner.pid) is using it")
    }
    Workspace.remove(directory)
    guard !exists else { throw ChangeFailure("something in it cannot be removed") }
    return .restored
  }

  /// The lab whose identity is the directory's name, behind `launchlab-` or alone.
  private func owner(of directory: FilePath) -> ProcessIdentity? {
    guard let name = directory.lastComponent?.string else { return nil }
    let prefix = Workspace.prefix
    return ProcessIdentity(name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : name[...])
  }

  private var exists: Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }
}
