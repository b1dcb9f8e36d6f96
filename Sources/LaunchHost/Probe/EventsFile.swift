import CLaunchWire
import Glibc
package import LaunchCore
import SystemPackage

/// The file of events that the probe, and programs with launch marks, write during a launch.
///
/// The programs map it; here it is read and written by calls, since a program could cut it short,
/// and touching a mapping of it would end launchlab then. Nothing in it is trusted.
package final class EventsFile {
  package let path: String

  private let file: OpenFile

  /// What the header is before a launch.
  private var header = launch_events_header()

  private static let headerSize = MemoryLayout<launch_events_header>.size
  private static let eventSize = MemoryLayout<launch_event>.size

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
    header.magic = LAUNCH_EVENTS_MAGIC
    header.capacity = UInt32(capacity)
    header.text_capacity = UInt32(textCapacity)
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .system(operation: "make the file of events", path: path, errno: errno)
    }
    file = OpenFile(descriptor: descriptor, path: FilePath(path))
    try file.check(fchmod(descriptor, 0o666), "change the mode of")
    try reserve()
    let zeros = [UInt8](repeating: 0, count: Self.prepared)
    try write(Array(zeros.prefix(textCapacity)), at: header.textOffset)
    try write(Array(zeros.prefix(header.eventsSize)), at: Self.headerSize)
    try write([UInt8](of: header), at: 0)
  }

  // MARK: - Before a launch

  /// Whether the probe takes `LD_AUDIT` out of the target's environment; from the next reset on.
  package var isHidden: Bool {
    get { header.options & LAUNCH_EVENTS_HIDDEN != 0 }
    set { header.options = newValue ? LAUNCH_EVENTS_HIDDEN : 0 }
  }

  /// Says which mark means ready, and who is to be told of it; from the next reset on.
  ///
  /// - Parameters:
  ///   - mark: The name of the mark, at most 63 bytes; empty for none.
  ///   - socket: The path of a datagram socket, at most 107 bytes; empty for none.
  /// - Returns: False when one of them is too long, and then nothing is changed.
  package func setReady(mark: String, socket: String) -> Bool {
    var changed = header
    guard Self.set(&changed.ready_mark, to: mark), Self.set(&changed.ready_socket, to: socket)
    else { return false }
    header = changed
    return true
  }

  /// Sets a text that ends with a NUL byte; false when it does not fit.
  private static func set(_ field: inout some BitwiseCopyable, to text: String) -> Bool {
    let room = MemoryLayout.size(ofValue: field)
    guard text.utf8.count < room, !text.utf8.contains(0) else { return false }
    fill(&field, with: Array(text.utf8) + [UInt8](repeating: 0, count: room - text.utf8.count))
    return true
  }

  /// Empties the file, of which only what was used is written.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package func reset() throws(HostError) {
    if try Int(file.status().st_size) != header.fileSize {
      try file.check(ftruncate(file.descriptor, 0), "empty")
      try reserve()
    } else {
      let zeros = [UInt8](repeating: 0, count: try claimed().events * Self.eventSize)
      try write(zeros, at: Self.headerSize)
    }
    try write([UInt8](of: header), at: 0)
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
    let claimed = try claimed()
    let records = try read(at: Self.headerSize, count: claimed.events * Self.eventSize)
    let text = try read(at: header.textOffset, count: claimed.text)
    var content = Content(lost: claimed.lostEvents, lostText: claimed.lostText)
    for start in stride(from: 0, to: records.count, by: Self.eventSize) {
      guard let record: launch_event = records.value(at: start),
        let kind = LaunchEvent.Kind(number: record.kind)
      else { continue }
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
    _ record: launch_event,
    text: [UInt8],
    in span: ClosedRange<Nanoseconds>
  ) -> LaunchEvent? {
    let time = Nanoseconds(Int64(bitPattern: record.time))
    let end = record.end == 0 ? nil : Nanoseconds(Int64(bitPattern: record.end))
    let pid = Int32(bitPattern: record.pid)
    let start = record.text_length == 0 ? 0 : Int(record.text)
    let place = start..<(start + Int(record.text_length))
    guard pid > 0, span.contains(time), end.map({ $0 >= time && span.contains($0) }) ?? true,
      place.upperBound <= text.count
    else { return nil }
    return LaunchEvent(
      kind: kind,
      pid: pid,
      time: time,
      end: end,
      address: record.address,
      object: record.object,
      text: String(decoding: text[place], as: UTF8.self)
    )
  }

  // MARK: - Details

  /// Takes the space for all of the file: where there was none later, a program would be ended by
  /// SIGBUS when it writes to its mapping.
  private func reserve() throws(HostError) {
    let code = posix_fallocate(file.descriptor, 0, off_t(header.fileSize))
    guard code == 0 else { throw file.failure("make room in", code) }
  }

  /// How much was claimed of each part, within it and beyond; nothing where there is no header.
  private func claimed() throws(HostError) -> (
    events: Int, lostEvents: Int, text: Int, lostText: Int
  ) {
    let found = try read(at: 0, count: Self.headerSize).value(of: launch_events_header.self)
    let events = found?.next ?? 0
    let text = found?.text_next ?? 0
    return (
      Int(min(events, header.capacity)), max(0, Int(events) - Int(header.capacity)),
      Int(min(text, header.text_capacity)), max(0, Int(text) - Int(header.text_capacity))
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

/// Where the parts are in a file of events.
extension launch_events_header {
  fileprivate var eventsSize: Int { Int(capacity) * MemoryLayout<launch_event>.size }

  var textOffset: Int { MemoryLayout<Self>.size + eventsSize }

  var fileSize: Int { textOffset + Int(text_capacity) }
}

extension LaunchEvent.Kind {
  /// The kind of an event that a program has written; nil for an unknown one.
  init?(number: UInt16) {
    switch Int(number) {
    case EVENT_PROGRAM_BEGAN: self = .programBegan
    case EVENT_OBJECT_OPENED: self = .objectOpened
    case EVENT_ADDING: self = .adding
    case EVENT_CONSISTENT: self = .consistent
    case EVENT_INITIALIZER: self = .initializer
    case EVENT_MAIN_BEGINS: self = .mainBegins
    case EVENT_INITIALIZERS_FOUND: self = .initializersFound
    case EVENT_INITIALIZERS_UNTIMED: self = .initializersUntimed
    case EVENT_LOADER_TOO_OLD: self = .loaderTooOld
    case EVENT_MARK: self = .mark
    case EVENT_INTERVAL: self = .interval
    case EVENT_TASK: self = .task
    case EVENT_PHASE: self = .phase
    default: return nil
    }
  }
}
