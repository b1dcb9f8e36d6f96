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
