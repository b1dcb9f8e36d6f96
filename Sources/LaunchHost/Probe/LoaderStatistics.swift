import CLabHost
import Foundation
import Glibc
package import LaunchCore
package import SystemPackage

/// The statistics that the dynamic loader of glibc writes of itself, by `LD_DEBUG=statistics`.
///
/// The loader writes after its own clock has stopped, so its figures are not disturbed. It writes
/// to a file for each process, to which programs that the process executes in turn append. What it
/// changes: the file stays open in the program as its first free descriptor, and the two variables
/// are inherited by what the program starts. A process that cannot reach the file, such as one in
/// a chroot, gets the text on its standard output. Static programs, other C libraries and programs
/// that run with another user's rights write nothing.
///
/// Source: glibc 2.36, `elf/rtld.c` and `elf/dl-misc.c`.
package struct LoaderStatistics: Sendable {
  private var directory: FilePath { owned.path }
  private let owned: OwnedDirectory

  /// The largest number of bytes that is read of one launch.
  private static let textLimit = 4 << 20

  /// The largest number of processes that are read of one launch.
  private static let processLimit = 256

  /// Makes the directory that the loader writes to.
  ///
  /// Others may write to it, since the target may become another user. Its name cannot be guessed,
  /// so that no one else prepares a link there.
  ///
  /// - Parameter parent: A directory that others may pass through, and only launchlab may list.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package init(below parent: FilePath) throws(HostError) {
    let directory = parent.appending("loader-\(UUID().uuidString)")
    owned = try OwnedDirectory.make(directory, permissions: 0o700)
    guard unsafe chmod(directory.string, 0o1733) == 0 else {
      throw .system(operation: "share a directory", path: directory.string, errno: errno)
    }
    letOthersAppend()
  }

  /// Lets a program append to the file of its process that it began as another user.
  ///
  /// Only a default access control list gives new files that mode whatever the target's mask is;
  /// on a file system without such lists the text of that program goes to its standard output.
  /// Source of the format: `linux/posix_acl_xattr.h`.
  private func letOthersAppend() {
    guard let file = try? FileDescriptor.open(directory, .readOnly, options: [.directory]) else {
      return
    }
    defer { try? file.close() }
    let version: [UInt8] = [2, 0, 0, 0]
    let owner: UInt8 = 0x01
    let group: UInt8 = 0x04
    let others: UInt8 = 0x20
    let list = [owner, group, others].reduce(into: version) { list, tag in
      list += [tag, 0, 7, 0, 0xFF, 0xFF, 0xFF, 0xFF]
    }
    _ = unsafe list.withUnsafeBytes { bytes in
      unsafe lab_set_attribute(
        file.rawValue,
        "system.posix_acl_default",
        bytes.baseAddress,
        UInt(bytes.count)
      )
    }
  }

  /// Adds what makes the loader write to the environment of a target.
  ///
  /// - Parameter environment: All of the target's.
  /// - Returns: The same with two variables more.
  /// - Throws: ``HostError/launchRefused(_:)`` when the target has settings of its own for it.
  package func environment(
    addedTo environment: [String: String]
  ) throws(HostError) -> [String: String] {
    let added = [
      "LD_DEBUG": "statistics",
      "LD_DEBUG_OUTPUT": directory.appending("ld").string,
    ]
    for variable in added.keys.sorted() where environment[variable] != nil {
      throw .launchRefused(.variableTaken(variable, collector: .statistics))
    }
    return environment.merging(added) { $1 }
  }

  /// Removes what an earlier launch left, right before another.
  package func reset() {
    for name in names where name != LabMark.fileName.string {
      _ = unsafe unlink(directory.appending(name).string)
    }
  }

  /// Reads what was written during a launch, once its processes have ended.
  ///
  /// - Parameters:
  ///   - trace: The launch.
  ///   - ready: The ready instant; nil when the target did not become ready.
  /// - Returns: The text of the launched process first, then of the others by their numbers, at
  ///   most 4 MiB of at most 256 processes.
  package func observation(of trace: LaunchTrace, ready: Nanoseconds?) -> StageObservation {
    var observation = StageObservation(
      collector: .statistics,
      begin: trace.begin,
      ready: ready,
      process: trace.process,
      readyProcess: trace.readyProcess
    )
    let processes = writers.sorted { left, right in
      (left == trace.process ? 0 : 1, left) < (right == trace.process ? 0 : 1, right)
    }
    for process in processes.prefix(Self.processLimit) {
      let room = Self.textLimit - observation.loaderText.count
      observation.loaderText += read(process, limit: room)
    }
    if observation.loaderText.isEmpty {
      observation.notes.append(
        "the loader wrote no statistics: the program is static, is not of glibc, or runs with"
          + " another user's rights"
      )
    } else if !processes.contains(trace.process) {
      observation.notes.append("the loader wrote statistics of child processes only")
    }
    if processes.count > Self.processLimit || observation.loaderText.count >= Self.textLimit {
      observation.notes.append("the loader's statistics of some processes were left out")
    }
    return observation
  }

  /// Removes the directory with all that is in it.
  package func remove() { owned.remove() }

  private var names: [String] { HostTree(root: directory).names(in: ".") }

  /// The processes that wrote; anything else in the directory is none of ours.
  private var writers: [Int32] {
    names.compactMap { $0.hasPrefix("ld.") ? Int32($0.dropFirst(3)) : nil }
  }

  /// Reads the file of a process, unless something else has taken its place.
  private func read(_ process: Int32, limit: Int) -> [UInt8] {
    let path = directory.appending("ld.\(process)")
    let options: FileDescriptor.OpenOptions = [.closeOnExec, .noFollow, .nonBlocking]
    guard let file = try? FileDescriptor.open(path, .readOnly, options: options) else { return [] }
    defer { try? file.close() }
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return []
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 32 << 10)
    while bytes.count < limit {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe try? file.read(into: $0) }
      guard let count, count > 0 else { break }
      bytes += chunk.prefix(min(count, limit - bytes.count))
    }
    return bytes
  }
}

