import Foundation
import Glibc
import LaunchCore
package import SystemPackage

/// The places beside the store, of which nobody else may have the say.
///
/// What is in them is launched, maybe by root. So each of them has to belong to who runs launchlab, or
/// to root, with nobody else who may write to it. For root the same holds for the way to it, but that
/// anybody may write to a directory such as `/tmp` where only owners may rename what is theirs.
package enum OwnPlace {
  /// Makes a directory with those above it, unless it is there.
  ///
  /// - Parameters:
  ///   - path: Where.
  ///   - permissions: Of one that is made.
  /// - Throws: ``HostError/placeRefused(path:_:)`` when others have the say of it, and
  ///   ``HostError/system(operation:path:errno:)``.
  package static func make(_ path: String, permissions: UInt32 = 0o755) throws(HostError) {
    try makeWay(to: parent(of: path))
    // What another user takes away between two steps says nothing of what he puts there next.
    for _ in 0..<100 {
      let code = unsafe mkdir(path, permissions) == 0 ? 0 : errno
      guard code == 0 || code == EEXIST else {
        throw .system(operation: "make the directory", path: path, errno: code)
      }
      if try check(path) { return }
    }
    throw .placeRefused(path: path, .exchanged)
  }

  /// Looks at a directory before something in it is trusted.
  ///
  /// - Returns: Whether it is there. Where it is not, another user may make it at any moment, so that
  ///   nothing in it may be used.
  /// - Throws: ``HostError/placeRefused(path:_:)``.
  package static func check(_ path: String) throws(HostError) -> Bool {
    try checkWay(to: parent(of: path))
    guard let status = DiskUse.status(of: FilePath(path)) else { return false }
    if let refusal = refusal(of: status) { throw .placeRefused(path: path, refusal) }
    let real = DeclaredDirectory.resolved(.absolute(path))
    do throws(HostError) {
      let opened = try ConfinedDirectory(followingMountsTo: real).status()
      if let refusal = refusal(of: opened) { throw .placeRefused(path: path, refusal) }
      return true
    } catch .system(_, _, ENOENT) {
      return false
    } catch .system(_, _, ELOOP) {
      throw .placeRefused(path: path, .symbolicLink)
    }
  }

  /// Whether a directory is there, and nobody else has the say of it.
  package static func isOwn(_ path: FilePath) -> Bool { (try? check(path.string)) == true }

  /// Whether a file is one that nobody else can have written.
  ///
  /// - Parameter path: Where.
  /// - Returns: Whether it is there and belongs to this user or root alone.
  package static func isOwn(file path: String) -> Bool {
    guard (try? checkWay(to: parent(of: path))) != nil,
      let status = DiskUse.status(of: FilePath(path))
    else { return false }
    return status.isRegular && trusted.contains(status.st_uid)
      && !isWritableByOthers(status)
  }

  // MARK: - Who is trusted

  /// This user and root.
  static let owners = Set([0, geteuid(), unmapped].compactMap(\.self))

  /// The same, and who has become root by sudo(8), who may do anything already.
  static let trusted: Set<uid_t> = {
    guard geteuid() == 0 else { return owners }
    let caller = ProcessInfo.processInfo.environment["SUDO_UID"].flatMap { uid_t($0) }
    return owners.union([caller].compactMap(\.self))
  }()

  /// Who owns the files of the machine's root in a user namespace that does not know that one;
  /// user_namespaces(7).
  private static let unmapped: uid_t? = {
    let map = HostTree().text(at: "proc/self/uid_map") ?? "0 0 4294967295"
    let ranges = map.split(separator: "\n").map {
      $0.split(separator: " ").compactMap { UInt64($0) }
    }
    let isMapped = ranges.contains { range in
      range.count == 3 && (range[0]..<range[0] + range[2]).contains(65_534)
    }
    return isMapped ? nil : 65_534
  }()

  private static func refusal(of status: stat) -> PlaceRefusal? {
    if status.isSymbolicLink { return .symbolicLink }
    if !status.isDirectory { return .notADirectory }
    if !trusted.contains(status.st_uid) { return .owner(user(status.st_uid)) }
    return isWritableByOthers(status) ? .writable(mode: status.permissions) : nil
  }

  /// Whether others than the owner may write, in his own group as well.
  static func isWritableByOthers(_ status: stat) -> Bool {
    if status.permissions & 0o002 != 0 { return true }
    // The group of the same number is usually a user's alone, as root's is.
    return status.permissions & 0o020 != 0 && status.st_gid != status.st_uid
  }

  static func user(_ id: uid_t) -> String {
    let entry = unsafe getpwuid(id)
    return unsafe entry.map { unsafe String(cString: $0.pointee.pw_name) } ?? "\(id)"
  }

  // MARK: - The way

  /// Makes a directory with those above it, whoever it belongs to, where nobody can exchange it for
  /// root.
  ///
  /// - Throws: ``HostError/placeRefused(path:_:)`` and ``HostError/system(operation:path:errno:)``.
  package static func makeWay(to path: String) throws(HostError) {
    try checkWay(to: path)
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
      let code = cause.flatMap { Int32(exactly: $0.code) } ?? errno
      throw .system(operation: "make the directory", path: path, errno: code)
    }
    try checkWay(to: path, mustExist: true)
  }

  private static func parent(of path: String) -> String {
    FilePath.absolute(path).removingLastComponent().string
  }

  /// Looks at every directory and link on the way to a path, where launchlab is run by root.
  ///
  /// - Parameters:
  ///   - path: It is looked at as far as it exists.
  ///   - mustExist: Whether it has to exist as a whole.
  /// - Throws: ``HostError/placeRefused(path:_:)`` of the first that another user can exchange.
  package static func checkWay(to path: String, mustExist: Bool = false) throws(HostError) {
    guard geteuid() == 0 else { return }
    let way = try TrustedWay.open(to: .absolute(path))
    if mustExist, !way.rest.names.isEmpty { throw .placeRefused(path: path, .exchanged) }
  }
}

