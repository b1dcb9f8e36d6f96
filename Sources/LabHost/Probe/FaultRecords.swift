import Glibc
import LabModel

/// The records that the kernel has written of a launch's major faults, mappings and processes.
///
/// They come as one series per CPU, each in order, one series after the other. Source of the
/// layout: perf_event_open(2), with the sample type `TID | TIME | ADDR` and `sample_id_all`.
struct FaultRecords {
  private var records: [Record] = []
  private var isComplete: Bool

  private enum Record {
    case fault(pid: Int32, time: UInt64, address: UInt64)
    case mapping(pid: Int32, time: UInt64, Mapping)
    case fork(parent: Int32, child: Int32, time: UInt64)
    case execution(pid: Int32, time: UInt64)

    var time: UInt64 {
      switch self {
      case .fault(_, let time, _), .mapping(_, let time, _), .fork(_, _, let time),
        .execution(_, let time):
        time
      }
    }
  }

  private struct Mapping {
    var start: UInt64
    var length: UInt64
    var offset: UInt64
    var path: String
  }

  /// In bytes.
  private let pageSize: UInt64

  /// Reads all records; any bytes are allowed.
  ///
  /// - Parameters:
  ///   - bytes: The records.
  ///   - isCut: Whether the kernel may have had no room for more.
  ///   - pageSize: In bytes.
  init(
    _ bytes: [UInt8],
    isCut: Bool = false,
    pageSize: Int = sysconf(Int32(_SC_PAGESIZE))
  ) {
    isComplete = !isCut
    self.pageSize = UInt64(pageSize)
    var position = 0
    while position + 8 <= bytes.count {
      let size = Int(Self.load(UInt16.self, bytes, position + 6))
      guard size >= 8, position + size <= bytes.count else {
        isComplete = false
        break
      }
      add(Array(bytes[position..<(position + size)]))
      position += size
    }
    // The sort keeps the order of equal times within one CPU.
    records = records.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  private mutating func add(_ record: [UInt8]) {
    let time = Self.load(UInt64.self, record, record.count - 8)
    let pid = Self.load(Int32.self, record, 8)
    switch Self.load(UInt32.self, record, 0) {
    case 9:  // PERF_RECORD_SAMPLE
      records.append(
        .fault(
          pid: pid,
          time: Self.load(UInt64.self, record, 16),
          address: Self.load(UInt64.self, record, 24)
        )
      )
    case 10:  // PERF_RECORD_MMAP2
      let mapping = Mapping(
        start: Self.load(UInt64.self, record, 16),
        length: Self.load(UInt64.self, record, 24),
        offset: Self.load(UInt64.self, record, 32),
        path: String(
          decoding: record.dropFirst(72).dropLast(16).prefix { $0 != 0 },
          as: UTF8.self
        )
      )
      records.append(.mapping(pid: pid, time: time, mapping))
    case 7:  // PERF_RECORD_FORK
      let parent = Self.load(Int32.self, record, 12)
      if parent != pid { records.append(.fork(parent: parent, child: pid, time: time)) }
    case 3 where Self.load(UInt16.self, record, 4) & 1 << 13 != 0:  // COMM of an execve
      records.append(.execution(pid: pid, time: time))
    case 2, 13:  // LOST, LOST_SAMPLES
      isComplete = false
    default:
      break
    }
  }

  /// The faults in order of time, with the file and the offset of their pages.
  ///
  /// Cost: the faults times the mappings of their process.
  ///
  /// - Parameter ready: Later faults are left out; nil for none.
  /// - Returns: The events, and whether all are there.
  func faults(until ready: Nanoseconds?) -> MajorFaults {
    var mappings: [Int32: [Mapping]] = [:]
    var found = MajorFaults(isComplete: isComplete)
    for record in records {
      switch record {
      case .fork(let parent, let child, _): mappings[child] = mappings[parent]
      case .execution(let pid, _): mappings[pid] = []
      case .mapping(let pid, _, let mapping): mappings[pid, default: []].append(mapping)
      case .fault(let pid, let time, let address):
        let time = Nanoseconds(Int64(clamping: time))
        if let ready, time > ready { continue }
        found.events.append(event(pid, time, address, mappings[pid] ?? []))
      }
    }
    if !isComplete { found.notes.append("there were more faults than could be recorded") }
    return found
  }

  /// The newest mapping wins, since it lies over older ones.
  private func event(
    _ pid: Int32,
    _ time: Nanoseconds,
    _ address: UInt64,
    _ mappings: [Mapping]
  ) -> LaunchEvent {
    let mapping = mappings.last { address >= $0.start && address - $0.start < $0.length }
    guard let mapping, mapping.path.hasPrefix("/"), !mapping.path.hasPrefix("//") else {
      let name = mapping?.path ?? ""
      return LaunchEvent(kind: .majorFault, pid: pid, time: time, address: .max, text: name)
    }
    let offset = (address - mapping.start) &+ mapping.offset
    return LaunchEvent(
      kind: .majorFault,
      pid: pid,
      time: time,
      address: offset / pageSize * pageSize,
      text: mapping.path
    )
  }

  /// Reads an integer of this machine's byte order; 0 beyond the end.
  private static func load<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type,
    _ bytes: [UInt8],
    _ offset: Int
  ) -> Value {
    guard offset >= 0, offset + MemoryLayout<Value>.size <= bytes.count else { return 0 }
    return unsafe bytes.withUnsafeBytes {
      unsafe $0.loadUnaligned(fromByteOffset: offset, as: type)
    }
  }
}
