import Foundation
import Glibc
import LaunchCore
import SystemPackage

/// Why nothing is written below a directory that a scenario declares.
package enum DirectoryRefusal: Hashable, Sendable {
  case missing

  case notADirectory

  case symbolicLink

  case mountPoint

  /// Another user has the say of what is at a path.
  case foreign(path: String, PlaceRefusal)

  case systemDirectory

  case homeDirectory

  /// It lies directly in a home directory, as `.ssh` and `.cache` do.
  case homeEntry(String)

  /// It is, or lies in, a directory that a package manager keeps its own files in.
  case packageManager(String)

  /// By a mount it is, or lies in, a directory that is protected.
  case leadsTo(String)

  /// It is to be emptied, lies nowhere that is made for that, and nobody has allowed it.
  case notAllowed(String)

  /// A file that allows it to be emptied does not count; the reason is a sentence without a full
  /// stop.
  case badPermit(file: String, reason: String)

  /// It is, or holds, something that must stay; `what` is a phrase such as `the store`.
  case holds(what: String, path: String)

  /// It overlaps with the template that it is filled from.
  case overlapsTemplate(String)

  /// Files cannot be made or removed in it, or in a directory below.
  case notWritable(String)

  /// A file below belongs to somebody else, whose ownership a copy could not keep.
  case foreignOwner(file: String)

  /// A file below has further names, whose owners would lose it.
  case hardLinked(file: String)

  /// A file below is immutable or append-only.
  case locked(file: String)

  /// Something else is mounted below.
  case mountBelow(String)

  /// Its template holds what cannot be copied, such as a device.
  case specialFile(String)

  /// Directories are nested deeper than launchlab follows them.
  case tooDeep(String, limit: Int)

  /// Takes over why a place was refused; nil for any other error.
  init?(_ error: HostError) {
    guard case .placeRefused(let path, let refusal) = error else { return nil }
    self = .foreign(path: path, refusal)
  }

  var problem: String {
    switch self {
    case .missing: "it does not exist"
    case .notADirectory: "it is not a directory"
    case .symbolicLink: "it is a symbolic link"
    case .mountPoint: "it is a mount point"
    case .foreign(let path, let refusal): refusal.problem(at: path)
    case .systemDirectory: "it belongs to the system"
    case .homeDirectory: "it is a home directory"
    case .homeEntry(let home): "it lies directly in the home directory \"\(home)\""
    case .packageManager(let path): "it belongs to a package manager (\(path))"
    case .leadsTo(let path): "by a mount it is \"\(path)\", which is protected"
    case .notAllowed:
      "it lies neither below the scenario's directory nor below a temporary one, and nobody has "
        + "allowed launchlab to empty it"
    case .badPermit(let file, let reason): "\"\(file)\" does not count: \(reason)"
    case .holds(let what, let path): "it holds \(what) \"\(path)\""
    case .overlapsTemplate(let path): "it overlaps with its template \"\(path)\""
    case .notWritable(let path): "\"\(path)\" cannot be written to"
    case .foreignOwner(let file): "\"\(file)\" belongs to another user"
    case .hardLinked(let file): "\"\(file)\" has several hard links"
    case .locked(let file): "\"\(file)\" is immutable or append-only"
    case .mountBelow(let path): "\"\(path)\" is a mount point"
    case .specialFile(let path): "\"\(path)\" of its template is a special file"
    case .tooDeep(let path, let limit): "\"\(path)\" lies deeper than \(limit) directories"
    }
  }

  var remedy: String {
    switch self {
    case .missing: "create it, or correct its path"
    case .notADirectory: "name the directory that holds it"
    case .symbolicLink: "name the directory that the link points at"
    case .mountPoint: "name a directory inside the mount"
    case .foreign(let path, let refusal):
      refusal.remedy(at: path, other: "choose a directory of your own")
    case .systemDirectory, .homeDirectory, .packageManager, .leadsTo, .holds:
      "use a directory of the target's own"
    case .homeEntry: "use a directory further down, which only the target uses"
    case .notAllowed(let path), .badPermit(let path, _):
      "move it below the scenario's directory, or allow it with `\(Self.allowing(path))`"
    case .overlapsTemplate: "keep the template outside the directory"
    case .notWritable: "run as root or as its owner, and where it is not mounted read-only"
    case .foreignOwner: "run as root, or as the owner of the installation"
    case .hardLinked(let file):
      "give it an inode of its own with `cp -p \(file) \(file).new && mv \(file).new \(file)`"
    case .locked(let file): "unlock it with `chattr -i -a \(file)`"
    case .mountBelow(let path): "unmount it with `umount \(path)`"
    case .specialFile(let path): "remove it with `rm \(path)`"
    case .tooDeep: "move the nested directories elsewhere"
    }
  }

  /// The command that allows a directory, or that of a permit, to be emptied.
  private static func allowing(_ path: String) -> String {
    let file = FilePath(path)
    let isPermit = file.lastComponent?.string == EmptyingPermit.name
    let directory = isPermit ? file.removingLastComponent() : file
    let isMissing = DeclaredDirectory.realPath(of: directory) == nil
    let word = directory.shellWord
    return (isMissing ? "mkdir -p \(word) && " : "") + "launchlab allow \(word)"
  }

  func diagnostic(role: DeclaredDirectory.Role, path: String) -> Diagnostic {
    Diagnostic(
      .error,
      id: "directory-refused",
      problem: "cannot use \"\(path)\" as \(role.phrase): \(problem)",
      place: path,
      remedy: remedy
    )
  }
}