/// Why a directory or file is not launchlab's own.
package enum PlaceRefusal: Hashable, Sendable {
  /// It is a symbolic link, which could lead anywhere.
  case symbolicLink

  case notADirectory

  /// It belongs to another user.
  case owner(String)

  /// Others may write to it.
  case writable(mode: UInt32)

  /// A directory or link on the way to it belongs to another user.
  case way(String, owner: String)

  /// Others may write to a directory on the way to it.
  case openWay(String)

  /// It has other names, which may be in directories of other users.
  case linked

  /// It, or a directory on the way to it, has just been taken away.
  case exchanged

  /// Nothing in it says that launchlab has made it.
  case unmarked

  /// What a person is told.
  func diagnostic(at path: String) -> Diagnostic {
    Diagnostic(
      .error,
      id: "place-refused",
      problem: problem(at: path),
      place: path,
      remedy: remedy(at: path)
    )
  }

  private var keeper: String { geteuid() == 0 ? "root keeps" : "you keep" }

  func problem(at path: String) -> String {
    switch self {
    case .symbolicLink: "\"\(path)\" is a symbolic link, which may be another one at any time"
    case .notADirectory: "\"\(path)\" is not a directory"
    case .owner(let user):
      "\"\(path)\" belongs to the user \(user), who can have put anything into it"
    case .writable(let mode):
      "other users may write to \"\(path)\", whose mode is \(String(mode, radix: 8)), and can have "
        + "put anything into it"
    case .way(let place, let owner):
      "\"\(place)\" belongs to the user \(owner), who can exchange anything that \(keeper) below it"
    case .openWay(let place):
      "other users may write to \"\(place)\", and can exchange anything that \(keeper) below it"
    case .exchanged: "somebody takes \"\(path)\" away while it is made"
    case .linked: "\"\(path)\" has another name, which may be anywhere"
    case .unmarked:
      "launchlab has not made \"\(path)\", as there is no file \(LabMark.fileName) of this user in "
        + "its directory, and does not remove it"
    }
  }

  /// - Parameters:
  ///   - path: The place.
  ///   - other: What helps in any case.
  /// - Returns: What to do.
  func remedy(
    at path: String,
    other: String = "choose a directory of your own, such as for the store with `--store FILE`"
  ) -> String {
    switch self {
    case .unmarked, .notADirectory:
      "move it away, or choose another directory for the store with `--store FILE`"
    case .writable: "keep them out with `chmod go-w \(FilePath(path).shellWord)`, or \(other)"
    case .openWay(let place):
      "let only owners rename what is theirs with `chmod +t \(FilePath(place).shellWord)`, or \(other)"
    case .owner where geteuid() == 0, .way where geteuid() == 0:
      "\(other); or, where that user may act as root anyway, set SUDO_UID to the user's number"
    default: other
    }
  }
}
