/// The functions of an ELF file by name: its symbol tables, where it was not stripped of them.
///
/// Only files of 64 bits and little endian are read, as all architectures have that launchlab
/// runs on. Source of the layouts: elf(5).
package struct ELFSymbols {
  let header: ELFHeader
  let sections: [ELFHeader.Section]
  private let read: ELFHeader.Read

  private static let symbolTable = 2
  private static let dynamicSymbolTable = 11

  /// What one table may have at most, in bytes, so that a broken file cannot ask for all memory.
  private static let sizeLimit = 512 << 20

  package init?(read: @escaping ELFHeader.Read) {
    guard let header = ELFHeader(read(0, 64)), header.is64Bit, header.isLittleEndian else {
      return nil
    }
    self.header = header
    self.read = read
    sections = header.sections(read: read)
  }

  /// The bytes of a section with a name; nil when there is none, or when it is too large.
  package func section(named name: String) -> (section: ELFHeader.Section, bytes: [UInt8])? {
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
      let wanted = missing.map { (name: $0, bytes: Array($0.utf8) + [0]) }
      for start in stride(from: 0, to: symbols.count - 23, by: 24) {
        guard Self.isDefined(Self.labels, symbols, at: start),
          let name = ELFHeader.integer(symbols, at: start, size: 4), name < strings.count,
          let want = wanted.first(where: { strings[name...].starts(with: $0.bytes) }),
          let address = ELFHeader.integer(symbols, at: start + 8, size: 8)
        else { continue }
        found[want.name] = UInt64(address)
      }
    }
    return found
  }

  /// The types of functions, and of labels of hand-written assembly.
  private static let labels: [UInt8] = [2, 0]

  /// The types of functions, and of those that choose one when the program is loaded.
  static let functionTypes: [UInt8] = [2, 10]

  /// Whether a symbol is of one of the types, and not defined elsewhere.
  static func isDefined(_ types: [UInt8], _ symbols: [UInt8], at start: Int) -> Bool {
    types.contains(symbols[start + 4] & 0xf) && (symbols[start + 6] != 0 || symbols[start + 7] != 0)
  }

  private func bytes(of section: ELFHeader.Section) -> [UInt8]? {
    guard section.size <= Self.sizeLimit else { return nil }
    let bytes = read(section.offset, section.size)
    return bytes.count == section.size ? bytes : nil
  }
}

/// The functions of a Go program, also of one that was stripped of its symbols.
///
/// Go programs keep a table of their functions for their own tracebacks.
/// Source of its layout: the package `debug/gosym` of Go 1.18 to 1.25, file pclntab.go.
enum GoFunctions {
  private static let tables = [".gopclntab", ".data.rel.ro.gopclntab"]

  static func isGo(_ symbols: ELFSymbols) -> Bool {
    symbols.sections.contains { tables.contains($0.name) }
  }

  /// The addresses of functions, as in the file.
  static func find(_ names: [String], in symbols: ELFSymbols) -> [String: UInt64] {
    let found = symbols.functions(named: names)
    if found.count == names.count { return found }
    guard let table = tables.lazy.compactMap({ symbols.section(named: $0) }).first else {
      return found
    }
    let entry = symbols.header.entry
    // The first instruction of a Go program without C jumps; that of a C program does not.
    let begins =
      symbols.bytes(at: entry, count: 1).first.map { [0xE9, 0xEB].contains($0) } ?? false
    return Table(table.bytes)?.addresses(of: names, entry: begins ? entry : nil) ?? found
  }

  private struct Table {
    private let bytes: [UInt8]
    private let count: Int

    /// Where the functions begin; 0 when that is left to the loader.
    private let start: Int
    private let names: Int
    private let functions: Int

    /// Names of what a program without C begins with; by it the functions find their place.
    private static let entries = ["_rt0_amd64_linux", "_rt0_arm64_linux"]

    init?(_ bytes: [UInt8]) {
      self.bytes = bytes
      let field = { ELFHeader.integer(bytes, at: 8 + $0 * 8, size: 8) }
      let version = ELFHeader.integer(bytes, at: 0, size: 4)
      guard version == 0xFFFF_FFF0 || version == 0xFFFF_FFF1, bytes.count > 72, bytes[7] == 8,
        let count = field(0), let start = field(2), let names = field(3), let functions = field(7),
        count < bytes.count, names < bytes.count, functions < bytes.count
      else { return nil }
      self.count = count
      self.start = start
      self.names = names
      self.functions = functions
    }

    /// The addresses of functions; `entry` is the entry point, if it is Go's own.
    func addresses(of wanted: [String], entry: UInt64?) -> [String: UInt64] {
      let texts = (wanted + Self.entries).map { (name: $0, bytes: Array($0.utf8) + [0]) }
      var offsets: [String: Int] = [:]
      for index in 0..<count {
        guard let offset = integer(functions + index * 8),
          let record = integer(functions + index * 8 + 4),
          let nameOffset = integer(functions + record + 4)
        else { return [:] }
        let name = names + nameOffset
        for text in texts where bytes.dropFirst(name).starts(with: text.bytes) {
          offsets[text.name] = offset
        }
      }
      let first = Self.entries.lazy.compactMap { offsets[$0] }.first
      var base = UInt64(start)
      if base == 0 {
        guard let first, let entry else { return [:] }
        base = entry &- UInt64(first)
      }
      return offsets.filter { wanted.contains($0.key) }.mapValues { base &+ UInt64($0) }
    }

    private func integer(_ offset: Int) -> Int? { ELFHeader.integer(bytes, at: offset, size: 4) }
  }
}
