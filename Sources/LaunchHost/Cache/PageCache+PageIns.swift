import CLabHost
import Glibc
import LaunchCore
import SystemPackage

extension PageCache {
  /// The pages that a launch brought in, by file.
  ///
  /// The kernel's tracepoints name every file, up to the ready instant. Without them the pages of
  /// the watched files are counted again. That is to be done after the launch has ended, so that
  /// pages count that came in after it was ready; faults count up to the ready instant.
  ///
  /// - Parameters:
  ///   - before: The residency that was read last before the launch.
  ///   - result: The launch.
  /// - Returns: The files of which pages came in, and notes.
  /// - Throws: ``HostError/system(operation:path:errno:)`` when a file cannot be read any more.
  func pageIns(
    since before: [FileResidency],
    of result: LaunchResult
  ) throws(HostError) -> PageIns {
    if let faults = result.faults, let reads = faults.reads {
      return PageIns(reads: reads, faults: faults, watched: before, result: result)
    }
    let files = before.map { WatchedFile(path: FilePath($0.path), isOwn: $0.isOwn) }
    let after = try residency(of: files)
    return PageIns(before: before, after: after, result: result)
  }
}

extension PageIns {
  /// Concludes what came in from the kernel's tracepoints.
  ///
  /// - Parameters:
  ///   - reads: What was read of each file.
  ///   - faults: The faults of the launch.
  ///   - watched: The files that are known of the target.
  ///   - result: The launch.
  init(
    reads: [FileReads],
    faults: MajorFaults,
    watched: [FileResidency],
    result: LaunchResult
  ) {
    let names = FileNames(watched.map(\.path))
    let own = Set(watched.filter(\.isOwn).map(\.path))
    let faulted = Self.faultedPages(faults.events)
    var files: [PageIn] = []
    var metadata = MetadataReads()
    for read in reads {
      switch read.path.map(FileNames.Name.file) ?? names.name(of: read.file) {
      case .metadata:
        metadata.pages += read.pages
        metadata.wait = metadata.wait + read.wait
      case .file(let path):
        let count = faults.isComplete ? faulted[path, default: 0] : nil
        files.append(
          PageIn(
            path: path,
            isOwn: own.contains(path),
            pages: read.pages,
            faulted: count,
            readAhead: count.flatMap { $0 <= read.pages ? read.pages - $0 : nil },
            wait: read.wait
          )
        )
      }
    }
    self.init(
      files: files,
      metadata: metadata,
      majorFaults: result.figures.majorFaults,
      notes: faults.notes
    )
  }

  /// Concludes what came in from the residency before and after.
  ///
  /// - Parameters:
  ///   - before: The residency before the launch.
  ///   - after: The residency of the same files, in the same order.
  ///   - result: The launch in between.
  init(before: [FileResidency], after: [FileResidency], result: LaunchResult) {
    let faults = result.faults
    let faulted = faults.map { Self.faultedPages($0.events) } ?? [:]
    // A part of the faults cannot be told from read-ahead.
    let isKnown = faults?.isComplete ?? false
    let files = zip(before, after).compactMap { old, new -> PageIn? in
      let pages = max(0, new.residentPages - old.residentPages)
      let count = isKnown ? faulted[new.path, default: 0] : nil
      guard pages > 0 || count ?? 0 > 0 else { return nil }
      return PageIn(
        path: new.path,
        isOwn: new.isOwn,
        pages: pages,
        faulted: count,
        readAhead: count.flatMap { $0 <= pages ? pages - $0 : nil }
      )
    }
    let sorted = files.sorted { ($1.pages, $0.path) < ($0.pages, $1.path) }
    self.init(files: sorted, majorFaults: result.figures.majorFaults, notes: faults?.notes ?? [])
    addNotes(faults: faults, watched: Set(before.map(\.path)))
  }

  private mutating func addNotes(faults: MajorFaults?, watched: Set<String>) {
    guard let faults else {
      notes.append(
        "faults were not recorded, so faulted pages and read-ahead are not distinguished"
      )
      return
    }
    let others = faults.events.filter { !watched.contains($0.text) }
    let paths = Set(others.map(\.text)).subtracting([""]).sorted()
    if !others.isEmpty {
      let names = paths.isEmpty ? "" : ", such as \(paths.prefix(3).joined(separator: ", "))"
      let count = others.count == 1 ? "1 major fault was" : "\(others.count) major faults were"
      notes.append("\(count) in files whose pages are not counted\(names)")
    }
    if let all = majorFaults, all > Int64(faults.events.count) {
      notes.append(
        "\(all - Int64(faults.events.count)) of \(all) major faults have no record, so that faulted "
          + "pages and read-ahead are not distinguished"
      )
    }
  }

  /// How many pages of each file had a major fault.
  private static func faultedPages(_ events: [LaunchEvent]) -> [String: Int] {
    var pages: [String: Set<UInt64>] = [:]
    for event in events { pages[event.text, default: []].insert(event.address) }
    return pages.mapValues(\.count)
  }
}

/// The paths of files that the kernel's tracepoints name by number only.
struct FileNames {
  enum Name {
    case file(String)

    /// What a file system keeps beside the content of files.
    case metadata
  }

  private var paths: [FileNumber: String] = [:]

