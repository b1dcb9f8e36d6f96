import Glibc
import LabModel
package import SystemPackage

/// A directory that a scenario declares, and in which alone launchlab writes and removes.
///
/// Links on the way to it are resolved once, here. Whatever is put in its place or on its path
/// afterwards is an error when it is opened, never followed.
package struct DeclaredDirectory: Hashable, Sendable {
  package var role: Role

  /// As the scenario names it.
  var declared: FilePath

  /// The same with the links of its parents resolved; its last component may be anything.
  var path: FilePath

  init(_ declared: FilePath, role: Role) {
    self.role = role
    self.declared = declared
    path = Self.resolved(declared)
  }

  /// What a directory is declared for.
  package enum Role: String, Hashable, Sendable {
    case install
    case state
    case home

    var phrase: String {
      switch self {
      case .install: "an `install` directory"
      case .state: "a `state` directory"
      case .home: "the private HOME"
      }
    }
  }

  /// Opens the directory.
  ///
  /// - Throws: When it is not there, is a link or a mount point, or lies behind a new link.
  func open() throws(HostError) -> ConfinedDirectory { try ConfinedDirectory(at: path) }

  /// Why the directory must not be used; nil when it may be.
  func refusal(amid surroundings: Surroundings) -> DirectoryRefusal? {
    if let refusal = kindRefusal { return refusal }
    if Self.isSystem(path) { return .systemDirectory }
    if surroundings.homes.contains(where: { $0.starts(with: path) }) { return .homeDirectory }
    if path.starts(with: "/home"), path.components.count <= 2 { return .homeDirectory }
    return surroundings.kept.sorted { $0.key < $1.key }
      .first { $0.value.starts(with: path) }
      .map { .holds(what: $0.key, path: $0.value.string) }
  }

  func refused(_ refusal: DirectoryRefusal) -> HostError {
    .directoryRefused(role: role, path: declared.string, refusal)
  }

  /// A state directory or HOME that is not there yet is made by the first reset.
  private var kindRefusal: DirectoryRefusal? {
    guard path.lastComponent != nil else { return .systemDirectory }
    var status = stat()
    let (result, code) = unsafe path.withPlatformString { unsafe (lstat($0, &status), errno) }
    guard result == 0 else { return role != .install && code == ENOENT ? nil : .missing }
    if status.isSymbolicLink { return .symbolicLink }
    if !status.isDirectory { return .notADirectory }
    do throws(HostError) {
      _ = try open()
    } catch .system(_, _, EXDEV) {
      return .mountPoint
    } catch {
      return nil
    }
    return nil
  }

  /// Whether a directory is the system's: as a whole, or down to a depth where packages own it.
  private static func isSystem(_ path: FilePath) -> Bool {
    let names = path.components.map(\.string)
    guard let top = names.first else { return true }
    switch top {
    case "bin", "boot", "dev", "etc", "proc", "sbin", "sys": return true
    case "usr": return names.count < 4 || names[1] != "local"
    case "var": return names.count < 3
    case "run": return names.count < 4
    default: return names.count == 1 || top.hasPrefix("lib")
    }
  }

  /// Resolves the links of all but the last component, as far as the path exists.
  static func resolved(_ path: FilePath) -> FilePath {
    guard let name = path.lastComponent else { return path }
    guard name.kind == .regular else { return realPath(of: path) ?? path.lexicallyNormalized() }
    let parent = path.removingLastComponent()
    return (realPath(of: parent) ?? parent.lexicallyNormalized()).appending(name)
  }

  /// The path without any link, `.` or `..`; nil when it does not exist.
  static func realPath(of path: FilePath) -> FilePath? {
    guard let resolved = unsafe path.withPlatformString({ unsafe realpath($0, nil) }) else {
      return nil
    }
    defer { unsafe free(resolved) }
    return unsafe FilePath(platformString: resolved)
  }
}

/// Places of a run that a declared directory must not hold.
package struct Surroundings: Sendable {
  /// Home directories of the person, with links resolved.
  var homes: [FilePath]

  /// By a phrase such as `the store`.
  var kept: [String: FilePath]

  /// Resolves the links of all places.
  ///
  /// - Parameters:
  ///   - home: The HOME of launchlab itself, if it has one.
  ///   - workingDirectory: The working directory of launchlab itself.
  ///   - kept: What else must stay, by a phrase such as `the store`.
  package init(home: FilePath?, workingDirectory: FilePath, kept: [String: FilePath]) {
    homes = [home, "/root"].compactMap { $0 }.map { DeclaredDirectory.realPath(of: $0) ?? $0 }
    let working = DeclaredDirectory.realPath(of: workingDirectory) ?? workingDirectory
    self.kept = kept.mapValues { DeclaredDirectory.realPath(of: $0) ?? $0 }
      .merging(["the working directory": working]) { kept, _ in kept }
  }
}
