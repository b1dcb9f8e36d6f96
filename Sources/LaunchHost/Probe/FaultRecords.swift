import CLaunchWire
import Glibc
import LaunchCore

/// The records that the kernel has written of a launch's major faults, mappings and processes, and of
/// its page cache where there are tracepoints.
///
/// They come as one series per CPU, each in order, one series after the other; `launch_wire.h` has
/// their layout.
struct FaultRecords {
  private var records: [Record] = []
  private var isComplete: Bool

  private enum Record {
    case fault(pid: Int32, time: UInt64, address: UInt64)
    case mapping(pid: Int32, time: UInt64, Mapping)
    case fork(parent: Int32, child: Int32, time: UInt64)
    case execution(pid: Int32, time: UInt64)
    case end(pid: Int32, time: UInt64)
    case cache(CacheRecord)

    var time: UInt64 {
      switch self {
      case .fault(_, let time, _), .mapping(_, let time, _), .fork(_, _, let time),
        .execution(_, let time), .end(_, let time):
        time
      case .cache(let record): record.time
      }
    }
  }

  /// What a thread did with the page cache.
  private struct CacheRecord {
    enum Kind {
      case added(FileNumber, pages: Int)
      case wanted(FileNumber)
      case blocked
      case running
      case forked
    }

    var thread: Int32
    var time: UInt64
    var kind: Kind
  }

  private struct Mapping {
    var start: UInt64
    var length: UInt64
    var offset: UInt64
    var file: FileNumber
    var path: String

    /// Whether it is of a file rather than anonymous, `//anon`, or of the kernel, `[vdso]`.
    var isFile: Bool { path.hasPrefix("/") && !path.hasPrefix("//") }
  }

  /// In bytes.
  private let pageSize: UInt64

  private let tracepoints: PageTracepoints?

  /// Reads all records; any bytes are allowed.
  ///
  /// - Parameters:
  ///   - bytes: The records.
  ///   - isCut: Whether the kernel may have had no room for more.
  ///   - tracepoints: Those whose records are among them.
  ///   - pageSize: In bytes.
  init(
    _ bytes: [UInt8],
    isCut: Bool = false,
    tracepoints: PageTracepoints? = nil,
    pageSize: Int = sysconf(Int32(_SC_PAGESIZE))
  ) {
    isComplete = !isCut
    self.tracepoints = tracepoints
    self.pageSize = UInt64(pageSize)
    var rest = bytes[...]
    while let header: perf_event_header = rest.value() {
      let size = Int(header.size)
      guard size >= MemoryLayout<perf_event_header>.size, size <= rest.count else {
        isComplete = false
        break
      }
      add(rest.prefix(size), header)
      rest = rest.dropFirst(size)
    }
    // The sort keeps the order of equal times within one CPU.
    records = records.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  private mutating func add(_ record: ArraySlice<UInt8>, _ header: perf_event_header) {
    let end = record.suffix(MemoryLayout<fault_trailer>.size).value() ?? fault_trailer()
    switch perf_event_type(header.type) {
    case PERF_RECORD_SAMPLE: addSample(record)
    case PERF_RECORD_MMAP2: addMapping(record, at: end.time)
    case PERF_RECORD_FORK:
      guard let task: perf_task = record.value() else { return }
      if task.parent != task.pid {
        records.append(.fork(parent: task.parent, child: task.pid, time: end.time))
      }
      addCache(task.parent_thread, end.time, .forked)
    case PERF_RECORD_COMM where Int32(header.misc) & PERF_RECORD_MISC_COMM_EXEC != 0:
      let pid: Int32 = record.value(at: MemoryLayout<perf_event_header>.size) ?? 0
      records.append(.execution(pid: pid, time: end.time))
    case PERF_RECORD_EXIT:
      guard let task: perf_task = record.value(), task.pid == task.thread else { return }
      records.append(.end(pid: task.pid, time: end.time))
    case PERF_RECORD_SWITCH where Int32(header.misc) & PERF_RECORD_MISC_SWITCH_OUT == 0:
      addCache(end.thread, end.time, .running)
    case PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES: isComplete = false
    default: break
    }
  }

  private mutating func addMapping(_ record: ArraySlice<UInt8>, at time: UInt64) {
    guard let mapped: perf_mapping = record.value() else { return }
    let path = record.dropFirst(MemoryLayout<perf_mapping>.size)
      .dropLast(MemoryLayout<fault_trailer>.size)
    let mapping = Mapping(
      start: mapped.start,
      length: mapped.length,
      offset: mapped.offset,
      file: FileNumber(major: mapped.major, minor: mapped.minor, inode: mapped.inode),
      path: String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)
    )
    records.append(.mapping(pid: mapped.pid, time: time, mapping))
  }

