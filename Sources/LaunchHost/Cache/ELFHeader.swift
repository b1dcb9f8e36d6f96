/// The header of an ELF file, which leads to its segments and its sections; elf(5).
package struct ELFHeader {
  /// Gives at most `count` bytes at an offset of the file, fewer at its end.
  package typealias Read = (_ offset: Int, _ count: Int) -> [UInt8]

  let is64Bit: Bool
  let isLittleEndian: Bool

  /// The number of the processor's architecture.
  let machine: Int

  /// Where the program begins, before it is moved to its place in memory.
  let entry: UInt64

  private let segmentTable: Table
  private let sectionTable: Table
  private let sectionNames: Int

  /// A part of the file that is mapped, or says something of that.
  struct Segment: Hashable {
    var type: Int
    var isExecutable: Bool
    var offset: Int
    var address: Int
    var size: Int
  }

  /// A part of the file by its purpose.
  package struct Section: Hashable {
    var name: String
    var type: Int
    var address: Int
    var offset: Int
    var size: Int

    /// The index of the section that this one refers to.
    var link: Int
  }

  private struct Table {
    var offset: Int
    var count: Int
  }

  /// The kind of the segment that names the loader.
  private static let interpreterType = 3

  /// Reads the first 64 bytes of a file; nil when they are of no ELF file.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 64, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { return nil }
    guard (1...2).contains(bytes[4]), (1...2).contains(bytes[5]) else { return nil }
    let is64Bit = bytes[4] == 2
    let integer = { Self.integer(bytes, at: $0, size: $1, isLittleEndian: bytes[5] == 1) }
    guard let segments = is64Bit ? integer(32, 8) : integer(28, 4),
      let size = is64Bit ? integer(54, 2) : integer(42, 2),
      let count = is64Bit ? integer(56, 2) : integer(44, 2),
      size == (is64Bit ? 56 : 32)
    else { return nil }
    self.is64Bit = is64Bit
    isLittleEndian = bytes[5] == 1
    machine = integer(18, 2) ?? 0
    entry = UInt64((is64Bit ? integer(24, 8) : integer(24, 4)) ?? 0)
    segmentTable = Table(offset: segments, count: count)
    sectionTable = Table(
      offset: (is64Bit ? integer(40, 8) : integer(32, 4)) ?? 0,
      count: (is64Bit ? integer(60, 2) : integer(48, 2)) ?? 0
    )
    sectionNames = (is64Bit ? integer(62, 2) : integer(50, 2)) ?? 0
  }

  /// The path in the first segment that names a loader; nil when there is none.
  func loader(read: Read) -> String? {
    guard let segment = segments(read: read).first(where: { $0.type == Self.interpreterType }),
      segment.size <= 4096
    else { return nil }
    let bytes = read(segment.offset, segment.size).prefix { $0 != 0 }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The segments that can be read, in their order.
  func segments(read: Read) -> [Segment] {
    entries(of: segmentTable, size: is64Bit ? 56 : 32, read: read) { field in
      guard let type = field(0, 4), let flags = is64Bit ? field(4, 4) : field(24, 4),
        let offset = is64Bit ? field(8, 8) : field(4, 4),
        let address = is64Bit ? field(16, 8) : field(8, 4),
        let size = is64Bit ? field(32, 8) : field(16, 4)
      else { return nil }
      return Segment(
        type: type,
        isExecutable: flags & 1 != 0,
        offset: offset,
        address: address,
        size: size
      )
    }
  }

  /// The sections, in their order; none when any of them is broken, since they refer to others.
  func sections(read: Read) -> [Section] {
    guard sectionTable.offset > 0 else { return [] }
    var names: [Int] = []
    var sections = entries(of: sectionTable, size: is64Bit ? 64 : 40, read: read) {
      field -> Section? in
      guard let name = field(0, 4), let type = field(4, 4),
        let address = is64Bit ? field(16, 8) : field(12, 4),
        let offset = is64Bit ? field(24, 8) : field(16, 4),
        let size = is64Bit ? field(32, 8) : field(20, 4),
        let link = is64Bit ? field(40, 4) : field(24, 4)
      else { return nil }
      names.append(name)
      return Section(
        name: "",
        type: type,
        address: address,
        offset: offset,
        size: size,
        link: link
      )
    }
    guard sections.count == sectionTable.count, sectionNames < sections.count else { return [] }
    let table = sections[sectionNames]
    let text = read(table.offset, min(table.size, 1 << 20))
    for index in sections.indices {
      let bytes = text.dropFirst(names[index]).prefix { $0 != 0 }
      sections[index].name = String(decoding: bytes, as: UTF8.self)
    }
    return sections
  }

  // MARK: - Fields

  /// Reads the entries of a table, but those of which a field is missing.
  private func entries<Entry>(
    of table: Table,
    size: Int,
    read: Read,
    entry: ((_ offset: Int, _ size: Int) -> Int?) -> Entry?
  ) -> [Entry] {
    let bytes = read(table.offset, table.count * size)
    return stride(from: 0, to: bytes.count - size + 1, by: size).compactMap { start in
      entry { offset, size in
        Self.integer(bytes, at: start + offset, size: size, isLittleEndian: isLittleEndian)
      }
    }
  }

  /// Reads an unsigned integer; nil when it lies outside of the bytes, or of a sensible file.
  static func integer(
    _ bytes: [UInt8],
    at offset: Int,
    size: Int,
    isLittleEndian: Bool = true
  )
    -> Int?
  {
    guard offset >= 0, offset + size <= bytes.count else { return nil }
    var value: UInt64 = 0
    for index in 0..<size {
      value = value << 8 | UInt64(bytes[offset + (isLittleEndian ? size - 1 - index : index)])
    }
    return value < 1 << 48 ? Int(value) : nil
  }
}
