import Foundation

@testable import LaunchCore
@testable import LaunchHost

/// A file of events as `launch_events.h` lays it out, made and read by hand.
struct MarksFile {
  let path: String
  let capacity: Int

  /// Makes an empty file.
  init(
    at path: String,
    capacity: Int = 64,
    textCapacity: Int = 8_192,
    readyMark: String = "",
    readySocket: String = ""
  ) throws {
    self.path = path
    self.capacity = capacity
    var bytes = Array("LLEVENT1".utf8)
    for field in [capacity, textCapacity, 0, 0, 0, 0] {
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: field >> (8 * $0)) }
    }
    bytes += Self.padded(readyMark, to: 64) + Self.padded(readySocket, to: 112)
    bytes += [UInt8](repeating: 0, count: 256 - bytes.count + capacity * 40 + textCapacity)
    try Data(bytes).write(to: URL(filePath: path))
  }

  private static func padded(_ text: String, to count: Int) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
  }

  func bytes() throws -> [UInt8] { try Bytes(path).all }

  /// How many events were claimed, those without room included.
  func claimed() throws -> Int { try Bytes(path).number(at: 16, size: 4) }

  /// The events that were written, in the order in which they were claimed.
  func events() throws -> [LaunchEvent] {
    let bytes = try Bytes(path)
    let count = min(bytes.number(at: 16, size: 4), capacity)
    return (0..<count).compactMap { index in
      let base = 256 + 40 * index
      let kind = UInt16(bytes.number(at: base + 38, size: 2))
      guard let kind = LaunchEvent.Kind(number: kind) else { return nil }
      let end = bytes.number(at: base + 8, size: 8)
      let text = 256 + 40 * capacity + bytes.number(at: base + 32, size: 4)
      return LaunchEvent(
        kind: kind,
        pid: Int32(bytes.number(at: base + 24, size: 4)),
        time: Nanoseconds(Int64(bytes.number(at: base, size: 8))),
        end: end == 0 ? nil : Nanoseconds(Int64(end)),
        address: UInt64(bytes.number(at: base + 16, size: 8)),
        object: UInt32(bytes.number(at: base + 28, size: 4)),
        text: String(
          decoding: bytes.all[text..<text + bytes.number(at: base + 36, size: 2)],
          as: UTF8.self
        )
      )
    }
  }
}

/// The content of a file, whose numbers begin with their least byte.
private struct Bytes {
  let all: [UInt8]

  init(_ path: String) throws { all = Array(try Data(contentsOf: URL(filePath: path))) }

  func number(at offset: Int, size: Int) -> Int {
    all[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

extension [LaunchEvent] {
  /// What happened in which phase, such as `first screen/fonts`, in the order of the beginnings.
  var outline: [String] {
    map { event in
      let parent = event.object == 0 ? "" : self[Int(event.object) - 1].text + "/"
      return "\(event.kind) \(parent)\(event.text)"
    }
  }

  /// The events that did not end, of the kinds that should.
  var unfinished: [LaunchEvent] { filter { $0.kind != .mark && $0.end == nil } }
}
