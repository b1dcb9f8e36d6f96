import Foundation

/// Decides whether the files of a directory may be replaced.
///
/// A mistake in a scenario must not cost anybody a home directory or a system.
struct PathSafety {
  /// The absolute path of the directory of the scenario file, which holds the store.
  let scenarioDirectory: String

  /// The absolute path of the home directory of the user.
  let home: String

  /// Says what this machine has against a directory; nil asks nobody.
  var judge: DirectoryJudge?

  private static let systemTrees = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/run",
    "/sbin", "/sys", "/usr",
  ]

  /// Parents of directories that belong to somebody.
  private static let sharedParents = ["/home", "/mnt", "/media", "/opt", "/var"]

  /// Says why the content of a directory must not be replaced; nil when it may be.
  func objection(to path: String) -> String? {
    objection(toResolved: path) ?? objection(toResolved: Self.resolved(path))
  }

  private func objection(toResolved path: String) -> String? {
    let components = path.split(separator: "/")
    if let tree = Self.systemTrees.first(where: { Self.contains($0, path) }),
      !path.hasPrefix("/usr/local/") || components.count < 4
    {
      return "it belongs to the system (\(tree))"
    }
    if components.count < 2 { return "it is at the top of the file system" }
    if components.count == 2, Self.sharedParents.contains("/\(components[0])"),
      components[0] != "opt"
    {
      return "it is a top directory of \"/\(components[0])\""
    }
    for home in [home, Self.resolved(home)] where Self.contains(path, home) {
      return "it holds your home directory"
    }
    for directory in [scenarioDirectory, Self.resolved(scenarioDirectory)] {
      if Self.contains(path, directory) { return "it holds the scenario file" }
      let store = directory + "/.launchlab"
      if Self.contains(store, path) { return "it belongs to the store" }
    }
    return nil
  }

  /// Whether a path is a directory or lies in it.
  static func contains(_ directory: String, _ path: String) -> Bool {
    path == directory || path.hasPrefix(directory == "/" ? "/" : directory + "/")
  }

  /// The path with the symbolic links of all parts that exist followed.
  static func resolved(_ path: String) -> String {
    var existing = path
    var missing: [Substring] = []
    while existing != "/", !FileManager.default.fileExists(atPath: existing) {
      guard let slash = existing.lastIndex(of: "/") else { break }
      missing.insert(existing[slash...], at: 0)
      existing = slash == existing.startIndex ? "/" : String(existing[..<slash])
    }
    let resolved = URL(filePath: existing).resolvingSymlinksInPath().path
    return missing.isEmpty ? resolved : (resolved == "/" ? "" : resolved) + missing.joined()
  }

  /// An absolute path without `.` and `..`, relative ones counted from a directory.
  ///
  /// `..` is taken textually, also behind a symbolic link.
  static func absolute(_ path: String, from directory: String) -> String {
    let full = path.hasPrefix("/") ? path : "\(directory)/\(path)"
    var parts: [Substring] = []
    for part in full.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}

/// Says why a directory that a scenario declares must not be used on this machine; nil when it may be.
package typealias DirectoryJudge =
  @Sendable (DirectoryQuestion) -> (problem: String, remedy: String)?

/// A directory that a scenario declares, and where the scenario is.
package struct DirectoryQuestion: Sendable {
  /// Absolute.
  package var path: String

  /// Whether its content is removed, rather than rewritten as it is.
  package var isEmptied: Bool

  /// The absolute path of the directory of the scenario file.
  package var scenarioDirectory: String

  /// The absolute path of the repository that is built, if one is.
  package var repository: String?
}

/// What is found at a path, with symbolic links followed.
enum FileKind {
  case directory
  case regular
  /// A device.
  case other

  /// What gives each byte once: a FIFO, a pipe, a socket or a terminal.
  case stream

  case missing

  init(at path: String) {
    let resolved = PathSafety.resolved(path)
    let type = try? FileManager.default.attributesOfItem(atPath: resolved)[.type]
    switch type as? FileAttributeType {
    case .typeDirectory: self = .directory
    case .typeRegular: self = .regular
    case .typeCharacterSpecial, .typeBlockSpecial:
      let isTerminal = resolved.hasPrefix("/dev/pts/") || resolved.hasPrefix("/dev/tty")
      self = isTerminal ? .stream : .other
    // The kernel follows a link to a pipe, whose text is no path.
    case nil: self = FileManager.default.fileExists(atPath: path) ? .stream : .missing
    default: self = .stream
    }
  }
}
