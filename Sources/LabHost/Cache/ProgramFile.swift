import SystemPackage

/// What the kernel does first with an executable file.
enum ProgramFile: Hashable, Sendable {
  /// A dynamic ELF program, and the loader that it asks for.
  case dynamic(loader: String)

  /// An ELF program that needs no loader.
  case fixed

  /// A text that another program interprets, with the rest of the line after its path.
  case script(interpreter: String, argument: String?)

  case unknown

  /// Reads the start of a program.
  ///
  /// - Parameter read: Gives at most `count` bytes at an offset, fewer at the end of the file.
  ///
  /// Any bytes are allowed. Sources: execve(2) for scripts; elf(5) for programs.
  init(read: (_ offset: Int, _ count: Int) -> [UInt8]) {
    let start = read(0, 256)
    if start.starts(with: [0x23, 0x21]) {
      self = Self.script(line: start.dropFirst(2))
    } else if let header = ELFHeader(start) {
      self = header.loader(read: read).map { .dynamic(loader: $0) } ?? .fixed
    } else {
      self = .unknown
    }
  }

  init(bytes: [UInt8]) {
    self.init { offset, count in Array(bytes.dropFirst(offset).prefix(count)) }
  }

  /// Reads the start of a file; `unknown` when it cannot be read.
  init(at path: FilePath) {
    guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else {
      self = .unknown
      return
    }
    defer { try? file.close() }
    self.init { offset, count in
      var buffer = [UInt8](repeating: 0, count: count)
      let length = unsafe buffer.withUnsafeMutableBytes {
        unsafe try? file.read(fromAbsoluteOffset: Int64(offset), into: $0)
      }
      return Array(buffer.prefix(length ?? 0))
    }
  }

  private static func script(line: ArraySlice<UInt8>) -> Self {
    let text = String(decoding: line.prefix { $0 != 0x0A && $0 != 0 }, as: UTF8.self).trimmed
    let words = text.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
    guard let interpreter = words.first else { return .unknown }
    return .script(
      interpreter: String(interpreter),
      argument: words.count > 1 ? words[1].trimmed : nil
    )
  }
}

/// The part of an ELF header that leads to the program headers.
private struct ELFHeader {
  private let is64Bit: Bool
  private let isLittleEndian: Bool
  private let tableOffset: Int
  private let entryCount: Int

  /// Program header types of elf(5).
  private static let interpreterType = 3

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 64, bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { return nil }
    guard (1...2).contains(bytes[4]), (1...2).contains(bytes[5]) else { return nil }
    is64Bit = bytes[4] == 2
    isLittleEndian = bytes[5] == 1
    let integer = { Self.integer(bytes, at: $0, size: $1, isLittleEndian: bytes[5] == 1) }
    guard let offset = bytes[4] == 2 ? integer(32, 8) : integer(28, 4),
      let size = bytes[4] == 2 ? integer(54, 2) : integer(42, 2),
      let count = bytes[4] == 2 ? integer(56, 2) : integer(44, 2),
      size == (bytes[4] == 2 ? 56 : 32)
    else { return nil }
    tableOffset = offset
    entryCount = count
  }

  /// The path in the first program header of type `PT_INTERP`; nil when there is none.
  func loader(read: (_ offset: Int, _ count: Int) -> [UInt8]) -> String? {
    let size = is64Bit ? 56 : 32
    let table = read(tableOffset, entryCount * size)
    for start in stride(from: 0, to: table.count - size + 1, by: size) {
      let entry = Array(table[start..<(start + size)])
      guard integer(entry, at: 0, size: 4) == Self.interpreterType else { continue }
      guard let offset = is64Bit ? integer(entry, at: 8, size: 8) : integer(entry, at: 4, size: 4),
        let length = is64Bit ? integer(entry, at: 32, size: 8) : integer(entry, at: 16, size: 4),
        length <= 4096
      else { return nil }
      let path = String(decoding: read(offset, length).prefix { $0 != 0 }, as: UTF8.self)
      return path.isEmpty ? nil : path
    }
    return nil
  }

  private func integer(_ bytes: [UInt8], at offset: Int, size: Int) -> Int? {
    Self.integer(bytes, at: offset, size: size, isLittleEndian: isLittleEndian)
  }

  /// Reads an unsigned integer; nil when it lies outside of the bytes, or of a sensible file.
  private static func integer(
    _ bytes: [UInt8],
    at offset: Int,
    size: Int,
    isLittleEndian: Bool
  )
    -> Int?
  {
    guard offset + size <= bytes.count else { return nil }
    let field = bytes[offset..<(offset + size)]
    let value = (isLittleEndian ? Array(field.reversed()) : Array(field))
      .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return value < 1 << 48 ? Int(value) : nil
  }
}