  private mutating func addSample(_ record: ArraySlice<UInt8>) {
    guard let sample: fault_sample = record.value() else { return }
    let time = sample.time
    let content = record.dropFirst(MemoryLayout<fault_sample>.size)
    let size = content.value(of: UInt32.self) ?? 0
    let raw = content.dropFirst(MemoryLayout<UInt32>.size).prefix(Int(size))
    // The first field of every tracepoint is its number; a fault has no content.
    let number = raw.count > 4 ? UInt32(raw.value(of: UInt16.self) ?? 0) : 0
    guard number != 0 else {
      return records.append(.fault(pid: sample.pid, time: time, address: sample.address))
    }
    guard let tracepoints else { return }
    let thread = sample.thread
    switch number {
    case tracepoints.added.number:
      let order: UInt8? = tracepoints.added.offset(of: "order").flatMap { raw.value(at: $0) }
      guard let file = Self.file(in: raw, tracepoints.added), order ?? 0 < 32 else { return }
      addCache(thread, time, .added(file, pages: 1 << Int(order ?? 0)))
    case tracepoints.switched.number:
      addCache(thread, time, .blocked)
    default:
      let event = [tracepoints.faulted, tracepoints.read].compactMap(\.self)
        .first { $0.number == number }
      guard let event, let file = Self.file(in: raw, event) else { return }
      addCache(thread, time, .wanted(file))
    }
  }

  private mutating func addCache(_ thread: Int32, _ time: UInt64, _ kind: CacheRecord.Kind) {
    guard tracepoints != nil else { return }
    records.append(.cache(CacheRecord(thread: thread, time: time, kind: kind)))
  }

  /// The file of a tracepoint of the page cache; the kernel's own device numbers have 20 bits of
  /// minor number.
  private static func file(
    in raw: ArraySlice<UInt8>,
    _ event: PageTracepoints.Event
  ) -> FileNumber? {
    guard let inode = event.offset(of: "i_ino"), let device = event.offset(of: "s_dev") else {
      return nil
    }
    let number: UInt32 = raw.value(at: device) ?? 0
    return FileNumber(
      major: number >> 20,
      minor: number & 0xF_FFFF,
      inode: raw.value(at: inode) ?? 0
    )
  }

  /// The faults in order of time, with the file and the offset of their pages.
  ///
  /// Cost: the faults times the mappings of their process.
  ///
  /// - Parameters:
  ///   - begin: Earlier faults are left out.
  ///   - ready: Later faults are left out; nil for none.
  /// - Returns: The events, and whether all are there.
  func faults(since begin: Nanoseconds = .zero, until ready: Nanoseconds?) -> MajorFaults {
    var mappings: [Int32: [Mapping]] = [:]
    var found = MajorFaults(isComplete: isComplete)
    for record in records {
      switch record {
      case .fork(let parent, let child, _): mappings[child] = mappings[parent]
      case .execution(let pid, _): mappings[pid] = []
      case .mapping(let pid, _, let mapping): mappings[pid, default: []].append(mapping)
      case .fault(let pid, let time, let address):
        let time = Nanoseconds(Int64(clamping: time))
        if time < begin || time > ready ?? time { continue }
        found.events.append(event(pid, time, address, mappings[pid] ?? []))
      case .cache, .end: break
      }
    }
    if tracepoints != nil {
      found.reads = reads(since: begin, until: ready)
      found.seen = files(since: begin, until: ready)
    }
    if !isComplete { found.notes.append("there were more faults than could be recorded") }
    return found
  }

  /// The most programs that are kept of a launch.
  static let programLimit = 1_000