  /// The files of file systems without a device, such as overlayfs, whose content has the number of
  /// a file in the layer below, by inode.
  private var layered: [UInt64: String] = [:]

  private let mounts = MountInfo().mounts

  /// - Parameter known: Paths that numbers are looked for among first.
  init(_ known: [String]) {
    for path in known {
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { continue }
      let number = FileNumber(status)
      paths[number] = path
      if number.major == 0 { layered[number.inode] = path }
    }
  }

  /// The path of a file if it is a known one.
  func knownPath(of number: FileNumber) -> String? { paths[number] ?? layered[number.inode] }

  func name(of number: FileNumber) -> Name {
    if let path = knownPath(of: number) { return .file(path) }
    if isMetadata(number) { return .metadata }
    guard let path = path(of: number) else {
      return .file("inode \(number.inode) of device \(number.device)")
    }
    return PathIdentity.isDirectory(FilePath(path)) ? .metadata : .file(path)
  }

  /// Whether the number is that of a whole disk, whose inode is the disk's own number, or of the
  /// tree that btrfs keeps everything in, `BTRFS_BTREE_INODE_OBJECTID`.
  private func isMetadata(_ number: FileNumber) -> Bool {
    guard number.major == 0 else { return false }
    let disk = "\(number.inode >> 20):\(number.inode & 0xF_FFFF)"
    return number.inode == 1 || mounts.contains { $0.number == disk }
  }

  private func path(of number: FileNumber) -> String? {
    // A later one may be below the root of a container or a chroot.
    let mount = mounts.first { $0.number == number.device && $0.root == "/" }
    guard let mount, let root = try? OpenFile(reading: mount.point) else { return nil }
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = unsafe lab_find_inode(root.descriptor, number.inode, &path, UInt(path.count))
    guard length > 0 else { return nil }
    return String(decoding: path.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

extension FileNumber {
  /// The number of a file in stat(2), whose device has 12 bits and more of the major number, and 8
  /// and more of the minor; makedev(3).
  init(device: UInt64, inode: UInt64) {
    self.init(
      major: UInt32(truncatingIfNeeded: device >> 8 & 0xFFF | device >> 32 & ~0xFFF),
      minor: UInt32(truncatingIfNeeded: device & 0xFF | device >> 12 & ~0xFF),
      inode: inode
    )
  }

  init(_ status: stat) {
    self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// Such as `254:0`.
  fileprivate var device: String { "\(major):\(minor)" }
}

/// The tracepoints of the kernel that tell which pages come into the page cache, and for how long
/// threads are blocked on them.
///
/// Their numbers and the places of their fields are the running kernel's own. Source: the kernel's
/// trace/events.rst, and its include/trace/events/filemap.h and sched.h.
package struct PageTracepoints: Hashable, Sendable {
  /// One tracepoint.
  struct Event: Hashable, Sendable {
    /// By which records and perf_event_open(2) name it.
    let number: UInt32

    /// Where each field begins in a record, in bytes.
    private let offsets: [String: Int]

    /// Reads the number and the format of a tracepoint; nil when the kernel does not have it.
    init?(_ name: String, in tree: HostTree) {
      guard let number = tree.text(at: "events/\(name)/id").flatMap(UInt32.init), number > 0,
        let format = tree.text(at: "events/\(name)/format")
      else { return nil }
      self.number = number
      // Such as `field:unsigned long i_ino;	offset:16;	size:8;	signed:0;`
      var offsets: [String: Int] = [:]
      for line in format.split(separator: "\n") {
        let parts = line.split(separator: ";").map(\.trimmed)
        guard parts.count > 1, parts[0].hasPrefix("field:"), parts[1].hasPrefix("offset:"),
          let name = parts[0].split(separator: " ").last
        else { continue }
        offsets[String(name)] = Int(parts[1].dropFirst("offset:".count))
      }
      self.offsets = offsets
    }

    /// Where a field begins in a record; nil when there is no such field.
    func offset(of field: String) -> Int? { offsets[field] }
  }

  /// A page, or several in one piece, came into the page cache.
  let added: Event

  /// A page is wanted by a fault; nil before Linux 6.11.
  let faulted: Event?

  /// Pages are wanted by a system call that reads; nil before Linux 6.11.
  let read: Event?

  /// A thread stopped running.
  let switched: Event

  /// Their numbers in the order of `launch_wire.h`, 0 for none.
  var numbers: [UInt32] {
    [added.number, faulted?.number ?? 0, read?.number ?? 0, switched.number]
  }

  /// Reads what this kernel has; nil where tracepoints cannot be used, as without root.
  static func find() -> Self? {
    let directory = lab_open_tracing()
    guard directory >= 0 else { return nil }
    defer { close(directory) }
    return Self(in: HostTree(root: FilePath("/proc/self/fd/\(directory)")))
  }

  /// Reads them from the directory of the kernel's tracing files.
  init?(in tree: HostTree) {
    guard let added = Event("filemap/mm_filemap_add_to_page_cache", in: tree),
      let switched = Event("sched/sched_switch", in: tree)
    else { return nil }
    self.added = added
    self.switched = switched
    faulted = Event("filemap/mm_filemap_fault", in: tree)
    read = Event("filemap/mm_filemap_get_pages", in: tree)
  }
}