extension GlibcVersion {
  /// Reads the version of a loader from its file, without running it.
  ///
  /// From 2.33 on the loader holds the banner of its version. The file of an older one bears the
  /// version in its name, such as `ld-2.31.so`; else the banner of the `libc.so.6` beside it tells.
  ///
  /// It is nil for another C library, and for a file that cannot be read.
  ///
  /// - Parameter loader: The loader that a program asks for, absolute.
  package init?(loader: FilePath) {
    guard let target = Self.resolved(loader) else { return nil }
    let beside = target.removingLastComponent().appending("libc.so.6")
    let isOfGNU = target.lastComponent?.string.hasPrefix("ld-musl") == false
    guard isOfGNU,
      let version = Self(fileAt: target) ?? Self(fileName: target.lastComponent?.string ?? "")
        ?? Self(fileAt: beside)
    else { return nil }
    self = version
  }

  /// Finds a banner, such as `GNU C Library (GNU libc) stable release version 2.31`, in a file.
  init?(banner bytes: some Sequence<UInt8>) {
    let data = Data(bytes)
    guard let range = data.range(of: Data(" release version ".utf8)) else { return nil }
    self.init(beginning: String(decoding: data[range.upperBound...].prefix(16), as: UTF8.self))
  }

  /// Reads the name of a loader's file, such as `ld-2.31.so`.
  init?(fileName: String) {
    guard fileName.hasPrefix("ld-"), fileName.hasSuffix(".so") else { return nil }
    self.init(beginning: String(fileName.dropFirst(3)))
  }

  private init?(fileAt path: FilePath) {
    guard let bytes = HostTree().bytes(at: path.string) else { return nil }
    self.init(banner: bytes)
  }

  private static func resolved(_ path: FilePath) -> FilePath? {
    let resolved = URL(filePath: path.string).resolvingSymlinksInPath().path
    return FileManager.default.isReadableFile(atPath: resolved) ? FilePath(resolved) : nil
  }
}
