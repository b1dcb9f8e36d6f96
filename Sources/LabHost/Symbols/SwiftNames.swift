import CLabHost
import SystemPackage

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
