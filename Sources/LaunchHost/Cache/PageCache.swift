import Glibc
package import LaunchCore
import SystemPackage

/// The page cache of the machine: what it holds of a file, and how it lets go of it.
struct PageCache: Sendable {
  /// The directory that stands for `/` where the kernel's switches are.
  var root: FilePath = "/"

  /// How much of a file is resident.
  struct Residency: Hashable, Sendable {
    var residentPages: Int
    var totalPages: Int

    static let none = Self(residentPages: 0, totalPages: 0)
  }

  /// The size of a page in bytes.
  static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// The bytes that this machine has read from block devices since it started, whoever read them.
  ///
  /// Nil where that is not told. Source: proc_vmstat(5), `pgpgin`, which counts in KiB.
  var machineBytesRead: Int64? {
    let line = HostTree(root: root).text(at: "proc/vmstat")?.split(separator: "\n")
      .first { $0.hasPrefix("pgpgin ") }
    return line?.split(separator: " ").last.flatMap { Int64($0) }.map { $0 << 10 }
  }

  /// How many bytes of a file are mapped at once.
  private static let chunkSize = 256 << 20

  /// Counts the pages of a file that are in the page cache, without bringing any in.
  ///
  /// - Returns: No pages for an empty file, one that is not regular, and one that has vanished.
  ///
  /// Without the rights that ``canVerify(_:)`` asks for, the kernel calls every page resident.
  /// Source: mincore(2), and `can_do_mincore` in the kernel's mm/mincore.c.
  func residency(of path: FilePath) throws(HostError) -> Residency {
    guard let file = try Self.open(path) else { return .none }
    return try Self.residency(of: file)
  }

  /// Reads the residency of several files, in their order, without saying why pages stayed.
  func residency(of files: [WatchedFile]) throws(HostError) -> [FileResidency] {
    var evidence: [FileResidency] = []
    for file in files {
      let residency = try residency(of: file.path)
      evidence.append(
        FileResidency(
          path: file.path.string,
          isOwn: file.isOwn,
          residentPages: residency.residentPages,
          totalPages: residency.totalPages
        )
      )
    }
    return evidence
  }

  /// Drops the pages of a file that nobody maps, after writing what is not on storage yet.
  ///
  /// A file that has vanished, and one that is not regular, is left alone. Waiting for storage
  /// costs milliseconds even where nothing is to be written, so it is done only if pages stay.
  func evict(_ path: FilePath) throws(HostError) {
    guard let file = try Self.open(path) else { return }
    try file.letGoOfPages()
    if try Self.residency(of: file).residentPages == 0 { return }
    try file.check(fdatasync(file.descriptor), "write to storage")
    try file.letGoOfPages()
  }

  /// Drops everything clean from the page cache, and all entries of directories and inodes.
  ///
  /// Source: the kernel's admin-guide/sysctl/vm.rst, `drop_caches`.
  func dropAll() throws(HostError) {
    sync()
    let path = dropCachesPath
    do {
      let file = try FileDescriptor.open(path, .writeOnly, options: .closeOnExec)
      try file.closeAfter { _ = try file.writeAll("3\n".utf8) }
    } catch {
      throw .system(
        operation: "drop the page cache",
        path: path.string,
        errno: (error as? Errno)?.rawValue ?? EIO
      )
    }
  }

  /// Whether `dropAll` may be used.
  var canDropAll: Bool {
    unsafe dropCachesPath.withPlatformString {
      unsafe faccessat(AT_FDCWD, $0, W_OK, AT_EACCESS) == 0
    }
  }

  /// Whether the kernel tells us the truth about the pages of a file.
  ///
  /// It does to the file's owner, to who may write to it, and with `CAP_FOWNER`.
  func canVerify(_ path: FilePath) -> Bool {
    if Self.hasFileOwnerCapability { return true }
    var status = stat()
    return unsafe path.withPlatformString { name in
      if unsafe stat(name, &status) == 0, status.st_uid == geteuid() { return true }
      return unsafe faccessat(AT_FDCWD, name, W_OK, AT_EACCESS) == 0
    }
  }

  // MARK: - Details

  private var dropCachesPath: FilePath { root.appending("proc/sys/vm/drop_caches") }

