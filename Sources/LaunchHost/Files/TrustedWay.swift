import CLabHost
import Glibc
import SystemPackage

/// The way to a path, opened directory by directory from the top of the file system on.
///
/// Each directory is opened in the one before it, so that what was looked at is what is used, whatever
/// others rename meanwhile. A link is followed only where it and its directory belong to this user or
/// to root alone: in a directory such as `/tmp` anybody may have put it.
struct TrustedWay: ~Copyable {
  /// The last directory that is there, with its path, which has no links.
  ///
  /// It is opened only to reach what is in it.
  private(set) var directory: OpenFile

  /// What of the path is not there as a directory, and why: an error number.
  private(set) var rest: (names: [FilePath.Component], errno: CInt) = ([], 0)

  /// Whether others may put something into the last directory, as into `/tmp`.
  private(set) var isShared = false

  private let path: FilePath
  private let care: Care
  private var isForeign = false
  private var links = 0

  /// What other users must have no say in.
  enum Care: Hashable, Sendable {
    /// Directories and links: nobody else can exchange anything on the way.
    case all

    /// The same, and there must be no link at all.
    case allWithoutLinks

    /// All, and who has become root by sudo(8) is another user too: what is there is executed by root.
    case programs

    /// Only links: the directories may be of other users, who cannot lead out of them.
    case links
  }

  /// Opens one directory after the other, as far as the path exists.
  ///
  /// - Parameters:
  ///   - path: Absolute.
  ///   - care: What is looked at.
  /// - Returns: The way.
  /// - Throws: ``HostError/placeRefused(path:_:)`` at the first directory or link of another user, or
  ///   that one may exchange, and ``HostError/system(operation:path:errno:)``.
  static func open(to path: FilePath, care: Care = .all) throws(HostError) -> TrustedWay {
    var way = TrustedWay(from: try top(), to: path, care: care)
    try way.look()
    try way.go()
    return way
  }

  private init(from top: consuming OpenFile, to path: FilePath, care: Care) {
    directory = top
    self.path = path
    self.care = care
  }

  private mutating func go() throws(HostError) {
    var names = Array(path.components.reversed())
    while let name = names.popLast() {
      switch name.kind {
      case .currentDirectory: continue
      case .parentDirectory:
        names += directory.path.components.dropLast().reversed()
        try enter(Self.top())
      case .regular:
        let descriptor = unsafe name.withPlatformString {
          unsafe lab_open_in(directory.descriptor, $0, OpenFile.pathOnly, 0, 0)
        }
        guard descriptor >= 0 else {
          rest = ([name] + names.reversed(), -descriptor)
          return
        }
        let next = OpenFile(descriptor: descriptor, path: directory.path.appending(name))
        let status = try next.status()
        if status.isSymbolicLink {
          let target = try target(of: next, status)
          if target.isAbsolute { try enter(Self.top()) }
          names += target.components.reversed()
        } else if status.isDirectory {
          try enter(next)
        } else {
          rest = ([name] + names.reversed(), ENOTDIR)
          return
        }
      }
    }
  }

  /// The whole path with the links resolved, as far as it exists.
  var resolved: FilePath {
    rest.names.isEmpty
      ? directory.path : directory.path.appending(rest.names).lexicallyNormalized()
  }

  // MARK: - Steps

  private static func top() throws(HostError) -> OpenFile {
    let result = unsafe lab_open_in(-1, "/", OpenFile.pathOnly | O_DIRECTORY, 0, 0)
    guard result >= 0 else {
      throw .system(operation: "open the directory", path: "/", errno: -result)
    }
    return OpenFile(descriptor: result, path: "/")
  }

  private mutating func enter(_ next: consuming OpenFile) throws(HostError) {
    directory = next
    try look()
  }

  /// Looks at whose the last directory is.
  private mutating func look() throws(HostError) {
    let status = try directory.status()
    isForeign = !trusted.contains(status.st_uid)
    isShared =
      OwnPlace.isWritableByOthers(status)
      || status.permissions & 0o020 != 0 && directory.hasAccessList
    guard care != .links else { return }
    if isForeign { throw refused(.way(directory.path.string, owner: OwnPlace.user(status.st_uid))) }
    if isShared, status.permissions & S_ISVTX == 0 {
      throw refused(.openWay(directory.path.string))
    }
  }

  private mutating func target(
    of link: borrowing OpenFile,
    _ status: stat
  ) throws(HostError) -> FilePath {
    links += 1
    guard trusted.contains(status.st_uid) else {
      throw refused(.way(link.path.string, owner: OwnPlace.user(status.st_uid)))
    }
    // Whoever may write to a directory may have moved somebody's link there.
    if isForeign || isShared || care == .allWithoutLinks {
      throw .placeRefused(path: link.path.string, .symbolicLink)
    }
    guard links <= 40 else { throw link.failure("follow the link", ELOOP) }
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = unsafe readlinkat(link.descriptor, "", &bytes, Int(PATH_MAX))
    guard count > 0 else { throw link.failure("follow the link", errno) }
    return FilePath(platformString: bytes)
  }

  private var trusted: Set<uid_t> { care == .programs ? OwnPlace.owners : OwnPlace.trusted }

  private func refused(_ refusal: PlaceRefusal) -> HostError {
    .placeRefused(path: path.string, refusal)
  }
}

extension OpenFile {
  /// Whether a directory has an access control list, whose entries the group's bits of its mode stand for;
  /// acl(5).
  fileprivate var hasAccessList: Bool {
    let opened = unsafe lab_open_in(descriptor, ".", O_RDONLY | O_DIRECTORY, 0, 0)
    guard opened >= 0 else { return false }
    defer { close(opened) }
    return unsafe lab_get_attribute(opened, "system.posix_acl_access", nil, 0) > 0
  }
}
