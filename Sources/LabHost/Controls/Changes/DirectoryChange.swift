import Glibc
import SystemPackage

/// A private directory of a run, which is removed with its content.
struct DirectoryChange {
  var path: String

  /// Removes it through no link and no mount, unless a living lab other than this one has it.
  func undo() throws(ChangeFailure) -> Undoing {
    let directory = FilePath(path)
    guard exists else { return .alreadyRestored }
    if let owner = Change.owner(ofDirectory: path), owner != .current, owner.isAlive {
      throw ChangeFailure("process \(owner.pid) is using it")
    }
    Workspace.remove(directory)
    guard !exists else { throw ChangeFailure("something in it cannot be removed") }
    return .restored
  }

  private var exists: Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }
}
