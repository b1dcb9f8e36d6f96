import Foundation
import LaunchCore
import SystemPackage

/// What a program or library consists of, in a form that a rebuilt file shares.
package struct ProgramCode: Hashable, Sendable {
  /// The digest of each function by its plain, readable name; nil for one that was not disassembled.
  ///
  /// Functions of one name are one, as are the parts that compilers make of a function.
  package var functions: [String: UInt64?]

  /// Whether the names of all functions are known, and not only those of exported ones.
  package var isNamed: Bool

  /// Whether the digests of all functions are known, and not only those of some.
  package var isComplete: Bool

  /// The sizes in bytes of the sections that are looked at, and that there are.
  package var sections: [String: Int]

  /// The libraries that it asks for, in its order.
  package var libraries: [String]

  package init(
    functions: [String: UInt64?],
    isNamed: Bool = true,
    isComplete: Bool = true,
    sections: [String: Int] = [:],
    libraries: [String] = []
  ) {
    self.functions = functions
    self.isNamed = isNamed
    self.isComplete = isComplete
    self.sections = sections
    self.libraries = libraries
  }

  /// The sections whose sizes are told.
  package static let sectionNames = [
    ".text", ".rodata", ".data", ".data.rel.ro", ".bss", ".init_array",
  ]
}

/// Reads the code of programs after their launches, to say which functions differ.
///
/// Functions are found by the symbols of the file. Their bytes are disassembled by objdump of
/// binutils where it is installed; without it, only their names are known.
package struct ProgramCodeReader: Sendable {
  /// How much code is disassembled whole, in bytes; of more, only the functions asked for.
  var largestCode = 8 << 20

  /// How long disassembling a file may take.
  var limit = Duration.seconds(60)

  /// Where objdump is looked for, in the form of `PATH`.
  var path = ProcessInfo.processInfo.environment["PATH"]

  package init() {}

  /// Whether two files have the same content; false for what cannot be read.
  ///
  /// - Returns: True without reading where both paths lead to one file.
  package func areSame(_ one: String, _ other: String) -> Bool {
    if one == other { return true }
    guard let files = Self.open([one, other]) else { return false }
    defer { for file in files { try? file.close() } }
    let reads = files.map(ProgramFile.reader)
    var offset = 0
    while true {
      let chunk = reads[0](offset, 1 << 20)
      guard chunk == reads[1](offset, 1 << 20) else { return false }
      if chunk.isEmpty { return true }
      offset += chunk.count
    }
  }

  private static func open(_ paths: [String]) -> [FileDescriptor]? {
    var files: [FileDescriptor] = []
    for path in paths {
      guard let file = ProgramFile.open(FilePath(path)) else {
        for file in files { try? file.close() }
        return nil
      }
      files.append(file)
    }
    return files
  }

  /// Reads a file; whatever is in it, this never fails.
  ///
  /// - Parameters:
  ///   - path: Absolute.
  ///   - names: The plain names of the functions that matter if the file is too large.
  /// - Returns: Nil where there is nothing to compare by name; and what is missing, as a sentence
  ///   without a full stop.
  package func code(
    of path: String,
    namely names: Set<String>
  ) async -> (code: ProgramCode?, problem: String?) {
    guard let file = ProgramFile.open(FilePath(path)) else {
      return (nil, "the code of \(path) cannot be read")
    }
    defer { try? file.close() }
    let read = ProgramFile.reader(of: file)
    guard let symbols = ELFSymbols(read: read), symbols.header.machine == Self.machine else {
      return (nil, "the code of \(path) is not compared: it is not a program for x86-64")
    }
    let sections = symbols.sections.filter { ProgramCode.sectionNames.contains($0.name) }
    var code = ProgramCode(
      functions: [:],
      isNamed: false,
      isComplete: false,
      sections: Dictionary(sections.map { ($0.name, $0.size) }) { $0 + $1 },
      libraries: symbols.neededLibraries
    )
    let map = await CodeMap(symbols, path: path, read: read)
    guard !map.functions.isEmpty else {
      return (code, "the code of \(path) is not compared: it was stripped of its symbols")
    }
    code.isNamed = map.isWhole
    for function in map.functions { code.functions[function.name] = .some(nil) }
    let isSmall = map.functions.reduce(0) { $0 + $1.size } <= largestCode
    let chosen = isSmall ? map.functions : map.functions.filter { names.contains($0.name) }
    let disassembly = Disassembly(limit: limit, path: self.path)
    do throws(Disassembly.Failure) {
      for (name, digest) in try await disassembly.digests(of: chosen, in: map) {
        code.functions[name] = digest
      }
      code.isComplete = isSmall && map.isWhole
      let stripped = "only exported functions of \(path) are compared: it was stripped of others"
      return (code, map.isWhole ? nil : stripped)
    } catch {
      return (code, "the code of \(path) is not compared: \(error.reason)")
    }
  }

  /// That of x86-64; instructions of others are not read.
  private static let machine = 62
}

