import Foundation
import Subprocess
package import SystemPackage

/// What the kernel does first with an executable file.
package enum ProgramFile: Hashable, Sendable {
  /// A dynamic ELF program, and the loader that it asks for.
  case dynamic(loader: String)

  /// An ELF program that needs no loader.
  case fixed

  /// A text that another program interprets, with the rest of the line after its path.
  case script(interpreter: String, argument: String?)

  /// A text that stands for a file kept elsewhere, which Git LFS has not fetched.
  case pointer

  case unknown

  /// Reads the start of a program.
  ///
  /// - Parameter read: Gives at most `count` bytes at an offset, fewer at the end of the file.
  ///
  /// Any bytes are allowed. Sources: execve(2) for scripts; elf(5) for programs; the specification
  /// of pointers of Git LFS.
  package init(read: ELFHeader.Read) {
    let start = read(0, 256)
    if start.starts(with: [0x23, 0x21]) {
      self = Self.script(line: start.dropFirst(2))
    } else if let header = ELFHeader(start) {
      self = header.loader(read: read).map { .dynamic(loader: $0) } ?? .fixed
    } else {
      self = start.starts(with: Self.pointerStart.utf8) ? .pointer : .unknown
    }
  }

  private static let pointerStart = "version https://git-lfs.github.com/spec/"

  static let pointerReason = "a Git LFS pointer, not the file itself"

  static let pointerRemedy = "get the file with `git lfs pull`, and build again"

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
  package static func open(_ path: FilePath) -> FileDescriptor? {
    try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
  }

  /// Reads a file at offsets; what cannot be read is left out.
  package static func reader(of file: FileDescriptor) -> ELFHeader.Read {
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
    let text = String(decoding: line.prefix { $0 != 0x0A && $0 != 0 }, as: UTF8.self)
      .trimmingCharacters(in: .init(charactersIn: " \t"))
    let words = text.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
    guard let interpreter = words.first else { return .unknown }
    return .script(
      interpreter: String(interpreter),
      argument: words.count > 1 ? words[1].trimmingCharacters(in: .init(charactersIn: " \t")) : nil
    )
  }
}

/// The shared libraries that the loader of a program would map for it.
struct SharedLibraries: Sendable {
  /// Absolute paths as the loader names them, without the vDSO, each once.
  var paths: [String]

  /// Why the list may be incomplete; nil when it is complete.
  var problem: String?

  /// Asks the loader itself, which alone knows its search path: both glibc and musl list the
  /// dependencies for `--list` without running the program.
  ///
  /// - Parameters:
  ///   - program: The program, absolute.
  ///   - loader: The loader that the program asks for, absolute.
  ///   - environment: The target's, since it may name libraries and places of its own.
  /// - Returns: The libraries, or a part of them and the problem.
  static func list(
    of program: FilePath,
    loader: String,
    environment: [String: String]
  ) async -> Self {
    // Debugging output would bury the list.
    let variables = environment.filter { !$0.key.hasPrefix("LD_DEBUG") }
      .map { (Environment.Key(rawValue: $0.key), $0.value) }
      .reduce(into: [Environment.Key: String]()) { variables, pair in
        if let key = pair.0 { variables[key] = pair.1 }
      }
    do {
      let result = try await run(
        .path(FilePath(loader)),
        arguments: ["--list", program.string],
        environment: .custom(variables),
        output: .string(limit: 1 << 20),
        error: .string(limit: 1 << 16)
      )
      let libraries = Self(listing: result.standardOutput)
      if result.terminationStatus.isSuccess || libraries.problem != nil { return libraries }
      let message = result.standardError.split(separator: "\n").first.map(String.init)
      return Self(
        paths: libraries.paths,
        problem: message ?? "\(loader) ended with an error"
      )
    } catch {
      return Self(paths: [], problem: "\(loader) cannot be run")
    }
  }

  private init(paths: [String], problem: String?) {
    self.paths = paths
    self.problem = problem
  }

  /// Reads the lines `name => path (address)` and `path (address)`.
  init(listing: String) {
    var paths: [String] = []
    for line in listing.split(separator: "\n") {
      let entry = line.trimmed
      let target = entry.firstRange(of: " => ").map { entry[$0.upperBound...] } ?? entry[...]
      if target.hasPrefix("not found") { problem = "\(entry)" }
      let path = String(target.firstRange(of: " (0x").map { target[..<$0.lowerBound] } ?? target)
      if path.hasPrefix("/"), !paths.contains(path) { paths.append(path) }
    }
    self.paths = paths
  }
}