extension FilePath {
  /// The path as a word of a POSIX shell.
  var shellWord: String {
    let isPlain = string.allSatisfy { character in
      character.isASCII
        && (character.isLetter || character.isNumber || "-_./+,:@%".contains(character))
    }
    return isPlain && !string.hasPrefix("-")
      ? string : "'" + string.replacing("'", with: #"'\''"#) + "'"
  }
}

/// The file by which a person allows launchlab to empty a directory, and those below it.
///
/// It says of which directory it is, so that a copy of the directory is not allowed as well. It stays
/// when the directory is emptied.
package enum EmptyingPermit {
  /// The name of the file.
  package static let name = ".launchlab-may-empty"

  /// Writes the file, for ``Surroundings`` to find.
  ///
  /// - Parameters:
  ///   - directory: It must exist; links on the way to it are followed.
  ///   - home: The HOME of launchlab itself, if it has one.
  /// - Returns: The file, with links resolved.
  /// - Throws: ``HostError/directoryRefused(role:path:_:)`` for what must never be emptied, and
  ///   ``HostError/system(operation:path:errno:)``.
  package static func grant(for directory: String, home: String?) throws -> String {
    let declared = FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(directory))
    let refused = { (refusal: DirectoryRefusal) in
      HostError.directoryRefused(role: .state, path: directory, refusal)
    }
    if let refusal = DeclaredDirectory(declared, role: .state).ownerRefusal {
      throw refused(refusal)
    }
    guard let path = DeclaredDirectory.realPath(of: declared) else { throw refused(.missing) }
    guard PathIdentity.isDirectory(path) else { throw refused(.notADirectory) }
    if let refusal = ProtectedPlaces(home: home.map { FilePath($0) }).refusal(of: path) {
      throw refused(refusal)
    }
    let file = path.appending(name)
    try WholeFile(file.string).write { try $0(text(for: path)) }
    return file.string
  }

  /// How many entries a directory has that emptying it removes.
  package static func entryCount(besides file: String) -> Int {
    let directory = FilePath(file).removingLastComponent().string
    return HostTree().names(in: directory).filter { $0 != name }.count
  }

  /// Why nobody has allowed a directory to be emptied; nil when somebody has.
  ///
  /// The file may be in the directory or in one above it, in the same mount.
  static func refusal(of path: FilePath, amid protected: ProtectedPlaces) -> DirectoryRefusal? {
    var directory = path
    while directory.lastComponent != nil {
      let isNear = directory == path || protected.holds(directory, path)
      if isNear, PathIdentity.isThere(directory.appending(name).string) {
        guard let reason = objection(to: directory, amid: protected) else { return nil }
        return .badPermit(file: directory.appending(name).string, reason: reason)
      }
      directory = directory.removingLastComponent()
    }
    return .notAllowed(path.string)
  }

  /// Why the file of a directory does not count, as a sentence without a full stop.
  private static func objection(
    to directory: FilePath,
    amid protected: ProtectedPlaces
  ) -> String? {
    if protected.refusal(of: directory) != nil { return "its directory is protected" }
    guard let opened = try? ConfinedDirectory(followingMountsTo: directory),
      let component = FilePath.Component(name),
      let file = try? opened.open(component, O_RDONLY), let status = try? file.status()
    else { return "it cannot be opened, or is a link" }
    guard status.isRegular, status.st_nlink == 1 else { return "it is not a file of its own" }
    guard OwnPlace.trusted.contains(status.st_uid) else {
      return "it belongs neither to you nor to root"
    }
    guard status.permissions & 0o022 == 0 else { return "others may write to it" }
    let bytes = HostTree.bytes(of: FileDescriptor(rawValue: file.descriptor)) ?? []
    return String(decoding: bytes, as: UTF8.self) == text(for: directory)
      ? nil : "it was made for another directory"
  }

  private static func text(for directory: FilePath) -> String {
    """
    launchlab may empty this directory, and those below it, before a first run. It was allowed with
    `launchlab allow`; remove this file to take that back.
    directory: \(directory.string)

    """
  }
}
