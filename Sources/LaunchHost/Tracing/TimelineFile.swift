import CLaunchWire
package import LaunchCore

/// The file of a timeline, as `trace_wire.h` describes it.
package struct TimelineFile: Sendable {
  /// In order of time.
  package let events: [TimelineEvent]

  /// How many events there was no room for.
  package let lostEvents: Int

  /// The paths of programs that ran without the rights that their files give, since they were traced.
  package let withoutRights: [String]

  /// Reads a file; nil for anything that is no whole timeline.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - process: The process that was launched; what happened to others that it did not start is
  ///     left out.
  package init?(_ bytes: [UInt8], process: Int32) {
    guard let header: timeline_header = bytes.value(), header.magic == TimelineReader.magic else {
      return nil
    }
    var reader = TimelineReader(bytes: bytes, offset: MemoryLayout<timeline_header>.size)
    guard let records = reader.records(header.records), let names = reader.names(header.names)
    else {
      return nil
    }
    var conversion = TimelineConversion(names: names, process: process)
    for record in TimelineWaits(of: records).resolved(records) { conversion.add(record) }
    events = conversion.events
    withoutRights = conversion.withoutRights
    lostEvents = Int(clamping: header.lost)
  }
}

/// Reads the parts of a file one after the other.
struct TimelineReader {
  /// `TIMELINE_MAGIC`, which Swift does not import.
  static let magic: UInt64 = 0x3130_4c54_424c_414c

  struct Record {
    var head: timeline_record
    var text: ArraySlice<UInt8>
  }

  fileprivate let bytes: [UInt8]
  fileprivate var offset: Int

  fileprivate mutating func records(_ count: UInt64) -> [Record]? {
    guard count <= UInt64(bytes.count / MemoryLayout<timeline_record>.size) else { return nil }
    var records: [Record] = []
    records.reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let head: timeline_record = next() else { return nil }
      let length = Int(head.length)
      guard let text = slice(length), slice((8 - length % 8) % 8) != nil else { return nil }
      records.append(Record(head: head, text: text))
    }
    // Processors write into the ring at the same time, so that neighbours may have changed places.
    return Self.ordered(records)
  }

  /// By time; those of one instant in the order in which they came.
  static func ordered(_ records: [Record]) -> [Record] {
    records.enumerated().sorted {
      ($0.element.head.time, $0.offset) < ($1.element.head.time, $1.offset)
    }.map(\.element)
  }

  fileprivate mutating func names(_ count: UInt64) -> [UInt32: String]? {
    var names: [UInt32: String] = [:]
    for _ in 0..<min(count, UInt64(bytes.count)) {
      guard let call: UInt32 = next(), let length: UInt32 = next(), let name = slice(Int(length))
      else { return nil }
      names[call] = String(decoding: name, as: UTF8.self)
    }
    return names
  }

  private mutating func next<Value: BitwiseCopyable>() -> Value? {
    slice(MemoryLayout<Value>.size)?.value()
  }

  private mutating func slice(_ length: Int) -> ArraySlice<UInt8>? {
    guard length <= bytes.count - offset else { return nil }
    defer { offset += length }
    return bytes[offset..<offset + length]
  }
}

/// Turns records into events of the threads of one launch.
private struct TimelineConversion {
  let names: [UInt32: String]
  private(set) var events: [TimelineEvent] = []
  private(set) var withoutRights: [String] = []

  /// The threads of the launch, and of those in a system call, where its event is.
  private var threads: [Int32: Int?]

  init(names: [UInt32: String], process: Int32) {
    self.names = names
    threads = [process: nil]
  }

  mutating func add(_ record: TimelineReader.Record) {
    let head = record.head
    switch timeline_kind(UInt32(head.kind)) {
    case TIMELINE_SWITCH: addSwitch(head)
    case TIMELINE_FORK where threads[head.thread] != nil:
      let thread = Int32(truncatingIfNeeded: head.values.0)
      threads[thread] = .some(nil)
      append(
        head,
        .started(thread: thread, process: Int32(truncatingIfNeeded: head.values.1))
      )
    case _ where threads[head.thread] == nil: break
    case TIMELINE_ENTER:
      threads[head.thread] = .some(events.count)
      append(head, .enteredCall(call(of: record)))
    case TIMELINE_LEAVE:
      if let late = text(of: record) { complete(head.thread, late) }
      threads[head.thread] = .some(nil)
      append(head, .leftCall(result: Int64(bitPattern: head.values.0)))
    case TIMELINE_WAKE: append(head, .woken(by: waker(of: record)))
    case TIMELINE_FAULT: append(head, .faulted(address: head.values.0))
    case TIMELINE_PAGE_IN: append(head, .pagedIn(pages: Int(clamping: head.values.0)))
    case TIMELINE_EXECUTE:
      let path = text(of: record) ?? ""
      if head.values.1 & UInt64(TIMELINE_WITHOUT_RIGHTS) != 0 { withoutRights.append(path) }
      append(head, .executed(path: path))
    case TIMELINE_END_THREAD: append(head, .ended)
    default: break
    }
  }

