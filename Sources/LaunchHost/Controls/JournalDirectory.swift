import Foundation
import Glibc
package import SystemPackage

/// The private directory of this user where the journals of labs are.
///
/// For root it is `/run/launchlab`, for others `launchlab` in their runtime directory, and a
/// directory in `/tmp` where there is none. `LAUNCHLAB_STATE_DIR` in the environment names another
/// one, for the lab lock as well.
package struct JournalDirectory: Hashable, Sendable {
  /// The environment variable that names another directory.
  package static let variable = "LAUNCHLAB_STATE_DIR"

  /// Where new journals go.
  package let path: FilePath

  /// Every directory of this user that may have journals, each once and `path` among them: a lab
  /// that ran without a session, from cron such as, may have chosen another one.
  let places: [FilePath]

  /// Directories where journals of this user may be and that others can write to: those in them are
  /// not read.
  let foreignPlaces: [FilePath]

  /// Whether the user has named the directory.
  let isChosen: Bool

  /// Finds the directory, and makes it unless it is there.
  ///
  /// - Parameters:
  ///   - environment: Of launchlab.
  ///   - root: The directory that stands for `/`.
  /// - Throws: ``HostError/system(operation:path:errno:)`` of the last place that was tried,
  ///   ``HostError/placeRefused(path:_:)`` where others can exchange what root has named, and
  ///   ``HostError/journalDirectory(path:reason:)`` when it is a link, or another user's, or one that
  ///   others may write to.
  package init(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    root: FilePath = "/"
  ) throws(HostError) {
    let candidates: [FilePath]
    if let chosen = environment[Self.variable], !chosen.isEmpty {
      guard chosen.hasPrefix("/") else {
        throw .system(
          operation: "use a relative path for \(Self.variable)",
          path: chosen,
          errno: EINVAL
        )
      }
      isChosen = true
      candidates = [try Self.chosen(FilePath(chosen))]
    } else {
      isChosen = false
      candidates = Self.candidates(environment, root: root)
    }
    var failure = HostError.system(operation: "make a directory", path: nil, errno: ENOENT)
    var made: FilePath?
    for candidate in candidates where made == nil {
      do throws(HostError) {
        for part in Self.parts(of: candidate, isChosen) { try Self.make(part) }
        made = candidate
      } catch {
        failure = error
      }
    }
    guard let made else { throw failure }
    path = made
    // `/var/run` is `/run`, and XDG_RUNTIME_DIR may be what is usual.
    var seen: Set<String> = []
    let present = candidates.filter { DeclaredDirectory.realPath(of: $0) != nil }
      .filter { seen.insert((DeclaredDirectory.realPath(of: $0) ?? $0).string).inserted }
    let isOwn = { [isChosen] (place: FilePath) in
      Self.parts(of: place, isChosen).allSatisfy { Self.foreignReason($0) == nil }
    }
    places = present.filter(isOwn)
    foreignPlaces = present.filter { !isOwn($0) }
  }

  /// The directory that the user names, which root does not look for behind the links of others.
  private static func chosen(_ path: FilePath) throws(HostError) -> FilePath {
    guard geteuid() == 0, let name = path.lastComponent else { return path }
    let way = try TrustedWay.open(to: path.removingLastComponent())
    return way.resolved.appending(name)
  }

  private static func candidates(_ environment: [String: String], root: FilePath) -> [FilePath] {
    let user = geteuid()
    let temporary = root.appending("tmp/launchlab-\(user)/state")
    if user == 0 {
      return [root.appending("run/launchlab"), root.appending("var/run/launchlab"), temporary]
    }
    let session = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? FilePath($0) : nil }
    let usual = root.appending("run/user/\(user)/launchlab")
    return [session?.appending("launchlab"), usual, temporary].compactMap { $0 }
  }

  /// The directories that have to be private: in /tmp anybody could make the parent first.
  private static func parts(of path: FilePath, _ isChosen: Bool) -> [FilePath] {
    let isInTemporary = !isChosen && path.lastComponent?.string == "state"
    return (isInTemporary ? [path.removingLastComponent()] : []) + [path]
  }

  private static func make(_ path: FilePath) throws(HostError) {
    if unsafe mkdir(path.string, 0o700) != 0, errno != EEXIST {
      throw .system(
        operation: "make a private directory for the journal",
        path: path.string,
        errno: errno
      )
    }
    if let reason = foreignReason(path) {
      throw .journalDirectory(path: path.string, reason: reason)
    }
  }

  /// Why it is not a directory of this user that nobody else may write to, as a sentence without a full
  /// stop; nil when it is one.
  private static func foreignReason(_ path: FilePath) -> String? {
    var status = stat()
    guard unsafe lstat(path.string, &status) == 0 else { return "it cannot be looked at" }
    switch status.st_mode & S_IFMT {
    case S_IFLNK: return "it is a symbolic link"
    case S_IFDIR: return status.foreignReason
    default: return "it is not a directory"
    }
  }
}