/// The functions of a file by their addresses, with what calls may lead to besides.
struct CodeMap {
  /// By address; each address once.
  let functions: [Function]

  /// Whether these are all functions, and not only the exported ones.
  let isWhole: Bool

  private let places: [UInt64: String]
  private let relocations: [UInt64: ELFSymbols.Relocation]
  private let sections: [ELFHeader.Section]
  private let segments: [ELFHeader.Segment]
  private let read: ELFHeader.Read

  /// The addresses that code holds as numbers, where the file has a fixed place in memory.
  let fixedAddresses: Range<UInt64>?

  /// A function under its plain, readable name.
  struct Function: Hashable {
    var name: String
    var address: UInt64
    var size: Int
  }

  /// Names the functions as call stacks do.
  init(_ symbols: ELFSymbols, path: String, read: @escaping ELFHeader.Read) async {
    let segments = symbols.header.segments(read: read).filter { $0.type == 1 && $0.isExecutable }
    self.segments = segments
    self.read = read
    sections = symbols.sections
    relocations = symbols.relocations
    let all = symbols.allFunctions
    isWhole = all.isWhole
    let known = all.functions.filter { function in
      function.size <= 4 << 20 && segments.contains { $0.holds(function.address) }
    }
    let unique = Dictionary(known.map { ($0.address, $0) }) { $0.size < $1.size ? $1 : $0 }
    let names = await SymbolReader().symbols(
      for: unique.keys.map { CodePlace(file: path, offset: $0) }
    ).names
    let functions = unique.values.map { function in
      let place = CodePlace(file: path, offset: function.address)
      let name = names[place] ?? String(function.name.prefix { $0 != "@" })
      return Function(
        name: CodeFrame.plainName(name),
        address: function.address,
        size: function.size
      )
    }
    self.functions = functions.sorted { $0.address < $1.address }
    places = Dictionary(functions.map { ($0.address, $0.name) }) { first, _ in first }
    let mapped = sections.filter { $0.address > 0 && $0.size > 0 }
    let first = mapped.map(\.address).min() ?? 0
    let last = mapped.map { $0.address + $0.size }.max() ?? 0
    fixedAddresses = ELFSymbols.isFixed(read) && first < last ? UInt64(first)..<UInt64(last) : nil
  }

  func bytes(of function: Function) -> [UInt8] { bytes(at: function.address, function.size) }

  private func bytes(at address: UInt64, _ count: Int) -> [UInt8] {
    guard let segment = segments.first(where: { $0.holds(address) }) else { return [] }
    let start = Int(address) - segment.address
    return read(segment.offset + start, min(count, segment.size - start))
  }

  /// The function that begins at an address.
  func function(at address: UInt64) -> String? { places[address] }

  /// What a call or jump to an address leads to, wherever that lies.
  func target(_ address: UInt64) -> String? {
    places[address] ?? holder(of: address) ?? stub(at: address).flatMap(filled)
  }

  /// The function whose address the loader puts at an address that code reads.
  func pointer(at address: UInt64) -> String? {
    isIn([".got"], address) ? filled(address) : nil
  }

  private func holder(of address: UInt64) -> String? {
    var low = 0
    var high = functions.count
    while low < high {
      let middle = (low + high) / 2
      if functions[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let function = functions[low - 1]
    return address - function.address < UInt64(function.size) ? function.name : nil
  }

  private func filled(_ slot: UInt64) -> String? {
    switch relocations[slot] {
    case .symbol(let name)?: name
    case .address(let address)?: places[address]
    case nil: nil
    }
  }

  private func isIn(_ prefixes: [String], _ address: UInt64) -> Bool {
    sections.contains { section in
      UInt64(section.address) <= address && address < UInt64(section.address + section.size)
        && prefixes.contains(where: section.name.hasPrefix)
    }
  }

  /// What a stub of the procedure linkage table reads its target from, by `jmp *offset(%rip)`.
  private func stub(at address: UInt64) -> UInt64? {
    guard isIn([".plt", ".iplt"], address) else { return nil }
    let bytes = bytes(at: address, 16)
    for start in 0..<max(0, bytes.count - 5) where bytes[start] == 0xFF && bytes[start + 1] == 0x25
    {
      let offset = ELFHeader.integer(bytes, at: start + 2, size: 4) ?? 0
      return address &+ UInt64(start + 6)
        &+ UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: offset)))
    }
    return nil
  }
}

extension ELFHeader.Segment {
  fileprivate func holds(_ address: UInt64) -> Bool {
    UInt64(self.address) <= address && address < UInt64(self.address + size)
  }
}
