import Foundation
import Glibc
import SystemPackage

/// A directory of launchlab's own among those of the user.
///
/// Source: the XDG Base Directory Specification, which has variables passed over that are not absolute.
package enum UserDirectory {
  case cache
  case state

  /// Its absolute path; nil where neither the variable nor HOME names one.
  package func path(in environment: [String: String]) -> String? {
    let (variable, usual) =
      switch self {
      case .cache: ("XDG_CACHE_HOME", ".cache")
      case .state: ("XDG_STATE_HOME", ".local/state")
      }
    func absolute(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let directory = absolute(variable) ?? absolute("HOME").map { "\($0)/\(usual)" }
    return directory.map { "\($0)/launchlab" }
  }
}

/// The private directory where embedded programs are unpacked once, by content.
struct HelperCache {
  /// Where to unpack, the first that works.
  private(set) var candidates: [FilePath] = []

  /// Why root uses none of the others.
  private var refusal: HostError?

  /// The cache of the user, or a directory for this user where that cannot be written.
  ///
  /// Root with the HOME of another user, as after `sudo -E`, does not use it: that one could exchange a program
  /// between its check and its start.
  init(environment: [String: String], temporaryDirectory: String = "/tmp") {
    let user = UserDirectory.cache.path(in: environment)
    let all = [user, "\(temporaryDirectory)/launchlab-\(geteuid())"].compactMap { $0 }
      .map { FilePath($0) }
    guard geteuid() == 0 else {
      candidates = all
      return
    }
    for place in all {
      do throws(HostError) {
        candidates.append(try TrustedWay.open(to: place, care: .programs).resolved)
      } catch {
        refusal = error
      }
    }
  }

  /// Looks for root whether a directory is there, and nobody else can exchange it from now on.
  private func check(_ directory: FilePath) throws(HostError) {
    guard geteuid() == 0 else { return }
    let way = try TrustedWay.open(to: directory, care: .programs)
    guard way.rest.names.isEmpty else {
      throw .system(operation: "open the directory", path: directory.string, errno: way.rest.errno)
    }
    guard way.resolved == directory else {
      throw .placeRefused(path: directory.string, .symbolicLink)
    }
  }

  /// Gives the path of an unpacked program whose bytes were compared with the embedded ones.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)`` of the last candidate.
  func path(of helper: EmbeddedHelper) throws(HostError) -> String {
    var failure =
      refusal ?? .system(operation: "unpack \(helper.name)", path: nil, errno: ENOENT)
    let program = helper.program
    for candidate in candidates {
      do {
        return try unpack(helper.name, program, in: candidate.appending(helper.digest)).string
      } catch let error as Errno {
        failure = .system(
          operation: "unpack \(helper.name)",
          path: candidate.string,
          errno: error.rawValue
        )
      } catch {
        failure = error as? HostError ?? failure
      }
    }
    throw failure
  }

  /// Makes the private directory for what is gone when launchlab is.
  ///
  /// - Returns: Its path; what a killed launchlab left in it, the next one finds there.
  /// - Throws: ``HostError/system(operation:path:errno:)`` of the last candidate.
  func scratch() throws(HostError) -> String {
    var failure = refusal ?? .system(operation: "make a directory", path: nil, errno: ENOENT)
    for candidate in candidates {
      let directory = candidate.appending("scratch")
      do {
        try makePrivate(directory)
        return directory.string
      } catch {
        failure =
          error as? HostError
          ?? .system(
            operation: "make a directory",
            path: directory.string,
            errno: (error as? Errno)?.rawValue ?? EIO
          )
      }
    }
    throw failure
  }

  private func unpack(
    _ name: String,
    _ program: [UInt8],
    in directory: FilePath
  ) throws -> FilePath {
    let path = directory.appending(name)
    if (try? check(directory)) != nil, holds(path, program) { return path }
    try makePrivate(directory)
    // A name of its own and a rename let several first uses go on at once.
    let temporary = directory.appending("\(name).\(getpid()).\(UInt32.random(in: 0 ... .max))")
    let file = try FileDescriptor.open(
      temporary,
      .writeOnly,
      options: [.create, .exclusiveCreate, .closeOnExec],
      permissions: .ownerReadWriteExecute
    )
    do {
      try file.closeAfter { _ = try file.writeAll(program) }
      guard unsafe rename(temporary.string, path.string) == 0 else { throw Errno(rawValue: errno) }
    } catch {
      _ = unsafe unlink(temporary.string)
      throw error
    }
    guard holds(path, program) else { throw Errno.ioError }
    return path
  }

  /// Whether the file is this program, private to this user, and can be executed.
  private func holds(_ path: FilePath, _ program: [UInt8]) -> Bool {
    var status = stat()
    guard unsafe lstat(path.string, &status) == 0, status.st_uid == geteuid(),
      status.st_mode & (S_IFMT | 0o022) == S_IFREG,
      Int(status.st_size) == program.count, unsafe access(path.string, X_OK) == 0
    else { return false }
    guard let found = HostTree().bytes(at: path.string), found.count == program.count else {
      return false
    }
    // Some 850 kB, which == compares byte by byte.
    return unsafe memcmp(found, program, program.count) == 0
  }

  private func makePrivate(_ directory: FilePath) throws {
    let parent = directory.removingLastComponent()
    for place in [parent.removingLastComponent(), parent, directory] {
      guard unsafe mkdir(place.string, 0o700) == 0 || errno == EEXIST else {
        throw Errno(rawValue: errno)
      }
      try check(place)
    }
    for place in [parent, directory] {
      var status = stat()
      guard unsafe lstat(place.string, &status) == 0 else { throw Errno(rawValue: errno) }
      // A directory that another user could have prepared is no place for a program.
      guard status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFDIR,
        unsafe chmod(place.string, 0o700) == 0
      else { throw Errno.permissionDenied }
    }
  }
}

/// A native program that is part of the executable; the build writes one literal for each.
struct EmbeddedHelper: Sendable {
  let name: String

  /// The lower-case hexadecimal SHA-256 of the program.
  let digest: String

  let base64: String

  /// Unpacks the program unless it is there already, and gives its path.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  func unpacked() throws(HostError) -> String {
    try HelperCache(environment: ProcessInfo.processInfo.environment).path(of: self)
  }

  /// The bytes of the program; empty when the literal is broken.
  var program: [UInt8] { Data(base64Encoded: base64).map(Array.init) ?? [] }
}
