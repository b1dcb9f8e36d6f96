/// What an ELF file says of itself besides the addresses of a few functions; elf(5).
///
/// A damaged table is read as far as it goes: nothing here fails.
extension ELFSymbols {
  /// A function of a symbol table.
  struct Function: Hashable {
    var name: String
    var address: UInt64
    var size: Int
  }

  /// Whether the file is a program with a fixed place in memory.
  static func isFixed(_ read: ELFHeader.Read) -> Bool {
    ELFHeader.integer(read(0, 64), at: 16, size: 2) == 2
  }

  /// The functions with a size, those of the full table, or else the exported ones, in the order of
  /// the table.
  ///
  /// `isWhole` is false for those of a stripped file, which has more functions than it exports.
  var allFunctions: (functions: [Function], isWhole: Bool) {
    for (table, strings) in [(".symtab", ".strtab"), (".dynsym", ".dynstr")] {
      guard let symbols = section(named: table)?.bytes, let texts = section(named: strings)?.bytes
      else { continue }
      let found = Self.functions(of: symbols, texts)
      if !found.isEmpty { return (found, table == ".symtab") }
    }
    return ([], false)
  }

  private static func functions(of symbols: [UInt8], _ strings: [UInt8]) -> [Function] {
    stride(from: 0, to: symbols.count - 23, by: 24).compactMap { start in
      guard isDefined(functionTypes, symbols, at: start),
        let name = ELFHeader.integer(symbols, at: start, size: 4),
        let address = ELFHeader.integer(symbols, at: start + 8, size: 8),
        let size = ELFHeader.integer(symbols, at: start + 16, size: 8), size > 0
      else { return nil }
      return Function(name: text(strings, at: name), address: UInt64(address), size: size)
    }
  }

  private static func text(_ strings: [UInt8], at offset: Int) -> String {
    guard offset < strings.count else { return "" }
    return String(decoding: strings[offset...].prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The shared libraries that the file asks for, in its order.
  var neededLibraries: [String] {
    guard let table = section(named: ".dynamic")?.bytes,
      let strings = section(named: ".dynstr")?.bytes
    else { return [] }
    return stride(from: 0, to: table.count - 15, by: 16).compactMap { start in
      guard ELFHeader.integer(table, at: start, size: 8) == 1,
        let name = ELFHeader.integer(table, at: start + 8, size: 8)
      else { return nil }
      return Self.text(strings, at: name)
    }
  }

  /// What the loader puts into memory, by address: a symbol of any file, or an address of this one.
  enum Relocation: Hashable {
    case symbol(String)
    case address(UInt64)
  }

  /// The relocations of the file by the address that they fill.
  var relocations: [UInt64: Relocation] {
    let symbols = section(named: ".dynsym")?.bytes ?? []
    let strings = section(named: ".dynstr")?.bytes ?? []
    var found: [UInt64: Relocation] = [:]
    for table in [".rela.dyn", ".rela.plt"] {
      let entries = section(named: table)?.bytes ?? []
      for start in stride(from: 0, to: entries.count - 23, by: 24) {
        guard let slot = ELFHeader.integer(entries, at: start, size: 8),
          let symbol = ELFHeader.integer(entries, at: start + 12, size: 4)
        else { continue }
        if symbol > 0, let name = ELFHeader.integer(symbols, at: symbol * 24, size: 4) {
          found[UInt64(slot)] = .symbol(Self.text(strings, at: name))
        } else if let address = ELFHeader.integer(entries, at: start + 16, size: 8) {
          found[UInt64(slot)] = .address(UInt64(address))
        }
      }
    }
    return found
  }
}
