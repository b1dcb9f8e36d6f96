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
  init(read: ELFHeader.Read) {
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
    guard let file = Self.open(path) else {
      self = .unknown
      return
    }
    defer { try? file.close() }
    self.init(read: Self.reader(of: file))
  }

  /// Opens a file for reading, without waiting for the other end of a pipe; nil when it cannot be.
  static func open(_ path: FilePath) -> FileDescriptor? {
    try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
  }

  /// Reads a file at offsets; what cannot be read is left out.
  static func reader(of file: FileDescriptor) -> ELFHeader.Read {
    let size = (try? file.seek(offset: 0, from: .end)).map(Int.init) ?? 0
    return { offset, count in
      let count = min(count, max(0, size - offset))
      var buffer = [UInt8](repeating: 0, count: count)
      let length = unsafe buffer.withUnsafeMutableBytes {
        unsafe try? file.read(fromAbsoluteOffset: Int64(offset), into: $0)
      }
      return length == count ? buffer : Array(buffer.prefix(length ?? 0))
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
