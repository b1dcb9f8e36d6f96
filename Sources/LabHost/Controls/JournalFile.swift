import Glibc
import SystemPackage

/// The file of a journal, which only its own user can have written.
enum JournalFile {
  /// What a file is.
  enum Content {
    case trusted([UInt8])

    /// Root would do whatever it says; the reason is a sentence without a full stop, and the remedy
    /// a command that makes it trusted, where there is one.
    case untrusted(reason: String, remedy: String? = nil)
  }

  /// Reads the whole file, unless it is a link, another user's, or one that others may write to.
  ///
  /// - Returns: Nil when there is none.
  static func content(at path: FilePath) -> Content? {
    let options: FileDescriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(path, .readOnly, options: options)
    } catch {
      switch error as? Errno {
      case .noSuchFileOrDirectory: return nil
      case .tooManySymbolicLinkLevels: return .untrusted(reason: "it is a symbolic link")
      case let failure: return .untrusted(reason: "it cannot be read (\(failure ?? .ioError))")
      }
    }
    defer { try? file.close() }
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0 else {
      return .untrusted(reason: "it cannot be looked at")
    }
    if status.st_mode & S_IFMT != S_IFREG { return .untrusted(reason: "it is no regular file") }
    if let reason = status.foreignReason {
      let remedy = "chown \(geteuid()) \(path) && chmod 600 \(path)"
      return .untrusted(reason: reason, remedy: remedy)
    }
    return HostTree.bytes(of: file).map { .trusted($0) } ?? .untrusted(reason: "it cannot be read")
  }

  /// Reads the whole file; nil when there is none, or it is not to be trusted.
  static func bytes(at path: FilePath) -> [UInt8]? {
    guard case .trusted(let bytes) = content(at: path) else { return nil }
    return bytes
  }
}

extension stat {
  /// Who else than this user can write to a file, as a sentence without a full stop; nil when nobody
  /// can.
  var foreignReason: String? {
    guard st_uid == geteuid() else { return "it belongs to user \(st_uid)" }
    guard st_mode & 0o022 == 0 else {
      return "others may write to it (mode \(String(st_mode & 0o777, radix: 8)))"
    }
    return nil
  }
}
