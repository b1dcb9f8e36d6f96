import CLabHost
import CLaunchWire
package import LaunchCore
import SystemPackage

/// Names the functions that a launch spent its time in.
///
/// Names are read in a process of its own, after the launches, since reading maps the files.
package struct SymbolReader: Sendable {
  /// Where separate debug files are looked for, in the form of libdwfl's `debuginfo_path`.
  ///
  /// Nil is its default: the file's own directory, `.debug` below it, and `/usr/lib/debug`.
  var debugDirectories: String?

  /// The program that reads; tests put another in its place.
  var helper = EmbeddedHelper.symbols

  /// Variables of the helper's environment besides launchlab's own.
  var variables: [String: String] = [:]

  /// How long reading may take altogether; the helper itself allows each file 10 s.
  var limit = Duration.seconds(60)

  package init() {}

  /// Finds the function that holds each place: by the symbols of the file, else of its separate
  /// debug file, else by its exported symbols.
  ///
  /// - Parameter places: The offset of each is the virtual address in the file. They may be many,
  ///   and may repeat; those without an offset, or not in a file, have no name.
  /// - Returns: Readable names of the places that have one, C++, Swift and old Rust names
  ///   demangled; and why others could not be had, as sentences without a full stop.
  package func symbols(
    for places: [CodePlace]
  ) async -> (names: [CodePlace: String], notes: [String]) {
    let query = SymbolQuery(places)
    guard !query.isEmpty else { return ([:], []) }
    let reading = ReadingHelper(
      name: "the symbol reader",
      helper: helper,
      variables: variables,
      limit: limit
    )
    switch await reading.answer(debugDirectories.map { [$0] } ?? [], to: query.bytes) {
    case .success(let bytes):
      return query.answer(bytes) ?? ([:], ["no names of functions: they were not understood"])
    case .failure(let failure):
      return ([:], ["no names of functions: \(failure.reason)"])
    }
  }
}

/// The conversation with the native helper `symbols`; `launch_wire.h` describes its records.
struct SymbolQuery: Sendable {
  /// The files in the order of the question, each with its places in that order.
  private let files: [(path: String, places: [CodePlace])]

  /// The places that can be asked for: those with an offset in a file with an absolute path.
  ///
  /// Other names, such as that of the vDSO, name no file.
  init(_ places: [CodePlace]) {
    let known = Set(places).filter { place in
      place.offset != nil && place.file.hasPrefix("/") && !place.file.utf8.contains(0)
    }
    files = Dictionary(grouping: known) { $0.file }
      .map { (path: $0.key, places: $0.value.sorted { ($0.offset ?? 0) < ($1.offset ?? 0) }) }
      .sorted { $0.path < $1.path }
  }

  var isEmpty: Bool { files.isEmpty }

  /// What is written to the helper.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for file in files {
      bytes += [UInt8(SYMBOLS_FILE)] + Array(file.path.utf8) + [0]
      for place in file.places {
        bytes += [UInt8(SYMBOLS_OFFSET)] + Array(String(place.offset ?? 0, radix: 16).utf8) + [0]
      }
    }
    return bytes
  }

  /// Reads what the helper wrote.
  ///
  /// - Returns: The names of the places that have one, and a note for each file that could not be
  ///   read; nil when it is no answer to this question.
  func answer(_ bytes: [UInt8]) -> (names: [CodePlace: String], notes: [String])? {
    guard bytes.last == 0 else { return nil }
    var records = bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false)[...]
    let expected = files.reduce(0) { $0 + 1 + $1.places.count }
    guard records.count == expected else { return nil }
    var names: [CodePlace: String] = [:]
    var notes: [String] = []
    for file in files {
      let problem = String(decoding: records.removeFirst(), as: UTF8.self)
      if !problem.isEmpty { notes.append("no names of functions of \(file.path): \(problem)") }
      for (place, record) in zip(file.places, records) where !record.isEmpty {
        names[place] = String(decoding: record, as: UTF8.self)
      }
      records = records.dropFirst(file.places.count)
    }
    let swift = SwiftNames(names.values).readable
    return (names.mapValues { swift[$0] ?? $0 }, notes)
  }
}

/// The names that people wrote for functions of Swift.
///
/// The demangler is that of the runtime which is linked with launchlab.
struct SwiftNames {
  /// How a mangled name of Swift begins, newest first.
  private static let prefixes = ["$s", "_$s", "$S", "_$S", "$e", "_$e", "_T0"]

  /// Nobody reads more.
  private static let maximumLength = 4_096

  /// How many damaged names are stepped over before the rest is left mangled.
  private static let damageLimit = 16

  /// Readable names by mangled ones, for those that are of Swift and not damaged.
  let readable: [String: String]

  init(_ names: some Sequence<String>) {
    let mangled = Set(names).filter { name in
      Self.prefixes.contains(where: name.hasPrefix) && name.utf8.count <= Self.maximumLength
        && !name.utf8.contains(0)
    }
    var rest = mangled.sorted()[...]
    var readable: [String: String] = [:]
    var damaged = 0
    while !rest.isEmpty, damaged < Self.damageLimit {
      let records = Self.demangled(Array(rest))
      for (name, record) in zip(rest, records) where !record.isEmpty && record != name {
        readable[name] = record
      }
      rest = rest.dropFirst(records.count)
      // The first without a record is one that the demangler does not stand.
      guard !rest.isEmpty else { break }
      rest = rest.dropFirst()
      damaged += 1
    }
    self.readable = readable
  }

  /// The whole records that there are for the first of the names.
  private static func demangled(_ names: [String]) -> [String] {
    let characters: [CChar] = names.reduce(into: []) { $0 += Array($1.utf8CString) }
    let descriptor = unsafe lab_demangle_swift(characters, UInt(characters.count))
    guard descriptor >= 0 else { return [] }
    let file = FileDescriptor(rawValue: descriptor)
    defer { try? file.close() }
    return records(of: file)
  }

  private static func records(of file: FileDescriptor) -> [String] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe try? file.read(fromAbsoluteOffset: Int64(bytes.count), into: $0)
      }
      guard let count, count > 0 else { break }
      bytes += chunk.prefix(count)
    }
    let end = bytes.lastIndex(of: 0).map { $0 + 1 } ?? 0
    return bytes[..<end].dropLast().split(separator: 0, omittingEmptySubsequences: false)
      .prefix(end == 0 ? 0 : .max)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A file without a name that holds the input of a program.
///
/// A pipe would end launchlab by SIGPIPE where the program ends without having read it all.
enum MemoryFile {
  /// Makes a file with these bytes, to be read from its start.
  ///
  /// - Returns: Its descriptor, which the caller closes.
  /// - Throws: `Errno` when there is no memory or descriptor for it.
  static func make(_ bytes: [UInt8]) throws -> FileDescriptor {
    let descriptor = lab_make_memory_file()
    guard descriptor >= 0 else { throw Errno(rawValue: -descriptor) }
    let file = FileDescriptor(rawValue: descriptor)
    do {
      try file.writeAll(toAbsoluteOffset: 0, bytes)
    } catch {
      try? file.close()
      throw error
    }
    return file
  }
}
