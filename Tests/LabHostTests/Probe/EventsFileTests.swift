import Foundation
import LabModel
import LabTestSupport
import SystemPackage
import Testing

@testable import LabHost

@Suite("The file of events", .temporaryDirectory) struct EventsFileTests {
  private static let magicHeader: [UInt8] = Array("LLEVENT1".utf8)

  /// The bytes of one event.
  private static func record(
    _ kind: UInt16,
    time: Int64 = 100,
    end: Int64 = 0,
    pid: Int32 = 7,
    text: UInt32 = 0,
    length: UInt16 = 0
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: EventsLayout.eventSize)
    bytes.set(time, at: EventsLayout.Event.time)
    bytes.set(end, at: EventsLayout.Event.end)
    bytes.set(UInt64(0x55AA), at: EventsLayout.Event.address)
    bytes.set(pid, at: EventsLayout.Event.pid)
    bytes.set(UInt32(3), at: EventsLayout.Event.object)
    bytes.set(text, at: EventsLayout.Event.text)
    bytes.set(length, at: EventsLayout.Event.textLength)
    bytes.set(kind, at: EventsLayout.Event.kind)
    return bytes
  }

  /// Writes events as a program would.
  private func fill(
    _ file: EventsFile,
    _ records: [[UInt8]],
    next: UInt32? = nil,
    text: String = "",
    capacity: Int
  ) throws {
    let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
    defer { try? handle.close() }
    var counts = [UInt8](repeating: 0, count: 8)
    counts.set(next ?? UInt32(records.count), at: 0)
    counts.set(UInt32(text.utf8.count), at: 4)
    try handle.seek(toOffset: UInt64(EventsLayout.Header.next))
    try handle.write(contentsOf: counts)
    try handle.seek(toOffset: UInt64(EventsLayout.headerSize))
    try handle.write(contentsOf: records.flatMap { $0 })
    let layout = EventsLayout(capacity: capacity, textCapacity: 64)
    try handle.seek(toOffset: UInt64(layout.textOffset))
    try handle.write(contentsOf: Array(text.utf8))
  }

  private func makeFile(capacity: Int = 8) throws -> EventsFile {
    try EventsFile(
      at: "\(TemporaryDirectory.path)/events",
      capacity: capacity,
      textCapacity: 64
    )
  }

  @Test func `is empty and open to every user when it is made`() throws {
    let file = try makeFile()
    #expect(try file.content(from: .zero, to: .seconds(1)) == EventsFile.Content())
    let bytes = try #require(FileManager.default.contents(atPath: file.path))
    #expect(bytes.starts(with: Self.magicHeader))
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o666)
    #expect(throws: HostError.self) { try makeFile() }
  }

  @Test func `has all its space from the beginning, and after it was cut short`() throws {
    let file = try EventsFile(at: "\(TemporaryDirectory.path)/events")
    func reserved() throws -> Int {
      Int(try OpenFile(reading: FilePath(file.path)).status().st_blocks) * 512
    }
    let size = EventsLayout(capacity: 16_384, textCapacity: 1 << 20).fileSize
    #expect(try reserved() >= size)
    let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
    try handle.truncate(atOffset: 100)
    try handle.close()
    try file.reset()
    #expect(try reserved() >= size)
  }

  @Test func `gives back what was written`() throws {
    let file = try makeFile()
    let records = [
      Self.record(2, text: 2, length: 3), Self.record(5, time: 150, end: 170), Self.record(0),
    ]
    try fill(file, records, text: "ab/lib", capacity: 8)
    let content = try file.content(from: Nanoseconds(100), to: Nanoseconds(170))
    let opened = LaunchEvent(
      kind: .objectOpened,
      pid: 7,
      time: Nanoseconds(100),
      address: 0x55AA,
      object: 3,
      text: "/li"
    )
    let ran = LaunchEvent(
      kind: .initializer,
      pid: 7,
      time: Nanoseconds(150),
      end: Nanoseconds(170),
      address: 0x55AA,
      object: 3
    )
    #expect(content == EventsFile.Content(events: [opened, ran]))
  }

  struct Impossible: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var record: [UInt8]
  }

  static let impossible = [
    Impossible(testDescription: "before the launch", record: record(4, time: 99)),
    Impossible(testDescription: "after now", record: record(4, time: 1_001)),
    Impossible(testDescription: "negative", record: record(4, time: -1)),
    Impossible(testDescription: "ends before it begins", record: record(5, time: 500, end: 499)),
    Impossible(testDescription: "ends after now", record: record(5, end: 1_001)),
    Impossible(testDescription: "no process", record: record(4, pid: 0)),
    Impossible(testDescription: "text outside", record: record(2, text: 60, length: 9)),
    Impossible(testDescription: "text far outside", record: record(2, text: .max, length: .max)),
  ]

  @Test(arguments: impossible)
  func `leaves out and counts what cannot be`(_ event: Impossible) throws {
    let file = try makeFile()
    try fill(file, [event.record, Self.record(4)], text: "text", capacity: 8)
    let content = try file.content(from: Nanoseconds(100), to: Nanoseconds(1_000))
    #expect(content.rejected == 1)
    #expect(content.events.count == 1)
  }

  @Test func `counts what found no room, and ignores kinds it does not know`() throws {
    let file = try makeFile(capacity: 2)
    try fill(file, [Self.record(4), Self.record(999)], next: 12, capacity: 2)
    let content = try file.content(from: .zero, to: .seconds(1))
    #expect(content.events.count == 1)
    #expect(content.lost == 10)
    #expect(content.rejected == 0)
  }

  @Test func `stands any bytes and any length`() throws {
    let file = try makeFile()
    var generator = SplitMix64(seed: 5)
    for round in 0..<200 {
      let size = round % 20 == 0 ? Int(generator.next() % 900) : 640
      let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: bytes)
      try handle.close()
      let content = try file.content(from: .zero, to: .seconds(1 << 32))
      #expect(content.events.count + content.rejected <= 8)
      try file.reset()
      #expect(try file.content(from: .zero, to: .seconds(1)) == EventsFile.Content())
    }
  }

  @Test func `is as new after a reset`() throws {
    let file = try makeFile()
    let new = FileManager.default.contents(atPath: file.path)
    try fill(file, [Self.record(4), Self.record(5)], text: "", capacity: 8)
    #expect(FileManager.default.contents(atPath: file.path) != new)
    try file.reset()
    #expect(FileManager.default.contents(atPath: file.path) == new)
  }

  @Test func `keeps its options over a reset`() throws {
    let file = try makeFile()
    file.isHidden = true
    #expect(file.setReady(mark: "first frame", socket: "/tmp/socket"))
    #expect(!file.setReady(mark: String(repeating: "x", count: 64), socket: ""))
    #expect(!file.setReady(mark: "", socket: String(repeating: "x", count: 108)))
    try file.reset()
    let bytes = Array(try #require(FileManager.default.contents(atPath: file.path)))
    #expect(bytes.integer(at: EventsLayout.Header.options) as UInt32 == 1)
    #expect(bytes[EventsLayout.Header.readyMark].starts(with: Array("first frame\0".utf8)))
    #expect(bytes[EventsLayout.Header.readySocket].starts(with: Array("/tmp/socket\0".utf8)))
    file.isHidden = false
    #expect(!file.isHidden)
  }

  @Test(.enabled(if: ProbeBench.compiler != nil, "needs a C compiler"))
  func `has the layout of the header`() throws {
    let header = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/NativeHelpers/launch_events.h").standardized.path
    let fields = [
      ("struct launch_events_header, capacity", EventsLayout.Header.capacity),
      ("struct launch_events_header, text_capacity", EventsLayout.Header.textCapacity),
      ("struct launch_events_header, next", EventsLayout.Header.next),
      ("struct launch_events_header, text_next", EventsLayout.Header.textNext),
      ("struct launch_events_header, options", EventsLayout.Header.options),
      ("struct launch_events_header, ready_mark", EventsLayout.Header.readyMark.lowerBound),
      ("struct launch_events_header, ready_socket", EventsLayout.Header.readySocket.lowerBound),
      ("struct launch_events_header, padding", EventsLayout.Header.readySocket.upperBound),
      ("struct launch_event, time", EventsLayout.Event.time),
      ("struct launch_event, end", EventsLayout.Event.end),
      ("struct launch_event, address", EventsLayout.Event.address),
      ("struct launch_event, pid", EventsLayout.Event.pid),
      ("struct launch_event, object", EventsLayout.Event.object),
      ("struct launch_event, text", EventsLayout.Event.text),
      ("struct launch_event, text_length", EventsLayout.Event.textLength),
      ("struct launch_event, kind", EventsLayout.Event.kind),
    ]
    let assertions = fields.map { "_Static_assert(offsetof(\($0.0)) == \($0.1), \"\");\n" }
    let source = """
      #include "\(header)"
      #include <stddef.h>
      \(assertions.joined())
      _Static_assert(LAUNCH_EVENTS_MAGIC == 0x\(String(EventsLayout.magic, radix: 16)), "");
      _Static_assert(LAUNCH_EVENTS_HIDDEN == \(EventsLayout.hidden), "");
      int main(void) { return 0; }
      """
    _ = try ProbeBench().compile("layout", source)
  }
}
