import CLabHost
import Glibc
import LaunchCore
import SystemPackage

/// Makes the regular files below an `install` directory anew, as an installation would.
///
/// Each file is copied, written to storage and renamed over its original, so that it has a new
/// inode with nothing in the page cache. Mode, owner, times and extended attributes are kept.
/// Symbolic links and special files are left as they are. Links and mounts are never followed.
struct Reinstaller: Sendable {
  let directory: DeclaredDirectory

  /// What one reinstallation did.
  struct Result: Hashable, Sendable {
    var files = 0
    var bytes: Int64 = 0
    var duration = Nanoseconds.zero
  }

  /// How deep directories may be nested, each of them being open at once.
  static let depthLimit = 128

  /// Names what keeps the directory from being reinstalled; empty when nothing does.
  ///
  /// Nothing is changed. At most 20 are named.
  func check(amid surroundings: Surroundings) -> [HostError] {
    if let refusal = directory.refusal(amid: surroundings) { return [directory.refused(refusal)] }
    do throws(HostError) {
      var refusals: [DirectoryRefusal] = []
      try Self.check(directory.open(), depth: 1, into: &refusals)
      return refusals.prefix(20).map { directory.refused($0) }
    } catch {
      return [error]
    }
  }

  /// Removes the copies that runs which have ended left without a journal.
  func removeLeftovers() throws(HostError) {
    try Self.removeCopies(in: directory.open()) { pid in
      pid == getpid() || kill(pid_t(pid), 0) != 0 && errno == ESRCH
    }
  }

  /// Removes copies that have not taken the place of their originals.
  ///
  /// - Parameters:
  ///   - directory: An `install` directory.
  ///   - isGone: Whether the process of an id makes no copies any more.
  /// - Returns: How many there were.
  /// - Throws: When one cannot be removed, or something is mounted below.
  @discardableResult
  static func removeCopies(
    in directory: borrowing ConfinedDirectory,
    ofProcess isGone: (Int) -> Bool
  ) throws(HostError) -> Int {
    try removeCopies(in: directory, depth: 1, ofProcess: isGone)
  }

  /// What the names of copies begin with.
  static let prefix = ".launchlab-"

  /// Makes all files anew.
  ///
  /// - Parameter interrupt: Ends it between two files.
  /// - Returns: What was made anew, and how long it took.
  /// - Throws: When a file cannot be made anew; its original is untouched then. And
  ///   ``HostError/interrupted``.
  func reinstall(interrupt: InterruptFlag? = nil) throws(HostError) -> Result {
    let clock = ContinuousClock()
    let start = clock.now
    var result = Result()
    try Self.reinstall(directory.open(), depth: 1, interrupt, into: &result)
    let (seconds, attoseconds) = start.duration(to: clock.now).components
    result.duration = Nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    return result
  }

  // MARK: - Below one directory

  private static func check(
    _ directory: borrowing ConfinedDirectory,
    depth: Int,
    into refusals: inout [DirectoryRefusal]
  ) throws(HostError) {
    if !directory.isWritable { refusals.append(.notWritable(directory.path.string)) }
    for name in try directory.names() {
      let place = directory.path.appending(name).string
      do throws(HostError) {
        guard let status = try directory.status(of: name) else { continue }
        if status.isDirectory, depth >= depthLimit {
          refusals.append(.tooDeep(place, limit: depthLimit))
        } else if status.isDirectory {
          try check(directory.directory(name), depth: depth + 1, into: &refusals)
        } else if status.isRegular, owner(ofCopy: name, status) == nil {
          let file = try directory.open(name, O_RDONLY)
          let isForeign = geteuid() != 0 && status.st_uid != geteuid()
          if isForeign { refusals.append(.foreignOwner(file: place)) }
          if status.st_nlink > 1 { refusals.append(.hardLinked(file: place)) }
          if lab_is_locked(file.descriptor) == 1 { refusals.append(.locked(file: place)) }
        }
      } catch .system(_, _, EXDEV) {
        refusals.append(.mountBelow(place))
      }
    }
  }

  private static func removeCopies(
    in directory: borrowing ConfinedDirectory,
    depth: Int,
    ofProcess isGone: (Int) -> Bool
  ) throws(HostError) -> Int {
    var count = 0
    for name in try directory.names() {
      guard let status = try directory.status(of: name) else { continue }
      if let owner = owner(ofCopy: name, status), isGone(owner) {
        try directory.remove(name)
        count += 1
      } else if status.isDirectory, depth < depthLimit {
        let inner = try directory.directory(name)
        count += try removeCopies(in: inner, depth: depth + 1, ofProcess: isGone)
      }
    }
    return count
  }

  private static func reinstall(
    _ directory: borrowing ConfinedDirectory,
    depth: Int,
    _ interrupt: InterruptFlag?,
    into result: inout Result
  ) throws(HostError) {
    let before = try directory.status()
    var isChanged = false
    for name in try directory.names() {
      guard let status = try directory.status(of: name) else { continue }
      if status.isDirectory {
        let place = directory.path.appending(name).string
        guard depth < depthLimit else {
          throw .system(operation: "reinstall so deep a directory", path: place, errno: ELOOP)
        }
        try reinstall(directory.directory(name), depth: depth + 1, interrupt, into: &result)
      } else if status.isRegular, owner(ofCopy: name, status) == nil {
        if interrupt?.heedIfSet() == true { throw .interrupted }
        result.bytes += try reinstall(name, in: directory)
        result.files += 1
        isChanged = true
      }
    }
    guard isChanged else { return }
    try directory.setTimes(of: before)
    try directory.synchronize()
  }

  private static func reinstall(
    _ name: FilePath.Component,
    in directory: borrowing ConfinedDirectory
  ) throws(HostError) -> Int64 {
    let original = try directory.open(name, O_RDONLY)
    let status = try original.status()
    guard status.isRegular, status.st_nlink == 1 else {
      throw directory.failure("reinstall the linked file", name, EMLINK)
    }
    let temporary = temporaryName(for: status)
    let copy = try directory.makeFile(temporary)
    do throws(HostError) {
      let bytes = try copy.append(contentOf: original)
      try copy.takeMetadata(of: original, owner: .required)
      try copy.synchronize()
      guard let now = try directory.status(of: name), now.st_ino == status.st_ino else {
        throw directory.failure("reinstall a file that is being replaced", name, EBUSY)
      }
      try directory.rename(temporary, over: name)
      return bytes
    } catch {
      try? directory.remove(temporary)
      throw error
    }
  }

  // MARK: - Names of copies

  private static func temporaryName(for status: stat) -> FilePath.Component {
    FilePath.Component("\(prefix)\(getpid())-\(status.st_ino).tmp") ?? ".launchlab-0-0.tmp"
  }

  /// The process whose copy an entry is, by its name `.launchlab-<pid>-<inode>.tmp`; nil for
  /// everything else.
  private static func owner(ofCopy name: FilePath.Component, _ status: stat) -> Int? {
    let text = name.string
    guard status.isRegular, status.st_nlink == 1, text.hasPrefix(prefix), text.hasSuffix(".tmp")
    else { return nil }
    let numbers = text.dropFirst(prefix.count).dropLast(4).split(separator: "-")
    guard numbers.count == 2, UInt64(numbers[1]) != nil, let pid = Int32(numbers[0]), pid > 0 else {
      return nil
    }
    return Int(pid)
  }
}
