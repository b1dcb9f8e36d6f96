import Glibc
package import LabModel
import SystemPackage

/// The file of events that the probe, and programs with launch marks, write during a launch.
///
/// The programs map it; here it is read and written by calls, since a program could cut it short,
/// and touching a mapping of it would end launchlab then. Nothing in it is trusted.
package final class EventsFile {
  package let path: String

  private let file: OpenFile
  private let layout: EventsLayout

  /// What the header is before a launch.
  private var header: [UInt8]

  /// So much of each part is given memory beforehand, so that programs need not wait for it.
  private static let prepared = 32 << 10

  /// Creates a file; every user may write to it, since a target may change its user.
  ///
  /// - Parameters:
  ///   - path: Where nothing is yet.
  ///   - capacity: How many events have room.
  ///   - textCapacity: How many bytes of paths and names have room.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package init(
    at path: String,
    capacity: Int = 16_384,
    textCapacity: Int = 1 << 20
  ) throws(HostError) {
    self.path = path
    layout = EventsLayout(capacity: capacity, textCapacity: textCapacity)
    header = [UInt8](repeating: 0, count: EventsLayout.headerSize)
    header.set(EventsLayout.magic, at: 0)
    header.set(UInt32(capacity), at: EventsLayout.Header.capacity)
    header.set(UInt32(textCapacity), at: EventsLayout.Header.textCapacity)
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .system(operation: "make the file of events", path: path, errno: errno)
    }
    file = OpenFile(descriptor: descriptor, path: FilePath(path))
    try file.check(fchmod(descriptor, 0o666), "change the mode of")
    try reserve()
    let zeros = [UInt8](repeating: 0, count: Self.prepared)
    try write(Array(zeros.prefix(textCapacity)), at: layout.textOffset)
    try write(
      Array(zeros.prefix(capacity * EventsLayout.eventSize)),
      at: EventsLayout.headerSize
    )
    try write(header, at: 0)
  }

  // MARK: - Before a launch

  /// Whether the probe takes `LD_AUDIT` out of the target's environment; from the next reset on.
  package var isHidden: Bool {
    get { header.integer(at: EventsLayout.Header.options) & EventsLayout.hidden != 0 }
    set {
      header.set(newValue ? EventsLayout.hidden : 0, at: EventsLayout.Header.options)
    }
  }

  /// Says which mark means ready, and who is to be told of it; from the next reset on.
  ///
  /// - Parameters:
  ///   - mark: The name of the mark, at most 63 bytes; empty for none.
  ///   - socket: The path of a datagram socket, at most 107 bytes; empty for none.
  /// - Returns: False when one of them is too long, and then nothing is changed.
  package func setReady(mark: String, socket: String) -> Bool {
    let fields = [
      (EventsLayout.Header.readyMark, Array(mark.utf8), 63),
      (EventsLayout.Header.readySocket, Array(socket.utf8), 107),
    ]
    guard fields.allSatisfy({ $0.1.count <= $0.2 && !$0.1.contains(0) }) else { return false }
    for (range, bytes, _) in fields {
      let padding = [UInt8](repeating: 0, count: range.count - bytes.count)
      header.replaceSubrange(range, with: bytes + padding)
    }
    return true
  }

  /// Empties the file, of which only what was used is written.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package func reset() throws(HostError) {
    if try Int(file.status().st_size) != layout.fileSize {
      try file.check(ftruncate(file.descriptor, 0), "empty")
      try reserve()
    } else {
      let used = claimed(in: try read(at: 0, count: EventsLayout.headerSize)).events
      let zeros = [UInt8](repeating: 0, count: used * EventsLayout.eventSize)
      try write(zeros, at: EventsLayout.headerSize)
    }
    try write(header, at: 0)
  }

  // MARK: - After a launch

  /// What programs have written.
  package struct Content: Hashable, Sendable {
    /// In the order in which they were claimed.
    package var events: [LaunchEvent] = []

    /// How many events found no room.
    package var lost = 0

    /// How many bytes of paths and names found no room.
    package var lostText = 0

    /// How many events say something that cannot be, such as a time after now.
    package var rejected = 0
  }

  /// Reads the events of a launch.
  ///
  /// - Parameters:
  ///   - begin: The instant before `execve`; nothing can have happened before.
  ///   - now: Nothing can have happened later.
  /// - Returns: The events; those of an unknown kind, and those that were claimed but never
  ///   written, are left out.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package func content(from begin: Nanoseconds, to now: Nanoseconds) throws(HostError) -> Content {
    let claimed = claimed(in: try read(at: 0, count: EventsLayout.headerSize))
    let records = try read(
      at: EventsLayout.headerSize,
      count: claimed.events * EventsLayout.eventSize
    )
    let text = try read(at: layout.textOffset, count: claimed.text)
    var content = Content(lost: claimed.lostEvents, lostText: claimed.lostText)
    for start in stride(from: 0, to: records.count, by: EventsLayout.eventSize) {
      let record = Array(records[start..<min(start + EventsLayout.eventSize, records.count)])
      let kind: UInt16 = record.integer(at: EventsLayout.Event.kind)
      guard let kind = LaunchEvent.Kind(rawValue: kind) else { continue }
      if let event = Self.event(kind, record, text: text, in: begin...max(begin, now)) {
        content.events.append(event)
      } else {
        content.rejected += 1
      }
    }
    return content
  }

  private static func event(
    _ kind: LaunchEvent.Kind,
    _ record: [UInt8],
    text: [UInt8],
    in span: ClosedRange<Nanoseconds>
  ) -> LaunchEvent? {
    let time: Int64 = record.integer(at: EventsLayout.Event.time)
    let end: Int64 = record.integer(at: EventsLayout.Event.end)
    let length: UInt16 = record.integer(at: EventsLayout.Event.textLength)
    let start: UInt32 = record.integer(at: EventsLayout.Event.text)
    let pid: Int32 = record.integer(at: EventsLayout.Event.pid)
    guard pid > 0, span.contains(Nanoseconds(time)),
      end == 0 || (end >= time && span.contains(Nanoseconds(end))),
      Int(start) + Int(length) <= text.count || length == 0
    else { return nil }
    let bytes = length == 0 ? [] : text[Int(start)..<(Int(start) + Int(length))]
    return LaunchEvent(
      kind: kind,
      pid: pid,
      time: Nanoseconds(time),
      end: end == 0 ? nil : Nanoseconds(end),
      address: record.integer(at: EventsLayout.Event.address),
      object: record.integer(at: EventsLayout.Event.object),
      text: String(decoding: bytes, as: UTF8.self)
    )
  }

  // MARK: - Details

  /// Takes the space for all of the file: where there was none later, a program would be ended by
  /// SIGBUS when it writes to its mapping.
  private func reserve() throws(HostError) {
    let code = posix_fallocate(file.descriptor, 0, off_t(layout.fileSize))
    guard code == 0 else { throw file.failure("make room in", code) }
  }

  /// How much was claimed of each part, within it and beyond.
  private func claimed(
    in header: [UInt8]
  ) -> (events: Int, lostEvents: Int, text: Int, lostText: Int) {
    let events = Int(header.integer(at: EventsLayout.Header.next) as UInt32)
    let text = Int(header.integer(at: EventsLayout.Header.textNext) as UInt32)
    return (
      min(events, layout.capacity), max(0, events - layout.capacity),
      min(text, layout.textCapacity), max(0, text - layout.textCapacity)
    )
  }

  /// Reads bytes; fewer than asked for at the end of a file that was cut short.
  private func read(at offset: Int, count: Int) throws(HostError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let length = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          file.descriptor,
          buffer.baseAddress?.advanced(by: done),
          count - done,
          off_t(offset + done)
        )
      }
      if length < 0 && errno == EINTR { continue }
      guard length >= 0 else { throw file.failure("read", errno) }
      if length == 0 { break }
      done += length
    }
    return Array(bytes.prefix(done))
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(HostError) {
    var done = 0
    while done < bytes.count {
      let length = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(
          file.descriptor,
          buffer.baseAddress?.advanced(by: done),
          bytes.count - done,
          off_t(offset + done)
        )
      }
      if length < 0 && errno == EINTR { continue }
      guard length > 0 else { throw file.failure("write", length < 0 ? errno : EIO) }
      done += length
    }
  }
}

