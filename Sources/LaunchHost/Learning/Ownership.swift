import Glibc
import LaunchCore
import SystemPackage

/// Decides which of the files that a launch opens are the target's own.
struct Ownership: Sendable {
  let rule: OwnRule

  /// The entries of `files:`, with the links in their fixed parts resolved.
  private let declared: [FilePattern]

  /// Where the program itself is kept: the scenario's, the working and the built directory.
  private let directories: [FilePath]

  /// The files and directories that the command names.
  private let named: [FilePath]

  /// - Parameters:
  ///   - target: What is launched.
  ///   - directories: Where files are the target's own, but for directories of the system.
  init(of target: Target, directories: [String]) {
    rule = target.own ?? .package
    declared = Self.patterns(target.files)
    self.directories = (directories + [target.directory] + target.install)
      .compactMap { DeclaredDirectory.realPath(of: FilePath($0)) }
      .filter { !SystemPlaces.isShared($0) }
    named = Self.named(in: target)
  }

  /// Reads entries of `files:`, with the links in their fixed parts resolved.
  static func patterns(_ entries: [String]) -> [FilePattern] {
    entries.map { entry in
      var pattern = FilePattern(entry)
      if let real = DeclaredDirectory.realPath(of: FilePath(pattern.root)) {
        pattern.root = real.string
      }
      return pattern
    }
  }

  /// What arguments such as `app.jar`, `-Djava=lib/a.jar` or `a.jar:b.jar` name.
  private static func named(in target: Target) -> [FilePath] {
    let texts = target.command.dropFirst() + [target.standardInput].compactMap(\.self)
    return texts.flatMap { text in
      [Substring(text)] + text.split { $0 == ":" || $0 == "," || $0 == "=" }
    }
    .filter { !$0.isEmpty && !$0.utf8.contains(0) }
    .compactMap {
      DeclaredDirectory.realPath(of: FilePath(target.directory).pushing(FilePath(String($0))))
    }
    .filter { !SystemPlaces.isShared($0) }
  }

  // MARK: - Classes

  /// Sorts files into own and shared ones.
  ///
  /// - Parameters:
  ///   - learnt: What a launch opened.
  ///   - home: The private HOME of the launches, if they have one.
  /// - Returns: Those that are there, in the same order.
  func files(of learnt: LearntFiles, home: FilePath?) -> [LaunchFile] {
    let sources = Self.sources(of: learnt)
    let programs = learnt.files.filter { $0.program != nil }
      .compactMap { file in LearntFiles.place(of: file, home: home).map { ($0, file.package) } }
    let prefixes = programs.filter { rule == .prefix || $0.1 == nil }
      .compactMap { SystemPlaces.prefix(of: $0.0) }
    return learnt.files.compactMap { file in
      guard let path = LearntFiles.place(of: file, home: home),
        let status = DiskUse.status(of: path), status.isRegular
      else { return nil }
      let (isOwn, reason) = judge(file, at: path, sources, prefixes)
      return LaunchFile(
        path: path.string,
        bytes: Int64(status.st_size),
        isOwn: isOwn,
        isProgram: file.program != nil,
        package: file.package?.name,
        reason: reason
      )
    }
  }

  /// Sorts the files of a launch, with what is watched without having been learnt.
  func files(
    of learnt: LearntFiles,
    home: FilePath?,
    with watched: [WatchedFile]
  ) -> [LaunchFile] {
    var files = files(of: learnt, home: home)
    let places = Dictionary(
      zip(files.map(\.path), files.indices),
      uniquingKeysWith: { first, _ in first }
    )
    for file in watched where file.isOwn {
      let path = file.path.string
      let isDeclared = FilePattern.verdict(of: declared, on: path) == true
      let reason =
        isDeclared ? "listed under files" : "the program, or a library outside the system"
      if let place = places[path] {
        if !files[place].isOwn { (files[place].isOwn, files[place].reason) = (true, reason) }
      } else if let status = DiskUse.status(of: file.path) {
        let bytes = Int64(status.st_size)
        files.append(LaunchFile(path: path, bytes: bytes, isOwn: true, reason: reason))
      }
    }
    return files
  }

