import CLabHost
import Glibc
import SystemPackage

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

  /// Their numbers in the order of `spawner_protocol.h`, 0 for none.
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
