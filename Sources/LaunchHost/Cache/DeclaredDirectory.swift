import Foundation
import Glibc
package import SystemPackage

/// A directory that a scenario declares, and in which alone launchlab writes and removes.
///
/// Links on the way to it are resolved once, here, and only those that no other user can have put there.
/// Whatever is put in its place or on its path afterwards is an error when it is opened, never followed.
package struct DeclaredDirectory: Hashable, Sendable {
  package var role: Role

  /// As the scenario names it.
  var declared: FilePath

  /// The same with the links of its parents resolved; its last component may be anything.
  let path: FilePath

  /// Why another user has the say of where the declared path leads; nil when none has.
  private let wayRefusal: DirectoryRefusal?

  init(_ declared: FilePath, role: Role) {
    self.role = role
    self.declared = declared
    let name = declared.lastComponent.flatMap { $0.kind == .regular ? $0 : nil }
    do throws(HostError) {
      let way = try TrustedWay.open(to: name == nil ? declared : declared.removingLastComponent())
      path = name.map(way.resolved.appending) ?? way.resolved
      wayRefusal = nil
    } catch {
      let refusal = Self.isOwn(role) ? nil : DirectoryRefusal(error)
      path = refusal == nil ? Self.resolved(declared) : declared.lexicallyNormalized()
      wayRefusal = refusal
    }
  }

  /// What a directory is declared for.
  package enum Role: String, CaseIterable, Hashable, Sendable {
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
  /// - Throws: When it is not there, is a link or a mount point, or lies behind a new link, and
  ///   ``HostError/directoryRefused(role:path:_:)`` where another user may exchange it.
  func open() throws(HostError) -> ConfinedDirectory {
    if Self.isOwn(role) { return try ConfinedDirectory(at: path) }
    return try checked { () throws(HostError) in try ConfinedDirectory.trusted(path) }
  }

  /// Makes the directory unless it is there, but never its parents.
  ///
  /// - Throws: As ``open()``.
  func makeIfMissing() throws(HostError) {
    guard let name = path.lastComponent else { return }
    let parent = try checked { () throws(HostError) in
      let place = path.removingLastComponent()
      return Self.isOwn(role)
        ? try ConfinedDirectory(followingMountsTo: place)
        : try ConfinedDirectory(endOf: TrustedWay.open(to: place, care: .allWithoutLinks))
    }
    if try parent.status(of: name) == nil { try parent.makeDirectory(name) }
  }

  /// Why the directory must not be used; nil when it may be.
  func refusal(amid surroundings: Surroundings) -> DirectoryRefusal? {
    kindRefusal ?? surroundings.refusal(of: path, role: role)
  }

  /// That a directory which is there is a link, or that another user has the say of what it is; nil
  /// otherwise.
  var changeableRefusal: HostError? {
    switch kindRefusal {
    case nil, .missing: nil
    case let refusal?: refused(refusal)
    }
  }

  /// Why another user has the say of what is at the path; nil when none has.
  var ownerRefusal: DirectoryRefusal? {
    if let wayRefusal { return wayRefusal }
    do throws(HostError) {
      _ = try open()
    } catch .directoryRefused(_, _, let refusal) {
      return refusal
    } catch {
      return nil
    }
    return nil
  }

  /// Whether launchlab makes directories of a role itself, in a place that it has looked at: a user other
  /// than root may have that one wherever he likes.
  private static func isOwn(_ role: Role) -> Bool { role == .home && geteuid() != 0 }

  private func checked(
    _ opening: () throws(HostError) -> ConfinedDirectory
  ) throws(HostError) -> ConfinedDirectory {
    if let wayRefusal { throw refused(wayRefusal) }
    do throws(HostError) {
      return try opening()
    } catch {
      throw DirectoryRefusal(error).map(refused) ?? error
    }
  }

  func refused(_ refusal: DirectoryRefusal) -> HostError {
    .directoryRefused(role: role, path: declared.string, refusal)
  }

  /// A state directory or HOME that is not there yet is made by the first reset.
  private var kindRefusal: DirectoryRefusal? {
    guard path.lastComponent != nil else { return .systemDirectory }
    if let wayRefusal { return wayRefusal }
    var status = stat()
    let (result, code) = unsafe path.withPlatformString { unsafe (lstat($0, &status), errno) }
    guard result == 0 else { return role != .install && code == ENOENT ? nil : .missing }
    if status.isSymbolicLink { return .symbolicLink }
    if !status.isDirectory { return .notADirectory }
    do throws(HostError) {
      _ = try open()
    } catch .system(_, _, EXDEV) {
      return .mountPoint
    } catch .directoryRefused(_, _, let refusal) {
      return refusal
    } catch {
      return nil
    }
    return nil
  }

  /// Resolves the links of all but the last component, as far as the path exists.
  static func resolved(_ path: FilePath) -> FilePath {
    guard let name = path.lastComponent else { return path }
    guard name.kind == .regular else { return realPath(of: path) ?? path.lexicallyNormalized() }
    let parent = path.removingLastComponent()
    return (realPath(of: parent) ?? parent.lexicallyNormalized()).appending(name)
  }

  /// The path without any link, `.` or `..`; nil when it does not exist.
  package static func realPath(of path: FilePath) -> FilePath? {
    guard let resolved = unsafe path.withPlatformString({ unsafe realpath($0, nil) }) else {
      return nil
    }
    defer { unsafe free(resolved) }
    return unsafe FilePath(platformString: resolved)
  }
}

/// The places of a run: what a declared directory must not hold, and where it may be.
package struct Surroundings: Sendable {
  private let protected: ProtectedPlaces

  /// By a phrase such as `the store`, with links resolved.
  private let kept: [String: FilePath]

  /// The directories below which what is declared may be emptied, with links resolved.
  private let roots: [FilePath]

  /// Resolves the links of all places.
  ///
  /// - Parameters:
  ///   - home: The HOME of launchlab itself, if it has one.
  ///   - workingDirectory: The working directory of launchlab itself.
  ///   - kept: What must stay, by a phrase such as `the store`.
  ///   - roots: Directories of the scenario, below which it may have directories emptied, as below
  ///     temporary directories; one that is itself the system's, or a home, does not count.
  package init(
    home: FilePath?,
    workingDirectory: FilePath,
    kept: [String: FilePath],
    roots: [FilePath] = []
  ) {
    let protected = ProtectedPlaces(home: home)
    let working = DeclaredDirectory.realPath(of: workingDirectory) ?? workingDirectory
    self.protected = protected
    self.kept = kept.mapValues { DeclaredDirectory.realPath(of: $0) ?? $0 }
      .merging(["the working directory": working]) { kept, _ in kept }
    let temporary = ProcessInfo.processInfo.environment["TMPDIR"].map { FilePath($0) }
    self.roots =
      ["/tmp", "/var/tmp"].compactMap(DeclaredDirectory.realPath(of:))
      + ([temporary].compactMap(\.self) + roots).compactMap(DeclaredDirectory.realPath(of:))
      .filter { $0.isAbsolute && protected.isOwnPlace($0) }
  }

  /// Takes what is known before a run: where its scenario is.
  ///
  /// - Parameters:
  ///   - home: The HOME of launchlab itself, if it has one.
  ///   - scenarioDirectory: The directory of the scenario, absolute.
  ///   - repository: The repository that is built, absolute, if one is.
  ///   - kept: What must stay besides the scenario, by a phrase such as `the store`.
  package init(
    home: String?,
    scenarioDirectory: String,
    repository: String?,
    kept: [String: FilePath] = [:]
  ) {
    self.init(
      home: home.map { FilePath($0) },
      workingDirectory: FilePath(FileManager.default.currentDirectoryPath),
      kept: kept.merging(["the scenario": FilePath(scenarioDirectory)]) { kept, _ in kept },
      roots: [scenarioDirectory, repository].compactMap { $0.map { FilePath($0) } }
    )
  }

  /// What is to be said against a directory that a scenario declares, before anything is done.
  ///
  /// - Parameters:
  ///   - path: Absolute; it need not exist.
  ///   - isEmptied: Whether its content is removed, rather than rewritten as it is.
  /// - Returns: The problem, a sentence without a full stop, and its remedy; nil when it may be used.
  package func objection(
    to path: String,
    isEmptied: Bool
  ) -> (problem: String, remedy: String)? {
    let role: DeclaredDirectory.Role = isEmptied ? .state : .install
    let directory = DeclaredDirectory(FilePath(path), role: role)
    let resolved = DeclaredDirectory.realPath(of: directory.path) ?? directory.path
    let refusal = directory.ownerRefusal ?? refusal(of: resolved, role: role)
    return refusal.map { ($0.problem, $0.remedy) }
  }

  /// Why a directory must not be used, whatever is there; nil when it may be.
  ///
  /// - Parameters:
  ///   - path: Absolute, with the links of its parents resolved.
  ///   - role: One that is rewritten, and not emptied, may be anywhere that is not protected.
  /// - Returns: The first reason.
  func refusal(of path: FilePath, role: DeclaredDirectory.Role) -> DirectoryRefusal? {
    if let refusal = protected.refusal(of: path) { return refusal }
    let identity = PathIdentity(of: path)
    let held = kept.sorted { $0.key < $1.key }.first { _, place in
      place.starts(with: path)
        || identity.map(PathIdentity.chain(of: place.string).contains) == true
    }
    if let held { return .holds(what: held.key, path: held.value.string) }
    guard role == .state, !roots.contains(where: { protected.holds($0, path) }) else { return nil }
    return EmptyingPermit.refusal(of: path, amid: protected)
  }
}
