import SystemPackage

/// A private directory of a run, which is removed with its content.
struct DirectoryChange {
  var path: String

  /// Removes it through no link and no mount, unless a lab other than this one may have it.
  ///
  /// One without the mark of launchlab is somebody's, but for an empty one: its lab was killed before
  /// it could mark it.
  func undo() throws(ChangeFailure) -> Undoing {
    guard DiskUse.status(of: FilePath(path)) != nil else { return .alreadyRestored }
    guard let made = OwnedDirectory.made(at: FilePath(path)), let mark = made.mark else {
      return removeUnmarked() ? .restored : .foreign(found: "a directory without launchlab's mark")
    }
    guard mark.isOwn || mark.isGone else {
      let number = mark.lab.prefix { $0 != "-" }
      throw ChangeFailure(
        mark.isAlive
          ? "process \(number) is using it"
          : "process \(number) of another container may be using it"
      )
    }
    guard made.remove() else { throw ChangeFailure("something in it cannot be removed") }
    return .restored
  }

  /// Removes an empty directory of this user; one that is not named by launchlab stays.
  private func removeUnmarked() -> Bool {
    let isNamed = FilePath(path).lastComponent?.string.hasPrefix(Workspace.prefix) == true
    return isNamed && OwnedDirectory.removeEmpty(FilePath(path))
  }
}
