import CLabHost
import Glibc
import LaunchCore
import SystemPackage

/// A value of sysfs or procfs that is set, and set back to what it was.
struct ValueChange {
  var path: String
  var before: String
  var after: String

  /// Writes the value and reads it back: some files take any value and keep the nearest.
  func apply(in tree: HostTree) throws(ChangeFailure) {
    let before = HostTree.value(of: before)
    do {
      try set(after, in: tree)
    } catch {
      if let found = tree.value(at: path), found != before { try? set(before, in: tree) }
      throw error
    }
  }

  func undo(in tree: HostTree) throws(ChangeFailure) -> Undoing {
    guard let found = tree.value(at: path) else {
      let reason = Self.reasonForNotReading(tree.path(of: path))
      // A processor was taken out, or a driver was unloaded, and the value went with it.
      if reason == .noSuchFileOrDirectory { return .foreign(found: "no such file") }
      throw ChangeFailure("it cannot be read: \(reason)")
    }
    if found == HostTree.value(of: before) { return .alreadyRestored }
    guard found == HostTree.value(of: after) else { return .foreign(found: found) }
    try set(before, in: tree)
    return .restored
  }

  private func set(_ value: String, in tree: HostTree) throws(ChangeFailure) {
    do throws(Errno) {
      try tree.write(value, to: path)
    } catch {
      throw ChangeFailure("\(error)")
    }
    let found = tree.value(at: path)
    guard found == HostTree.value(of: value) else {
      throw ChangeFailure(
        "\"\(value)\" was written, but it reads \(found.map { "\"\($0)\"" } ?? "as an error")"
      )
    }
  }

  private static func reasonForNotReading(_ path: FilePath) -> Errno {
    do {
      try FileDescriptor.open(path, .readOnly, options: .closeOnExec).close()
      return .ioError
    } catch {
      return (error as? Errno) ?? .ioError
    }
  }
}

/// A swap area that is switched off, and on again with its priority.
struct SwapChange {
  var path: String

  /// As in `/proc/swaps`; a negative one was given by the kernel, and is given by it again.
  var priority: Int

  func apply(in tree: HostTree) throws(ChangeFailure) {
    let file = try file(in: tree)
    let code = unsafe file.withPlatformString { unsafe lab_swap_off($0) }
    guard code == 0 else { throw ChangeFailure("\(Errno(rawValue: -code))") }
  }

  func undo(in tree: HostTree) throws(ChangeFailure) -> Undoing {
    if isOn(in: tree) { return .alreadyRestored }
    let file = try file(in: tree)
    let code = unsafe file.withPlatformString { unsafe lab_swap_on($0, Int32(priority)) }
    switch Errno(rawValue: -code) {
    case _ where code == 0: return .restored
    case .noSuchFileOrDirectory: return .foreign(found: "no such file")
    case let error: throw ChangeFailure("\(error)")
    }
  }

  private func isOn(in tree: HostTree) -> Bool {
    SwapAreas(tree: tree).all.contains { $0.path == "/\(path)" }
  }

  private func file(in tree: HostTree) throws(ChangeFailure) -> FilePath {
    guard tree.isMachine else {
      throw ChangeFailure("the swap areas of a tree of files cannot be switched")
    }
    return tree.path(of: path)
  }
}

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

/// Copies below an `install` directory that have not taken the place of their originals yet.
struct CopiesChange {
  /// Absolute, without links.
  var directory: String

  /// The lab that makes them, as in ``ProcessIdentity``.
  var lab: String

  /// Removes what the lab has left, through no link and no mount, unless it is at work.
  func undo() throws(ChangeFailure) -> Undoing {
    guard let owner = ProcessIdentity(lab) else { throw ChangeFailure("no lab is named") }
    if owner != .current, owner.isAlive {
      throw ChangeFailure("process \(owner.pid) is using it")
    }
    guard PathIdentity.isThere(directory) else { return .alreadyRestored }
    do throws(HostError) {
      let opened = try ConfinedDirectory.trusted(FilePath(directory))
      let count = try Reinstaller.removeCopies(in: opened) { $0 == owner.pid }
      return count > 0 ? .restored : .alreadyRestored
    } catch {
      throw ChangeFailure(error.diagnostics.first?.problem ?? "it cannot be opened")
    }
  }
}
