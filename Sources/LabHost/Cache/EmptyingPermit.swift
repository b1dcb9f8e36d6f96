import Foundation
import Glibc
import LabModel
import SystemPackage

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