/// Where everything is in a file of events; the layout is that of `launch_events.h`.
struct EventsLayout: Hashable, Sendable {
  /// How many events have room.
  let capacity: Int

  /// How many bytes of text have room.
  let textCapacity: Int

  static let magic: UInt64 = 0x3154_4E45_5645_4C4C
  static let headerSize = 256
  static let eventSize = 40

  /// The option that takes the probe's variables out of the target's environment.
  static let hidden: UInt32 = 1

  /// The first of `GLIBC_TUNABLES` where a target has the probe: room for thread-local variables that
  /// must have a fixed place, such as those of jemalloc.
  ///
  /// Where there is an auditor, the loader sets up threads before it has loaded the program's
  /// libraries, so that all of these have to find room in what it keeps free: 512 bytes unless it is
  /// told otherwise. The room is taken from the stack of each thread, and threads may have as little
  /// as 16 KiB; Node has one of less than twice that. Sources: glibc 2.36, elf/rtld.c, elf/dl-tls.c
  /// and nptl/allocatestack.c; its manual, "Dynamic Linking Tunables".
  static let tunable = "glibc.rtld.optional_static_tls=8192"

  /// Offsets in the header.
  enum Header {
    static let capacity = 8
    static let textCapacity = 12
    static let next = 16
    static let textNext = 20
    static let options = 24
    static let readyMark = 32..<96
    static let readySocket = 96..<208
  }

  /// Offsets in an event.
  enum Event {
    static let time = 0
    static let end = 8
    static let address = 16
    static let pid = 24
    static let object = 28
    static let text = 32
    static let textLength = 36
    static let kind = 38
  }

  var textOffset: Int { Self.headerSize + capacity * Self.eventSize }

  var fileSize: Int { textOffset + textCapacity }
}

extension [UInt8] {
  /// An integer in the byte order of this machine; 0 where it lies outside.
  func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value {
    guard offset >= 0, offset + MemoryLayout<Value>.size <= count else { return 0 }
    return unsafe withUnsafeBytes { bytes in
      unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }
  }

  /// Writes an integer over the bytes that are there; the integer must lie inside.
  mutating func set(_ value: some FixedWidthInteger, at offset: Int) {
    unsafe Swift.withUnsafeBytes(of: value) { bytes in
      unsafe replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
  }
}
