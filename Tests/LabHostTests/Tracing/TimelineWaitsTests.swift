import CLaunchWire
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// Who woke a thread, as far as its launch was traced by ptrace.
@Suite struct TimelineWaitsTests {
  /// The first thread waits for key 5, or else 6, from 100 µs to 900 µs, or to 800 µs if nobody woke it.
  private static let wait = Record(TIMELINE_WAIT, 1, at: 100, [900_000, 800_000, 5, 6, 0])

  private static let start = Record(TIMELINE_FORK, 1, at: 50, [2, 2])

  private static func signal(_ key: UInt64, by thread: Int32, at time: UInt64) -> Record {
    Record(TIMELINE_SIGNAL, thread, at: time, [key])
  }

  /// When the first thread was woken, in µs, and by which thread; nil for an interrupt.
  private func woken(_ records: [Record]) throws -> (time: Int64, thread: Int32?) {
    let bytes = Record.file([Self.start, Self.wait] + records)
    let events = try #require(TimelineFile(bytes, process: 1)).events
    #expect(events.map(\.time) == events.map(\.time).sorted())
    #expect(events[1] == event(.blocked(isForDisk: false), at: 100))
    let wakers = events.filter { if case .woken = $0.kind { true } else { false } }
    let last = try #require(wakers.last)
    #expect(wakers.count == 1 && last.thread == 1)
    guard case .woken(let waker) = last.kind else { return (0, nil) }
    #expect(waker.isInterrupt || waker.process == waker.thread)
    return (last.time.count / 1_000, waker.isInterrupt ? nil : waker.thread)
  }

  private func event(_ kind: TimelineEvent.Kind, at time: Int64) -> TimelineEvent {
    TimelineEvent(time: Nanoseconds(time * 1_000), thread: 1, kind: kind)
  }

  @Test func `is woken by what another thread does for its key`() throws {
    #expect(try woken([Self.signal(5, by: 2, at: 700)]) == (700, 2))
  }

  @Test func `is woken by the last that could have`() throws {
    let signals = [200, 600, 950].map { Self.signal(5, by: 2, at: $0) }
    #expect(try woken(signals) == (600, 2))
  }

  @Test func `is woken by the other key where nobody had the first`() throws {
    #expect(try woken([Self.signal(6, by: 2, at: 300)]) == (300, 2))
    let both = [Self.signal(5, by: 2, at: 200), Self.signal(6, by: 2, at: 300)]
    #expect(try woken(both) == (200, 2))
  }

  @Test(arguments: [(5, 1, 500), (7, 2, 500), (5, 2, 901), (5, 2, 70), (0, 2, 500)])
  func `is woken by an interrupt where nobody did anything for its key`(
    _ key: UInt64,
    _ thread: Int32,
    _ time: UInt64
  ) throws {
    #expect(try woken([Self.signal(key, by: thread, at: time)]) == (800, nil))
  }

  @Test func `was over as soon as it was seen`() throws {
    #expect(try woken([Self.signal(5, by: 2, at: 90)]) == (100, 2))
  }

  @Test func `says which programs lost their rights`() throws {
    let records = [
      Record(TIMELINE_EXECUTE, 1, at: 1, [1, 1], "/usr/bin/sudo"),
      Record(TIMELINE_EXECUTE, 1, at: 2, [1, 0], "/usr/bin/true"),
    ]
    let file = try #require(TimelineFile(Record.file(records), process: 1))
    #expect(file.withoutRights == ["/usr/bin/sudo"])
  }
}

/// A record of a timeline.
private struct Record {
  private let head: timeline_record
  private let text: String

  /// Makes a record, whose time is in µs.
  init(
    _ kind: timeline_kind,
    _ thread: Int32,
    at time: UInt64,
    _ values: [UInt64],
    _ text: String = ""
  ) {
    var head = timeline_record()
    head.kind = UInt16(kind.rawValue)
    head.thread = thread
    head.time = time * 1_000
    let all = values + [UInt64](repeating: 0, count: 5 - values.count)
    head.values = (all[0], all[1], all[2], all[3], all[4])
    head.text = UInt16((text.isEmpty ? TIMELINE_NO_TEXT : TIMELINE_PATH).rawValue)
    head.length = UInt32(text.utf8.count)
    self.head = head
    self.text = text
  }

  /// A whole file.
  static func file(_ records: [Self]) -> [UInt8] {
    let header = timeline_header(
      magic: TimelineReader.magic,
      records: UInt64(records.count),
      lost: 0,
      names: 0
    )
    return records.reduce([UInt8](of: header)) { bytes, record in
      let text = Array(record.text.utf8)
      let padding = [UInt8](repeating: 0, count: (8 - text.count % 8) % 8)
      return bytes + [UInt8](of: record.head) + text + padding
    }
  }
}