  private mutating func append(_ head: timeline_record, _ kind: TimelineEvent.Kind) {
    append(head.thread, head, kind)
  }

  private mutating func append(
    _ thread: Int32,
    _ head: timeline_record,
    _ kind: TimelineEvent.Kind
  ) {
    let time = Nanoseconds(Int64(clamping: head.time))
    events.append(TimelineEvent(time: time, thread: thread, kind: kind))
  }

  private mutating func addSwitch(_ head: timeline_record) {
    let flags = UInt32(truncatingIfNeeded: head.values.1)
    if threads[head.thread] != nil {
      append(
        head,
        flags & TIMELINE_PREEMPTED != 0
          ? .preempted : .blocked(isForDisk: flags & TIMELINE_DISK != 0)
      )
    }
    let next = Int32(truncatingIfNeeded: head.values.0)
    if threads[next] != nil { append(next, head, .switchedIn) }
  }

  private func call(of record: TimelineReader.Record) -> TimelineEvent.SystemCall {
    let head = record.head
    let values = head.values
    return TimelineEvent.SystemCall(
      name: names[head.call] ?? "syscall_\(head.call & ~TIMELINE_32BIT)",
      arguments: [values.0, values.1, values.2, values.3, values.4].map { Int64(bitPattern: $0) },
      text: text(of: record)
    )
  }

  /// Gives a call the text that could be read only when it returned.
  private mutating func complete(_ thread: Int32, _ text: String) {
    guard let index = threads[thread] ?? nil,
      case .enteredCall(var call) = events[index].kind
    else { return }
    call.text = text
    events[index].kind = .enteredCall(call)
  }

  private func waker(of record: TimelineReader.Record) -> TimelineEvent.Waker {
    let values = record.head.values
    let thread = Int32(truncatingIfNeeded: values.0)
    let isInterrupt =
      switch timeline_waker(UInt32(truncatingIfNeeded: values.2)) {
      case TIMELINE_BY_INTERRUPT: true
      case TIMELINE_BY_THREAD: false
      // A thread wakes another in a system call; outside of one it was interrupted.
      default: threads[thread].map { $0 == nil } ?? false
      }
    return TimelineEvent.Waker(
      thread: thread,
      process: Int32(truncatingIfNeeded: values.1),
      name: text(of: record) ?? "",
      isInterrupt: isInterrupt
    )
  }

  private func text(of record: TimelineReader.Record) -> String? {
    switch timeline_text(UInt32(record.head.text)) {
    case TIMELINE_PATH: String(decoding: record.text, as: UTF8.self)
    case TIMELINE_NAME: String(decoding: record.text.prefix { $0 != 0 }, as: UTF8.self)
    case TIMELINE_ADDRESS: SocketAddress(record.text)?.text
    default: nil
    }
  }
}

/// A socket address in the bytes of the kernel; see unix(7), ip(7) and ipv6(7).
private struct SocketAddress {
  /// Such as `unix:/run/x.sock`, `unix:@name`, `127.0.0.1:80` or `[::1]:80`.
  let text: String

  init?(_ bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count >= 2 else { return nil }
    let family = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    switch family {
    case 1:
      let path = bytes.dropFirst(2)
      let isAbstract = path.first == 0
      let name = isAbstract ? path.dropFirst() : path
      text =
        "unix:" + (isAbstract ? "@" : "") + String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    case 2 where bytes.count >= 8:
      text = bytes[4..<8].map { String($0) }.joined(separator: ".") + ":\(Self.port(bytes))"
    case 10 where bytes.count >= 24:
      let groups = stride(from: 8, to: 24, by: 2).map {
        String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
      }
      text = "[\(groups.joined(separator: ":"))]:\(Self.port(bytes))"
    case 16: text = "netlink"
    default: return nil
    }
  }

  private static func port(_ bytes: [UInt8]) -> Int { Int(bytes[2]) << 8 | Int(bytes[3]) }
}
