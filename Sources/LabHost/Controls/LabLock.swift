import Glibc
import SystemPackage

/// The lock that lets one lab at a time use a host, whoever its user is.
///
/// It is held as long as its file is open, so that the kernel takes it back from a lab that is
/// killed: a file that is left is no lock. Source: flock(2).
package struct LabLock: Sendable {
  private let file: FileDescriptor

  /// Takes the lock, without waiting.
  ///
  /// - Parameters:
  ///   - directory: The state directory; a chosen one has the lock in it.
  ///   - command: The command line of launchlab, for whom it keeps out.
  /// - Throws: ``HostError/labBusy(lock:holder:isAlive:)``, or
  ///   ``HostError/system(operation:path:errno:)``.
  package init(in directory: JournalDirectory, command: [String]) throws(HostError) {
    try self.init(at: Self.path(in: directory), command: command)
  }

  init(at path: FilePath, command: [String]) throws(HostError) {
    // A file that is replaced between opening and locking is no common lock any more.
    for _ in 0..<100 {
      let file = try Self.open(path)
      guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
        let failure = errno
        defer { try? file.close() }
        if failure == EINTR { continue }
        guard failure == EWOULDBLOCK else {
          throw .system(operation: "take the lab lock", path: path.string, errno: failure)
        }
        throw Self.busy(path)
      }
      if Self.isSame(file, path) {
        self.file = file
        write(.current(command: command))
        return
      }
      try? file.close()
    }
    throw .system(operation: "take the lab lock", path: path.string, errno: EAGAIN)
  }

  /// Gives the lock back, also where a child that does not execute its program yet has the file.
  package func release() {
    _ = ftruncate(file.rawValue, 0)
    _ = flock(file.rawValue, LOCK_UN)
    try? file.close()
  }

  /// Who has the lock, as far as he has said so and is alive; nobody is kept out by asking.
  package static func holder(in directory: JournalDirectory) -> LabHolder? {
    let path = path(in: directory)
    var status = stat()
    // Reading a pipe that somebody has put there would wait for ever.
    guard unsafe lstat(path.string, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    let holder = LabHolder(json: HostTree().bytes(at: path.string) ?? [])
    return holder.flatMap { $0.isAlive ? $0 : nil }
  }

  // MARK: - The file

  private static func path(in directory: JournalDirectory) -> FilePath {
    directory.isChosen ? directory.path.appending("lock") : commonPath
  }

  /// The same for every user of the host.
  static var commonPath: FilePath {
    var status = stat()
    let isCommon =
      unsafe stat("/run/lock", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_mode & S_IWOTH != 0
    return isCommon ? "/run/lock/launchlab.lock" : "/tmp/launchlab.lock"
  }

  /// Opens the file, and makes it for every user unless it is there.
  ///
  /// It is opened without O_CREAT first: with it the kernel may refuse files of other users in
  /// directories such as /tmp (fs.protected_regular, Linux 4.19).
  private static func open(_ path: FilePath) throws(HostError) -> FileDescriptor {
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
            permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite]
          )
          // The mask of file modes may have kept other users out.
          _ = fchmod(file.rawValue, 0o666)
        }
        if isOwn(file) { return file }
        try file.close()
        failure = .invalidArgument
      } catch {
        failure = (error as? Errno) ?? .ioError
        if failure != .fileExists { break }
      }
    }
    throw .system(operation: "open the lab lock", path: path.string, errno: failure.rawValue)
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
  private func write(_ holder: LabHolder) {
    _ = ftruncate(file.rawValue, 0)
    _ = try? file.writeAll(toAbsoluteOffset: 0, holder.json)
  }

  private static func busy(_ path: FilePath) -> HostError {
    let holder = LabHolder(json: HostTree().bytes(at: path.string) ?? [])
    return .labBusy(lock: path.string, holder: holder, isAlive: holder?.isAlive ?? false)
  }
}