  private func judge(
    _ file: LearntFiles.File,
    at path: FilePath,
    _ sources: Set<String>,
    _ prefixes: [FilePath]
  ) -> (isOwn: Bool, reason: String) {
    if let verdict = FilePattern.verdict(of: declared, on: path.string) {
      return (verdict, verdict ? "listed under files" : "left out under files")
    }
    switch rule {
    case .all: return (true, "opened by the launch")
    case .listed: return (false, "not listed under files")
    case .package, .prefix: break
    }
    if file.program != nil { return (true, "executed") }
    if let place = named.first(where: path.starts(with:)) {
      return (true, place == path ? "named in the command" : "below \(place), named there")
    }
    if let place = (directories + prefixes).first(where: path.starts(with:)) {
      return (true, "below \(place)")
    }
    if rule == .package, let package = file.package {
      let isOwn = sources.contains(package.source)
      return (isOwn, isOwn ? "built with a program" : "of another package")
    }
    if SystemPlaces.isBelowSystem(path) { return (false, "of the system") }
    return (true, "outside the system's directories")
  }

  /// The source packages of which everything is own: those of the program that the launched process
  /// became last, and those of other programs unless they are everybody's tools.
  private static func sources(of learnt: LearntFiles) -> Set<String> {
    let programs = learnt.files.filter { $0.program != nil }
    return Set(
      programs.compactMap { file -> String? in
        guard let source = file.package?.source, !SystemPlaces.libraries.contains(source)
        else { return nil }
        let isMain = file.path == learnt.mainProgram
        return isMain || !SystemPlaces.tools.contains(source) ? source : nil
      }
    )
  }
}

/// What belongs to the system rather than to one program.
enum SystemPlaces {
  /// Source packages whose programs launch others, or do small work for scripts.
  static let tools: Set<String> = [
    "bash", "busybox", "coreutils", "dash", "debianutils", "diffutils", "findutils", "gawk", "grep",
    "gzip", "hostname", "ksh", "mawk", "procps", "procps-ng", "psmisc", "sed", "sudo", "tar",
    "util-linux", "which", "zsh",
  ]

  /// Source packages whose files every program maps.
  static let libraries: Set<String> = ["glibc", "musl"]

  private static let tops: Set<String> = [
    "bin", "boot", "dev", "etc", "gnu", "nix", "opt", "proc", "run", "sbin", "snap", "sys", "usr",
    "var",
  ]

  /// Whether a path lies where the system keeps files of many programs.
  static func isBelowSystem(_ path: FilePath) -> Bool {
    guard let top = path.components.first?.string else { return true }
    return tops.contains(top) || top.hasPrefix("lib")
  }

  /// Whether a directory is below one in which only packages put files, rather than people.
  static func belongsToPackages(_ directory: FilePath) -> Bool {
    let names = directory.components.map(\.string)
    guard names.count > 1, names[0] != "opt", isBelowSystem(directory) else { return false }
    return names[0] == "etc" || (names.count > 2 && names[1] != "local")
  }

  /// Whether a directory is one that many programs share, such as `/usr/lib`; false for a file.
  static func isShared(_ path: FilePath) -> Bool {
    guard PathIdentity.isDirectory(path) else { return false }
    let names = path.components.map(\.string)
    guard let top = names.first else { return true }
    if names.count == 1 {
      return isBelowSystem(path) || ["home", "mnt", "srv", "tmp"].contains(top)
    }
    let rest = names.drop { $0 == "usr" || $0 == "local" }
    let isLibrary = rest.first?.hasPrefix("lib") == true && rest.count == 2
    guard top == "usr" else {
      return names.count == 2 && (["etc", "var"].contains(top) || isMultiarch(names[1]))
    }
    guard let last = rest.last else { return true }
    return rest.count == 1 ? sharedNames.contains(last) : isLibrary && isMultiarch(last)
  }

  private static let sharedNames: Set<String> = [
    "bin", "etc", "games", "include", "lib", "lib32", "lib64", "libexec", "libx32", "sbin", "share",
    "src",
  ]

  /// Whether a directory is named like `x86_64-linux-gnu`.
  private static func isMultiarch(_ name: String) -> Bool { name.contains("-linux-") }

  /// The directory that a program was installed in as a whole; nil where packages put many programs.
  ///
  /// What was installed by hand below `/usr/local` belongs together rather than to the system.
  static func prefix(of program: FilePath) -> FilePath? {
    var directory = program.removingLastComponent()
    if ["bin", "sbin"].contains(directory.lastComponent?.string) {
      directory.removeLastComponent()
    }
    return isShared(directory) && directory != "/usr/local" ? nil : directory
  }
}
