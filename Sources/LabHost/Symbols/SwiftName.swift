import CLabHost
import Glibc

/// The name that people wrote for a function of Swift.
enum SwiftName {
  /// How a mangled name of Swift begins, newest first.
  private static let prefixes = ["$s", "_$s", "$S", "_$S", "$e", "_$e", "_T0"]

  /// Nobody reads more, and the demangler is recursive.
  private static let maximumLength = 4_096

  /// Demangles a name by the runtime that is linked with launchlab.
  ///
  /// - Returns: The readable name; nil when the name is none of Swift's.
  static func readable(_ name: String) -> String? {
    guard prefixes.contains(where: name.hasPrefix), name.utf8.count <= maximumLength,
      let text = unsafe swift_demangle(name, UInt(name.utf8.count), nil, nil, 0)
    else { return nil }
    defer { unsafe free(text) }
    let readable = unsafe String(cString: text)
    return readable.isEmpty ? nil : readable
  }
}
