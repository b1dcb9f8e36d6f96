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

  /// Whether the user has named the directory.
  let isChosen: Bool

  /// Finds the directory, and makes it unless it is there.
  ///
  /// - Parameters:
  ///   - environment: Of launchlab.
  ///   - root: The directory that stands for `/`.
  /// - Throws: ``HostError/system(operation:path:errno:)`` of the last place that was tried; a
  ///   directory that is a link, or another user's, or that others may write to, is none.
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
      candidates = [FilePath(chosen)]
    } else {
      isChosen = false
      candidates = Self.candidates(environment, root: root)
    }
    var failure = HostError.system(operation: "make a directory", path: nil, errno: ENOENT)
    var made: FilePath?
    for candidate in candidates where made == nil {
      do throws(Errno) {
        try Self.make(candidate, isChosen: isChosen)
        made = candidate
      } catch {
        failure = .system(
          operation: "make a private directory for the journal",
          path: candidate.string,
          errno: error.rawValue
        )
      }
    }
    guard let made else { throw failure }
    path = made
    // `/var/run` is `/run`, and XDG_RUNTIME_DIR may be what is usual.
    var seen: Set<String> = []
    places = candidates.filter { [isChosen] in
      Self.parts(of: $0, isChosen).allSatisfy(Self.isPrivate)
    }
    .filter { place in
      let real = DeclaredDirectory.realPath(of: place) ?? place
      return seen.insert(real.string).inserted
    }
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

  private static func make(_ path: FilePath, isChosen: Bool) throws(Errno) {
    for part in parts(of: path, isChosen) { try makeOne(part) }
  }

  /// The directories that have to be private: in /tmp anybody could make the parent first.
  private static func parts(of path: FilePath, _ isChosen: Bool) -> [FilePath] {
    let isInTemporary = !isChosen && path.lastComponent?.string == "state"
    return (isInTemporary ? [path.removingLastComponent()] : []) + [path]
  }

  private static func makeOne(_ path: FilePath) throws(Errno) {
    if unsafe mkdir(path.string, 0o700) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
    guard isPrivate(path) else { throw .permissionDenied }
  }

  /// Whether it is a directory of this user that nobody else may write to.
  private static func isPrivate(_ path: FilePath) -> Bool {
    var status = stat()
    return unsafe lstat(path.string, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
  }
}
