import CLabHost
import Glibc
import SystemPackage

/// Whether a copy of a program at another place does the same as the program.
package enum Movability: Hashable, Sendable {
  /// It does, as far as can be known: an ELF program that looks for nothing beside itself.
  case movable

  /// A text that another program interprets; it may look for files beside itself.
  case script

  /// It does not; the reason is a phrase that follows the name of the program.
  case fixed(reason: String)

  /// Looks at a program, without running it.
  ///
  /// - Parameter path: Absolute.
  package init(ofProgram path: String) {
    guard let file = ProgramFile.open(FilePath(path)) else {
      self = .fixed(reason: "cannot be read")
      return
    }
    defer { try? file.close() }
    let read = ProgramFile.reader(of: file)
    switch ProgramFile(read: read) {
    case .script: self = .script
    case .unknown: self = .fixed(reason: "is neither an ELF program nor a script")
    case .dynamic, .fixed: self = Self.rights(of: path) ?? Self.searchPath(read)
    }
  }

  /// A copy would not have the rights that come with the file.
  private static func rights(of path: String) -> Self? {
    guard let file = try? OpenFile(reading: FilePath(path)), let status = try? file.status() else {
      return .fixed(reason: "cannot be read")
    }
    let name = "security.capability".utf8.map { CChar(bitPattern: $0) } + [0]
    let hasCapabilities = (try? file.attributes())?[name] != nil
    let isPrivileged = status.permissions & 0o6000 != 0 || hasCapabilities
    return isPrivileged ? .fixed(reason: "has rights of its own that a copy would lose") : nil
  }

  /// The names that the loader reads hold the search path; ld.so(8) tells how it is expanded.
  private static func searchPath(_ read: @escaping ELFHeader.Read) -> Self {
    guard let symbols = ELFSymbols(read: read) else {
      return .fixed(reason: "has a layout that is not known here")
    }
    let names = symbols.section(named: ".dynstr")?.bytes ?? []
    let places = names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let looksBeside = places.contains { $0.contains("$ORIGIN") || $0.contains("${ORIGIN}") }
    return looksBeside
      ? .fixed(reason: "looks for its libraries beside itself ($ORIGIN)") : .movable
  }
}
