import CLaunchWire
import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

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
    var event = launch_event()
    event.time = UInt64(bitPattern: time)
    event.end = UInt64(bitPattern: end)
    event.address = 0x55AA
    event.pid = UInt32(bitPattern: pid)
    event.object = 3
    event.text = text
    event.text_length = length
    event.kind = kind
    return [UInt8](of: event)
  }

  /// Writes events as a program would.
  private func fill(
    _ file: EventsFile,
    _ records: [[UInt8]],
    next: UInt32? = nil,
    text: String = ""
  ) throws {
    let content = Array(try #require(FileManager.default.contents(atPath: file.path)))
    var header: launch_events_header = try #require(content.value())
    header.next = next ?? UInt32(records.count)
    header.text_next = UInt32(text.utf8.count)
    let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
    defer { try? handle.close() }
    try handle.write(contentsOf: [UInt8](of: header) + records.flatMap { $0 })
    try handle.seek(toOffset: UInt64(header.textOffset))
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
    var header = launch_events_header()
    header.capacity = 16_384
    header.text_capacity = 1 << 20
    let size = header.fileSize
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
    try fill(file, records, text: "ab/lib")
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
    try fill(file, [event.record, Self.record(4)], text: "text")
    let content = try file.content(from: Nanoseconds(100), to: Nanoseconds(1_000))
    #expect(content.rejected == 1)
    #expect(content.events.count == 1)
  }

  @Test func `counts what found no room, and ignores kinds it does not know`() throws {
    let file = try makeFile(capacity: 2)
    try fill(file, [Self.record(4), Self.record(999)], next: 12)
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
    try fill(file, [Self.record(4), Self.record(5)])
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
    let header: launch_events_header = try #require(bytes.value())
    #expect(header.options == LAUNCH_EVENTS_HIDDEN)
    #expect(elements(of: header.ready_mark).starts(with: Array("first frame\0".utf8)))
    #expect(elements(of: header.ready_socket).starts(with: Array("/tmp/socket\0".utf8)))
    file.isHidden = false
    #expect(!file.isHidden)
  }
}
