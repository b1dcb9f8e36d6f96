import Testing

@testable import LaunchCore
@testable import LaunchHost

/// Records are built here as perf_event_open(2) describes them.
struct FaultRecordsTests {
  private func field(_ value: some FixedWidthInteger) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<(value.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> (index * 8)))
    }
    return bytes
  }

  private func record(_ type: UInt32, misc: UInt16 = 0, _ body: [UInt8]) -> [UInt8] {
    field(type) + field(misc) + field(UInt16(8 + body.count)) + body
  }

  private func identity(_ pid: Int32, _ time: UInt64) -> [UInt8] {
    field(pid) + field(pid) + field(time)
  }

  private func fault(_ pid: Int32, at time: UInt64, _ address: UInt64) -> [UInt8] {
    record(9, identity(pid, time) + field(address))
  }

  private func mapping(
    _ pid: Int32,
    at time: UInt64,
    _ range: Range<UInt64>,
    _ offset: UInt64,
    _ path: String
  ) -> [UInt8] {
    let name = Array(path.utf8) + [UInt8](repeating: 0, count: 8 - path.utf8.count % 8)
    return record(
      10,
      field(pid) + field(pid) + field(range.lowerBound) + field(UInt64(range.count))
        + field(offset) + [UInt8](repeating: 0, count: 32) + name + identity(pid, time)
    )
  }

  private func fork(_ parent: Int32, _ child: Int32, at time: UInt64) -> [UInt8] {
    record(
      7,
      field(child) + field(parent) + field(child) + field(parent) + field(time)
        + identity(parent, time)
    )
  }

  private func execution(_ pid: Int32, at time: UInt64) -> [UInt8] {
    record(
      3,
      misc: 1 << 13,
      field(pid) + field(pid) + [UInt8](repeating: 0, count: 8) + identity(pid, time)
    )
  }

  /// A record of a tracepoint whose fields lie as in ``PageTracepointsTests/tree``.
  private func tracepoint(
    _ number: UInt16,
    _ thread: Int32,
    at time: UInt64,
    _ fields: [UInt8] = []
  ) -> [UInt8] {
    let raw = field(number) + field(UInt16(0)) + field(thread) + fields
    let padding = [UInt8](repeating: 0, count: (12 - raw.count % 8) % 8)
    return record(
      9,
      identity(thread, time) + field(UInt64(0)) + field(UInt32(raw.count + padding.count)) + raw
        + padding
    )
  }

  private func added(_ inode: UInt64, _ thread: Int32, at time: UInt64, order: UInt8 = 0) -> [UInt8]
  {
    let fields = field(UInt64(1)) + field(inode) + field(UInt64(0)) + field(UInt32(254 << 20 | 3))
    return tracepoint(600, thread, at: time, fields + [order])
  }

  private func wanted(_ inode: UInt64, _ thread: Int32, at time: UInt64) -> [UInt8] {
    tracepoint(597, thread, at: time, field(inode) + field(UInt32(254 << 20 | 3)))
  }

  private func blocked(_ thread: Int32, at time: UInt64) -> [UInt8] {
    tracepoint(372, thread, at: time)
  }

  private func running(_ thread: Int32, at time: UInt64) -> [UInt8] {
    record(14, identity(thread, time))
  }

  private func reads(
    _ bytes: [UInt8],
    since begin: Nanoseconds = .zero,
    until ready: Nanoseconds? = nil
  ) throws -> [String] {
    let tracepoints = try #require(PageTracepoints(in: PageTracepointsTests.tree))
    let found = FaultRecords(bytes, tracepoints: tracepoints, pageSize: 4_096)
      .faults(since: begin, until: ready)
    return try #require(found.reads).map {
      "\($0.file.major):\($0.file.minor) \($0.file.inode) \($0.pages) \($0.wait.count)"
    }
  }

  @Test func `counts the pages of each file that came in, and the time that threads waited`() throws
  {
    let bytes =
      added(10, 7, at: 1, order: 2) + added(10, 7, at: 2) + blocked(7, at: 3) + running(7, at: 13)
      + wanted(11, 8, at: 4) + blocked(8, at: 5) + running(8, at: 105)
      + blocked(8, at: 110) + running(8, at: 111)
    #expect(try reads(bytes) == ["254:3 10 5 10", "254:3 11 0 101"])
    #expect(FaultRecords(bytes).faults(until: nil).reads == nil)
  }

  @Test func `counts from the execution until the ready instant`() throws {
    let bytes =
      added(10, 7, at: 1) + added(10, 7, at: 5) + blocked(7, at: 6) + running(7, at: 20)
      + added(10, 7, at: 21)
    #expect(try reads(bytes, since: Nanoseconds(2), until: Nanoseconds(16)) == ["254:3 10 1 10"])
  }

  @Test func `does not take a parent that waits for its child for one that waits for a file`()
    throws
  {
    let bytes =
      added(10, 7, at: 1) + fork(7, 8, at: 2) + blocked(7, at: 3) + running(7, at: 1_000)
    #expect(try reads(bytes) == ["254:3 10 1 0"])
  }

  private func end(_ pid: Int32, thread: Int32? = nil, at time: UInt64) -> [UInt8] {
    record(
      4,
      field(pid) + field(Int32(1)) + field(thread ?? pid) + field(Int32(1)) + field(time)
        + identity(pid, time)
    )
  }

  @Test func `follows programs from their execution to their end`() {
    let bytes =
      execution(7, at: 12) + mapping(7, at: 13, 0x1000..<0x2000, 0, "/bin/sh")
      + mapping(7, at: 14, 0x3000..<0x4000, 0, "/lib/ld.so") + fork(7, 8, at: 20)
      + execution(8, at: 25) + mapping(8, at: 26, 0x1000..<0x2000, 0, "/bin/env")
      + execution(8, at: 30) + mapping(8, at: 31, 0x1000..<0x2000, 0, "/bin/node")
      + end(8, thread: 9, at: 35) + end(8, at: 40) + fork(7, 10, at: 50) + end(10, at: 70)
    let found = FaultRecords(bytes).processes(since: Nanoseconds(10), until: Nanoseconds(60))
    let described = found.map { process in
      let program = process.isExecuted ? process.program : "fork of \(process.program)"
      let end = process.end.map { "\($0.count)" } ?? "ready"
      return "\(process.pid) \(process.parent ?? 0) \(program) \(process.start.count)-\(end)"
    }
    #expect(
      described == [
        "7 0 /bin/sh 0-ready", "8 7 fork of /bin/sh 10-15", "8 7 /bin/env 15-20",
        "8 7 /bin/node 20-30", "10 7 fork of /bin/sh 40-ready",
      ]
    )
  }

  @Test func `names a file that was mapped`() throws {
    var mapped = mapping(7, at: 1, 0x1000..<0x2000, 0, "/lib/a")
    mapped.replaceSubrange(40..<56, with: field(UInt32(254)) + field(UInt32(3)) + field(UInt64(10)))
    let tracepoints = try #require(PageTracepoints(in: PageTracepointsTests.tree))
    let bytes = added(10, 7, at: 2) + added(11, 7, at: 3) + mapped
    let found = FaultRecords(bytes, tracepoints: tracepoints).faults(until: nil)
    #expect(found.reads?.map(\.path) == ["/lib/a", nil])
  }

  private func described(_ bytes: [UInt8], until: Nanoseconds? = nil) -> [String] {
    FaultRecords(bytes, pageSize: 4_096).faults(until: until).events.map {
      "\($0.pid) \($0.time.count) \($0.text) \($0.address)"
    }
  }

  @Test func `finds the page of the file that was missing`() {
    let bytes =
      mapping(7, at: 1, 0x10000..<0x20000, 0x3000, "/lib/a") + fault(7, at: 2, 0x12345)
    #expect(described(bytes) == ["7 2 /lib/a \(0x5000)"])
    #expect(FaultRecords(bytes, pageSize: 4_096).faults(until: nil).isComplete)
  }

  @Test func `brings the series of several CPUs into one order`() {
    let first = fault(7, at: 2, 0x1000) + fault(7, at: 5, 0x1000)
    let second =
      mapping(7, at: 1, 0x1000..<0x2000, 0, "/a") + mapping(7, at: 4, 0x1000..<0x2000, 0, "/b")
    #expect(described(first + second) == ["7 2 /a 0", "7 5 /b 0"])
  }

  @Test func `gives a child the mappings of its parent, and a new program none`() {
    let bytes =
      mapping(7, at: 1, 0x1000..<0x2000, 0, "/a") + fork(7, 8, at: 2) + fault(8, at: 3, 0x1fff)
      + execution(8, at: 4) + fault(8, at: 5, 0x1000) + fault(7, at: 6, 0x1000)
    #expect(described(bytes) == ["8 3 /a 0", "8 5  \(UInt64.max)", "7 6 /a 0"])
  }

  @Test func `does not call anonymous memory a file`() {
    let bytes =
      mapping(7, at: 1, 0x1000..<0x2000, 0, "//anon") + fault(7, at: 2, 0x1000)
      + mapping(7, at: 3, 0x4000..<0x5000, 0, "[heap]") + fault(7, at: 4, 0x4000)
    #expect(described(bytes) == ["7 2 //anon \(UInt64.max)", "7 4 [heap] \(UInt64.max)"])
  }

  @Test func `leaves out what came after the ready instant`() {
    let bytes = fault(7, at: 2, 0) + fault(7, at: 3, 0)
    #expect(described(bytes, until: Nanoseconds(2)).count == 1)
  }

  @Test func `says that records were lost`() {
    let bytes = fault(7, at: 2, 0) + record(2, field(UInt64(1)) + field(UInt64(5)))
    let found = FaultRecords(bytes, pageSize: 4_096).faults(until: nil)
    #expect(!found.isComplete)
    #expect(found.notes.count == 1)
  }

  @Test func `stands any truncated and any altered records`() {
    let bytes =
      mapping(7, at: 1, 0x1000..<0x2000, 0, "/a") + fork(7, 8, at: 2) + execution(8, at: 4)
      + fault(8, at: 3, 0x1fff)
    for length in 0..<bytes.count {
      let found = FaultRecords(Array(bytes.prefix(length)), pageSize: 4_096).faults(until: nil)
      #expect(found.events.isEmpty)
    }
    for index in bytes.indices {
      for value: UInt8 in [0, 1, 7, 0x7F, 0xFF] {
        var altered = bytes
        altered[index] = value
        #expect(FaultRecords(altered, pageSize: 4_096).faults(until: nil).events.count <= 2)
      }
    }
  }
}
