import Glibc
package import LaunchCore
import SystemPackage

/// The lock that lets one lab at a time use a host, whoever its user is.
///
/// It is held as long as its file is open, so that the kernel takes it back from a lab that is
/// killed: a file that is left is no lock. Source: flock(2).
///
/// Labs of all users share one file, which anybody may hold. Root has a file of its own as well, in
/// its private directory, so that nobody else can keep root's labs from running.
package struct LabLock: Sendable {
  /// What a person should know of a common lock that root could not take, and did without.
  package let notes: [Diagnostic]

  private let files: [FileDescriptor]

  /// Where the locks of a user are.
  struct Places {
    /// In a private directory: nobody else can hold it, so that it has to be had.
    var own: FilePath?

    /// The same for every user of the host; beside one of one's own, it is taken if that can be.
    var common: FilePath?

    init(own: FilePath? = nil, common: FilePath? = nil) {
      self.own = own
      self.common = common
    }

    /// Those of this user; a state directory that was chosen has the only lock in it.
    init(in directory: JournalDirectory) {
      let isPrivate = directory.isChosen || geteuid() == 0
      own = isPrivate ? directory.path.appending("lock") : nil
      common = directory.isChosen ? nil : LabLock.commonPath
    }

    var all: [FilePath] { [own, common].compactMap(\.self) }
  }

  /// Takes the lock, without waiting.
  ///
  /// - Parameters:
  ///   - directory: The state directory; a chosen one has the lock in it.
  ///   - command: The command line of launchlab, for whom it keeps out.
  /// - Throws: ``HostError/labBusy(lock:owner:waited:)``, ``HostError/lockUnusable(path:reason:)``,
  ///   or ``HostError/system(operation:path:errno:)``.
  package init(in directory: JournalDirectory, command: [String]) throws(HostError) {
    try self.init(at: Places(in: directory), command: command)
  }

  init(at places: Places, command: [String]) throws(HostError) {
    var files: [FileDescriptor] = []
    var notes: [Diagnostic] = []
    if let own = places.own { files.append(try Self.take(own, mode: 0o600)) }
    if let common = places.common {
      do throws(HostError) {
        files.append(try Self.take(common, mode: 0o666))
      } catch {
        guard places.own != nil, let note = Self.note(on: error, of: common) else {
          files.forEach(Self.release)
          throw error
        }
        notes.append(note)
      }
    }
    self.files = files
    self.notes = notes
    let holder = LabHolder.current(command: command)
    for file in files { Self.write(holder, to: file) }
  }

  /// Gives the lock back, also where a child that does not execute its program yet has the file.
  package func release() { files.forEach(Self.release) }

  /// Who has the lock, as far as the kernel tells; nobody is kept out by asking.
  package static func holder(in directory: JournalDirectory) -> LabHolder? {
    for path in Places(in: directory).all {
      if case .process(let holder, _, _) = LabLockOwner.holding(path) { return holder }
    }
    return nil
  }

  /// Why root goes on without the common lock; nil when a lab has it, for whom root waits as well.
  private static func note(on error: HostError, of path: FilePath) -> Diagnostic? {
    if case .labBusy(_, .process(_, _, isTrusted: true), _) = error { return nil }
    let reason = error.diagnostics.first?.problem ?? "it cannot be taken"
    return Diagnostic(
      .warning,
      id: "lab-lock-ignored",
      problem: "the lab lock that all users share is not taken, so that their labs may disturb "
        + "this one: \(reason)",
      place: path.string,
      remedy: "find out who made or holds that file, and remove it with `rm -r \(path)`"
    )
  }

  // MARK: - One file

  /// The same for every user of the host.
  static var commonPath: FilePath {
    var status = stat()
    let isCommon =
      unsafe stat("/run/lock", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_mode & S_IWOTH != 0
    return isCommon ? "/run/lock/launchlab.lock" : "/tmp/launchlab.lock"
  }

  private static func take(_ path: FilePath, mode: mode_t) throws(HostError) -> FileDescriptor {
    var owner = LabLockOwner.unseen(claim: nil)
    // A file that is replaced between opening and locking is no common lock any more, and a holder
    // that nobody sees may have let go just now.
    for round in 0..<100 {
      let waited = LabQueue.withdraw(path)
      let file = if let waited { waited } else { try open(path, mode: mode) }
      if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 {
        if isSame(file, path) { return file }
        try? file.close()
        continue
      }
      let failure = errno
      try? file.close()
      if failure == EINTR { continue }
      guard failure == EWOULDBLOCK else {
        throw .system(operation: "take the lab lock", path: path.string, errno: failure)
      }
      owner = LabLockOwner.holding(path) ?? .unseen(claim: LabHolder(at: path))
      if case .unseen = owner, round < 3 { continue }
      throw .labBusy(lock: path.string, owner: owner)
    }
    throw .labBusy(lock: path.string, owner: owner)
  }

  private static func release(_ file: FileDescriptor) {
    _ = ftruncate(file.rawValue, 0)
    _ = flock(file.rawValue, LOCK_UN)
    try? file.close()
  }

  /// Opens the file, and makes it unless it is there; one of this user gets the mode in any case.
  ///
  /// It is opened without O_CREAT first: with it the kernel may refuse files of other users in
  /// directories such as /tmp (fs.protected_regular, Linux 4.19).
  static func open(_ path: FilePath, mode: mode_t) throws(HostError) -> FileDescriptor {
    let options: FileDescriptor.OpenOptions = [.noFollow, .closeOnExec, .nonBlocking]
    var failure = Errno.noSuchFileOrDirectory
    for _ in 0..<10 {
      do {
        let file: FileDescriptor
        do {
          file = try FileDescriptor.open(path, .readWrite, options: options)
        } catch Errno.permissionDenied {
          // It may be locked all the same, only not signed.
          file = try FileDescriptor.open(path, .readOnly, options: options)
        } catch Errno.noSuchFileOrDirectory {
          file = try FileDescriptor.open(
            path,
            .readWrite,
            options: options.union([.create, .exclusiveCreate]),
            permissions: .ownerReadWrite
          )
        }
        if isOwn(file) {
          _ = fchmod(file.rawValue, mode)
          return file
        }
        try file.close()
        failure = .invalidArgument
      } catch {
        failure = (error as? Errno) ?? .ioError
        if failure != .fileExists { break }
      }
    }
    throw .lockUnusable(path: path.string, reason: oddity(of: path) ?? failure.description)
  }

  /// What makes a file no lock, as a sentence without a full stop; nil when it looks like one.
  private static func oddity(of path: FilePath) -> String? {
    var status = stat()
    guard unsafe lstat(path.string, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFLNK: return "it is a symbolic link"
    case S_IFDIR: return "it is a directory"
    case S_IFREG where status.st_nlink > 1: return "it is the file of \(status.st_nlink) names"
    case S_IFREG: return nil
    default: return "it is not a regular file"
    }
  }

  /// Whether it is a regular file of this one name: what is written to it must not reach a file
  /// that another user has linked here.
  private static func isOwn(_ file: FileDescriptor) -> Bool {
    var status = stat()
    return unsafe fstat(file.rawValue, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_nlink == 1
  }

  private static func isSame(_ file: FileDescriptor, _ path: FilePath) -> Bool {
    var own = stat()
    var other = stat()
    guard unsafe fstat(file.rawValue, &own) == 0, unsafe lstat(path.string, &other) == 0 else {
      return false
    }
    return own.st_ino == other.st_ino && own.st_dev == other.st_dev
  }

  /// Says whose it is; only for people, so that it may fail.
  private static func write(_ holder: LabHolder, to file: FileDescriptor) {
    _ = ftruncate(file.rawValue, 0)
    _ = try? file.writeAll(toAbsoluteOffset: 0, holder.json)
  }
}