  /// The programs of the launch in the order they began, each process's one after the other.
  ///
  /// - Parameters:
  ///   - begin: When the first one was asked for; times are since then.
  ///   - ready: Later ones are left out; nil for none.
  /// - Returns: At most 1,000.
  func processes(since begin: Nanoseconds, until ready: Nanoseconds?) -> [LaunchProcess] {
    var found: [LaunchProcess] = []
    var current: [Int32: Int] = [:]
    for record in records {
      let instant = Nanoseconds(Int64(clamping: record.time))
      guard instant >= begin, instant <= ready ?? instant else { continue }
      let time = instant - begin
      switch record {
      case .fork(let parent, let child, _):
        guard found.count < Self.programLimit else { continue }
        let program = current[parent].map { found[$0].program } ?? ""
        current[child] = found.count
        found.append(
          LaunchProcess(
            pid: child,
            parent: parent,
            program: program,
            isExecuted: false,
            start: time
          )
        )
      case .execution(let pid, _):
        let before = current[pid]
        if let before { found[before].end = time }
        guard found.count < Self.programLimit else { continue }
        current[pid] = found.count
        found.append(
          LaunchProcess(
            pid: pid,
            parent: before.flatMap { found[$0].parent },
            isExecuted: true,
            start: found.isEmpty ? .zero : time
          )
        )
      case .mapping(let pid, _, let mapping):
        // The program itself is mapped first, and then its loader.
        guard let index = current[pid], found[index].program.isEmpty,
          mapping.isFile
        else { continue }
        found[index].program = mapping.path
      case .end(let pid, _):
        if let index = current.removeValue(forKey: pid) { found[index].end = time }
      case .fault, .cache: break
      }
    }
    return found
  }

  /// The pages that came in, and the time that threads were blocked on them.
  ///
  /// A thread that stops running where it cannot take signals waits for the file that it wanted
  /// last, or of which it brought pages in. A parent that has forked since may wait for its child
  /// instead, as vfork(2) does.
  private func reads(since begin: Nanoseconds, until ready: Nanoseconds?) -> [FileReads] {
    var found: [FileNumber: FileReads] = [:]
    var wanted: [Int32: FileNumber] = [:]
    var blocked: [Int32: UInt64] = [:]
    let start = UInt64(clamping: begin.count)
    let end = ready.map { UInt64(clamping: $0.count) }
    func file(_ number: FileNumber, pages: Int = 0, wait: UInt64 = 0) {
      var reads = found[number] ?? FileReads(file: number, pages: 0)
      reads.pages += pages
      reads.wait = reads.wait + Nanoseconds(Int64(clamping: wait))
      found[number] = reads
    }
    func wake(_ thread: Int32, at time: UInt64) {
      guard let since = blocked.removeValue(forKey: thread), let number = wanted[thread] else {
        return
      }
      file(number, wait: time > since ? time - since : 0)
    }
    for record in records {
      if case .mapping(_, _, let mapping) = record, mapping.path.hasPrefix("/") {
        found[mapping.file, default: FileReads(file: mapping.file, pages: 0)].path = mapping.path
      }
      guard case .cache(let record) = record, record.time >= start, record.time <= end ?? .max
      else { continue }
      switch record.kind {
      case .added(let number, let pages):
        file(number, pages: pages)
        wanted[record.thread] = number
      case .wanted(let number): wanted[record.thread] = number
      case .blocked: blocked[record.thread] = wanted[record.thread].map { _ in record.time }
      case .running: wake(record.thread, at: record.time)
      case .forked: wanted[record.thread] = nil
      }
    }
    if let end { for thread in blocked.keys { wake(thread, at: end) } }
    return found.values.filter { $0.pages > 0 || $0.wait > .zero }
      .sorted { ($1.pages, $0.file.inode) < ($0.pages, $1.file.inode) }
  }

  /// The files that were mapped, read, or wanted by a fault.
  private func files(since begin: Nanoseconds, until ready: Nanoseconds?) -> Set<FileNumber> {
    let times = UInt64(clamping: begin.count)...(ready.map { UInt64(clamping: $0.count) } ?? .max)
    let found = records.compactMap { record -> FileNumber? in
      guard times.contains(record.time) else { return nil }
      switch record {
      case .mapping(_, _, let mapping) where mapping.isFile: return mapping.file
      case .cache(let record):
        switch record.kind {
        case .added(let file, _), .wanted(let file): return file
        case .blocked, .running, .forked: return nil
        }
      default: return nil
      }
    }
    return Set(found)
  }

  /// The newest mapping wins, since it lies over older ones.
  private func event(
    _ pid: Int32,
    _ time: Nanoseconds,
    _ address: UInt64,
    _ mappings: [Mapping]
  ) -> LaunchEvent {
    let mapping = mappings.last { address >= $0.start && address - $0.start < $0.length }
    guard let mapping, mapping.isFile else {
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
}