  /// Bit 3 of the effective set, by capabilities(7).
  private static let hasFileOwnerCapability: Bool = {
    let line = (HostTree().text(at: "proc/self/status") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("CapEff:") }
    let bits = line?.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) }
    return (bits ?? 0) & 1 << 3 != 0
  }()

  private static func open(_ path: FilePath) throws(HostError) -> OpenFile? {
    do throws(HostError) {
      let file = try OpenFile(reading: path)
      guard try file.status().isRegular else { return nil }
      return file
    } catch .system(_, _, ENOENT) {
      return nil
    }
  }

  private static func residency(of file: borrowing OpenFile) throws(HostError) -> Residency {
    let size = Int(try file.status().st_size)
    var residency = Residency.none
    for start in stride(from: 0, to: size, by: chunkSize) {
      let length = min(chunkSize, size - start)
      let pages = (length + pageSize - 1) / pageSize
      residency.totalPages += pages
      residency.residentPages += try residentPages(
        of: file,
        start: start,
        length: length,
        pages: pages
      )
    }
    return residency
  }

  private static func residentPages(
    of file: borrowing OpenFile,
    start: Int,
    length: Int,
    pages: Int
  ) throws(HostError) -> Int {
    let mapping = unsafe mmap(nil, length, PROT_READ, MAP_PRIVATE, file.descriptor, off_t(start))
    guard let mapping = unsafe mapping, unsafe mapping != MAP_FAILED else {
      throw file.failure("map", errno)
    }
    defer { unsafe munmap(mapping, length) }
    var vector = [UInt8](repeating: 0, count: pages)
    try file.check(unsafe mincore(mapping, length, &vector), "read the residency of")
    return vector.reduce(0) { $0 + Int($1 & 1) }
  }
}

/// Asks before the first launch whether this machine can bring about the states of a scenario.
package struct CapabilityCheck: Sendable {
  var pageCache = PageCache()
  var mounts = MountInfo()

  package init() {}

  /// The states that are refused, each with its reason and remedy.
  package func refusals(of states: [LaunchState], for files: [WatchedFile]) -> [HostError] {
    var refusals: [HostError] = []
    if states.contains(.rebootCold), !pageCache.canDropAll {
      let path = pageCache.root.appending("proc/sys/vm/drop_caches").string
      refusals.append(.stateRefused(.rebootCold, .cannotDropCaches(path: path)))
    }
    guard let cold = states.first(where: \.isCold) else { return refusals }
    for file in files where file.isOwn {
      // What cannot be opened cannot be evicted.
      if !Self.mayOpen(file.path) {
        refusals.append(.system(operation: "evict", path: file.path.string, errno: EACCES))
      }
      guard let mount = mounts.mount(holding: file.path), mount.isInMemory else { continue }
      refusals.append(
        .stateRefused(cold, .inMemory(file: file.path.string, fileSystem: mount.type))
      )
    }
    return refusals
  }

  /// Whether a file can be opened for reading, or is not there.
  static func mayOpen(_ path: FilePath) -> Bool {
    do throws(HostError) {
      _ = try OpenFile(reading: path)
    } catch .system(_, _, EACCES) {
      return false
    } catch {
      return true
    }
    return true
  }

  /// Why the states of these files cannot be verified; nil when they can.
  func unverified(_ files: [WatchedFile]) -> String? {
    let hidden = files.filter { $0.isOwn && !pageCache.canVerify($0.path) }
    guard let first = hidden.first else { return nil }
    let others = hidden.count > 1 ? " and \(hidden.count - 1) others" : ""
    return "residency of \(first.path.string)\(others) is visible only to root and the owner"
  }

  /// Whether what is read of the own files comes from block devices of this machine.
  func readsBlocks(of files: [WatchedFile]) -> Bool {
    files.allSatisfy { file in
      guard file.isOwn, let mount = mounts.mount(holding: file.path) else { return true }
      return !mount.isIndirect || mount.type == "overlay"
    }
  }

  /// What a reader must know of the file systems that hold the own files.
  func notes(on files: [WatchedFile]) -> [Diagnostic] {
    let types = Set(
      files.filter(\.isOwn).compactMap { mounts.mount(holding: $0.path) }
        .filter(\.isIndirect).map(\.type)
    )
    return types.sorted().map { type in
      Diagnostic(
        .note,
        id: "indirect-file-system",
        problem: "own files lie on \(type), where a lower layer or a server may keep them cached"
      )
    }
  }
}

/// One file of a target whose pages in the page cache are watched.
package struct WatchedFile: Hashable, Sendable {
  /// Absolute, with symbolic links resolved.
  var path: FilePath

  /// Whether the file is the target's own, and so must not be resident before a cold launch.
  var isOwn: Bool
}
