import Glibc
import LabModel
import SystemPackage

/// The records of major faults in a result of the spawner.
struct SpawnerFaults {
  private let size: UInt32
  private let error: Int32
  private let flags: UInt32
  private let tracepointError: Int32
  private var records = FaultRecords([])

  /// Reads the fields of the header.
  init(_ reader: inout MessageReader) {
    size = reader.next()
    error = reader.next()
    flags = reader.next()
    tracepointError = reader.next()
  }

  /// Reads the records themselves, which come after the kept output.
  ///
  /// - Parameters:
  ///   - reader: Where they begin.
  ///   - tracepoints: Those that were asked for.
  mutating func readRecords(
    _ reader: inout MessageReader,
    tracepoints: PageTracepoints? = nil
  ) {
    records = FaultRecords(
      reader.bytes(Int(size)),
      isCut: flags & 2 != 0,
      tracepoints: tracepointError == 0 ? tracepoints : nil
    )
  }

  /// The faults up to the ready instant, which are all if there are as many as were counted.
  ///
  /// - Parameters:
  ///   - begin: Earlier ones are left out.
  ///   - ready: Later ones are left out; nil for none.
  ///   - counted: How many the kernel has counted.
  /// - Returns: The faults, and what was read where there are tracepoints.
  func decoded(
    since begin: Nanoseconds = .zero,
    until ready: Nanoseconds?,
    counted: Int64?
  ) -> MajorFaults {
    guard error == 0 else {
      let reason = Self.reason(error)
      return MajorFaults(isComplete: false, notes: ["faults were not recorded: \(reason)"])
    }
    var found = records.faults(since: begin, until: ready)
    if tracepointError != 0 {
      found.notes.append("tracepoints were not recorded: \(Self.reason(tracepointError))")
    }
    let isPartial = flags & 1 != 0
    if counted.map({ $0 > Int64(found.events.count) }) ?? isPartial { found.isComplete = false }
    if isPartial, !found.isComplete {
      found.notes.append(
        "faults inside of system calls were not recorded; that needs CAP_PERFMON, or "
          + "kernel.perf_event_paranoid of 1 or less"
      )
    }
    return found
  }

  /// The programs of the launch; nil when they were not recorded.
  func processes(since begin: Nanoseconds, until ready: Nanoseconds?) -> [LaunchProcess]? {
    guard error == 0 else { return nil }
    return records.processes(since: begin, until: ready)
  }

  /// Source of the meanings: perf_event_open(2), section ERRORS.
  private static func reason(_ error: Int32) -> String {
    switch error {
    case EACCES, EPERM:
      "not permitted; needs CAP_PERFMON, or kernel.perf_event_paranoid of 2 or less"
    case ENOSYS: "this kernel has no perf events"
    case EMFILE: "too many open files; raise `ulimit -n`"
    default: Errno(rawValue: error).description.lowercased()
    }
  }
}
