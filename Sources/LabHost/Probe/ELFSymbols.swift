/// The functions of an ELF file by name: its symbol tables, where it was not stripped of them.
///
/// Only files of 64 bits and little endian are read, as all architectures have that launchlab
/// runs on. Source of the layouts: elf(5).
struct ELFSymbols {
  let header: ELFHeader
  let sections: [ELFHeader.Section]
  private let read: ELFHeader.Read

  private static let symbolTable = 2
  private static let dynamicSymbolTable = 11

  /// What one table may have at most, in bytes, so that a broken file cannot ask for all memory.
  private static let sizeLimit = 512 << 20

  init?(read: @escaping ELFHeader.Read) {
    guard let header = ELFHeader(read(0, 64)), header.is64Bit, header.isLittleEndian else {
      return nil
    }
    self.header = header
    self.read = read
    sections = header.sections(read: read)
  }

  /// The bytes of a section with a name; nil when there is none, or when it is too large.
  func section(named name: String) -> (section: ELFHeader.Section, bytes: [UInt8])? {
    guard let section = sections.first(where: { $0.name == name }) else { return nil }
    return bytes(of: section).map { (section, $0) }
  }

  /// The bytes that are mapped at an address, fewer at the end of their segment.
  func bytes(at address: UInt64, count: Int) -> [UInt8] {
    let segment = header.segments(read: read).first {
      $0.type == 1 && $0.isExecutable && UInt64($0.address) <= address
        && address < UInt64($0.address + $0.size)
    }
    guard let segment else { return [] }
    let start = Int(address) - segment.address
    return read(segment.offset + start, min(count, segment.size - start))
  }

  /// The addresses of functions, those in the full table before those in the dynamic one.
  ///
  /// Cost: linear in the number of symbols.
  func functions(named names: [String]) -> [String: UInt64] {
    var found: [String: UInt64] = [:]
    for type in [Self.symbolTable, Self.dynamicSymbolTable] {
      let missing = names.filter { found[$0] == nil }
      guard !missing.isEmpty, let table = sections.first(where: { $0.type == type }),
        sections.indices.contains(table.link), let symbols = bytes(of: table),
        let strings = bytes(of: sections[table.link])
      else { continue }
      found.merge(Self.functions(named: missing, symbols: symbols, strings: strings)) { $1 }
    }
    return found
  }

  private func bytes(of section: ELFHeader.Section) -> [UInt8]? {
    guard section.size <= Self.sizeLimit else { return nil }
    let bytes = read(section.offset, section.size)
    return bytes.count == section.size ? bytes : nil
  }

  private static func functions(
    named names: [String],
    symbols: [UInt8],
    strings: [UInt8]
  ) -> [String: UInt64] {
    let wanted = names.map { (name: $0, bytes: Array($0.utf8) + [0]) }
    var found: [String: UInt64] = [:]
    for start in stride(from: 0, to: symbols.count - 23, by: 24) {
      guard isDefinedFunction(symbols, at: start) else { continue }
      let name = Int(load(UInt32.self, symbols, start))
      guard name < strings.count else { continue }
      for want in wanted where strings[name] == want.bytes[0] {
        guard name + want.bytes.count <= strings.count,
          strings[name..<(name + want.bytes.count)].elementsEqual(want.bytes)
        else { continue }
        found[want.name] = load(UInt64.self, symbols, start + 8)
      }
    }
    return found
  }

  /// A function, or a label of hand-written assembly, that is not defined elsewhere.
  private static func isDefinedFunction(_ symbols: [UInt8], at start: Int) -> Bool {
    let type = symbols[start + 4] & 0xf
    guard type == 2 || type == 0 else { return false }
    return symbols[start + 6] != 0 || symbols[start + 7] != 0
  }

  private static func load<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type,
    _ bytes: [UInt8],
    _ offset: Int
  ) -> Value {
    unsafe bytes.withUnsafeBytes {
      unsafe Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type))
    }
  }
}
