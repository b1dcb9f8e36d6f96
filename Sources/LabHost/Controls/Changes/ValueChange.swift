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
