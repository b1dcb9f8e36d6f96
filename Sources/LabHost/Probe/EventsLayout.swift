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
