/// What a system call works on, and what it does to the descriptors and mappings of its process.
///
/// By the manual pages of section 2; calls that are not named here work on the text they were given.
struct CallRule: Sendable {
  var object: Object
  var effect: Effect
  var role: Role?
  var demand = Demand.all

  /// The argument that is the descriptor of a file it reads, where its object is what it writes.
  var source: Int?

  /// Whether it looks for a file.
  var takesPath: Bool {
    switch object {
    case .path, .pathAt: true
    case .none, .descriptor, .address, .mapping: false
    }
  }

  enum Object: Sendable {
    case none

    /// The path in its text.
    case path

    /// The path in its text, below the directory of a descriptor, or the descriptor itself.
    case pathAt(argument: Int)

    case descriptor(argument: Int)

    /// The address in its text, or else the descriptor.
    case address(argument: Int)

    /// The file that is mapped.
    case mapping
  }

  enum Effect: Sendable {
    case none

    /// Its result is a descriptor of its object; an argument says whether execution closes it.
    case opens(flags: Int?)

    /// Its result is a descriptor of something of this name.
    case makes(name: String, flags: Int?)
    case makesSocket
    case makesPair(name: String, flags: Int?)

    /// The descriptor is known by the address from now on.
    case namesSocket
    case closes
    case closesRange
    case duplicates
    case duplicatesTo(flags: Int?)
    case controls
    case maps
    case unmaps
    case remaps
    case movesBreak
    case executes
  }

  /// What a target does by it that can make it ready.
  enum Role: Sendable {
    case writes
    case sends
    case listens
    case opensFile
    case renames
  }

  /// Which pages it asks for itself of those that come into the page cache meanwhile; the others are
  /// read ahead.
  enum Demand: Sendable {
    case all

    /// As many as the bytes that an argument says.
    case length(argument: Int)
    case none
  }

  init(_ object: Object, _ effect: Effect = .none, role: Role? = nil) {
    self.object = object
    self.effect = effect
    self.role = role
  }

  static func of(_ name: String) -> Self { rules[name] ?? CallRule(.path) }

  private static let rules: [String: Self] = {
    var rules = files.merging(descriptors) { first, _ in first }
    for names in [onPath, onPathAt, onDescriptor, onNothing] {
      for (name, rule) in names { rules[name] = rule }
    }
    for (name, source) in [("sendfile", 1), ("splice", 0)] { rules[name]?.source = source }
    for name in ["read", "pread64"] { rules[name]?.demand = .length(argument: 2) }
    for name in ["readahead", "fadvise64", "madvise"] { rules[name]?.demand = .none }
    return rules
  }()

  private static let files: [String: Self] = [
    "open": CallRule(.path, .opens(flags: 1), role: .opensFile),
    "openat": CallRule(.pathAt(argument: 0), .opens(flags: 2), role: .opensFile),
    "openat2": CallRule(.pathAt(argument: 0), .opens(flags: nil), role: .opensFile),
    "creat": CallRule(.path, .opens(flags: nil), role: .opensFile),
    "mkdir": CallRule(.path, role: .opensFile),
    "mkdirat": CallRule(.pathAt(argument: 0), role: .opensFile),
    "mknod": CallRule(.path, role: .opensFile),
    "mknodat": CallRule(.pathAt(argument: 0), role: .opensFile),
    "rename": CallRule(.path, role: .renames),
    "renameat": CallRule(.pathAt(argument: 0), role: .renames),
    "renameat2": CallRule(.pathAt(argument: 0), role: .renames),
    "link": CallRule(.path, role: .renames),
    "linkat": CallRule(.pathAt(argument: 0), role: .renames),
    "symlink": CallRule(.path, role: .renames),
    "symlinkat": CallRule(.path, role: .renames),
    "execve": CallRule(.path, .executes),
    "execveat": CallRule(.pathAt(argument: 0), .executes),
    "mmap": CallRule(.mapping, .maps),
    "munmap": CallRule(.none, .unmaps),
    "mremap": CallRule(.none, .remaps),
    "brk": CallRule(.none, .movesBreak),
  ]

  private static let descriptors: [String: Self] = [
    "socket": CallRule(.none, .makesSocket),
    "connect": CallRule(.address(argument: 0), .namesSocket),
    "bind": CallRule(.address(argument: 0), .namesSocket),
    "listen": CallRule(.descriptor(argument: 0), role: .listens),
    "accept": CallRule(.descriptor(argument: 0), .opens(flags: nil)),
    "accept4": CallRule(.descriptor(argument: 0), .opens(flags: 3)),
    "sendto": CallRule(.address(argument: 0), role: .sends),
    "sendmsg": CallRule(.address(argument: 0), role: .sends),
    "sendmmsg": CallRule(.address(argument: 0), role: .sends),
    "write": CallRule(.descriptor(argument: 0), role: .writes),
    "writev": CallRule(.descriptor(argument: 0), role: .writes),
    "pwrite64": CallRule(.descriptor(argument: 0), role: .writes),
    "pwritev": CallRule(.descriptor(argument: 0), role: .writes),
    "pwritev2": CallRule(.descriptor(argument: 0), role: .writes),
    "sendfile": CallRule(.descriptor(argument: 0), role: .writes),
    "close": CallRule(.descriptor(argument: 0), .closes),
    "close_range": CallRule(.none, .closesRange),
    "dup": CallRule(.descriptor(argument: 0), .duplicates),
    "dup2": CallRule(.descriptor(argument: 0), .duplicatesTo(flags: nil)),
    "dup3": CallRule(.descriptor(argument: 0), .duplicatesTo(flags: 2)),
    "fcntl": CallRule(.descriptor(argument: 0), .controls),
    "pipe": CallRule(.none, .makesPair(name: "pipe", flags: nil)),
    "pipe2": CallRule(.none, .makesPair(name: "pipe", flags: 1)),
    "socketpair": CallRule(.none, .makesPair(name: "socket pair", flags: 1)),
    "eventfd": CallRule(.none, .makes(name: "eventfd", flags: nil)),
    "eventfd2": CallRule(.none, .makes(name: "eventfd", flags: 1)),
    "epoll_create": CallRule(.none, .makes(name: "epoll", flags: nil)),
    "epoll_create1": CallRule(.none, .makes(name: "epoll", flags: 0)),
    "timerfd_create": CallRule(.none, .makes(name: "timerfd", flags: 1)),
    "signalfd": CallRule(.none, .makes(name: "signalfd", flags: nil)),
    "signalfd4": CallRule(.none, .makes(name: "signalfd", flags: 3)),
    "inotify_init": CallRule(.none, .makes(name: "inotify", flags: nil)),
    "inotify_init1": CallRule(.none, .makes(name: "inotify", flags: 0)),
    "memfd_create": CallRule(.none, .makes(name: "memfd", flags: nil)),
    "pidfd_open": CallRule(.none, .makes(name: "pidfd", flags: nil)),
    "io_uring_setup": CallRule(.none, .makes(name: "io_uring", flags: nil)),
    "splice": CallRule(.descriptor(argument: 2), role: .writes),
  ]

  private static let onPath = rules(
    "stat lstat access readlink chdir unlink rmdir statfs truncate utime utimes chmod chown lchown"
      + " getxattr lgetxattr listxattr llistxattr inotify_add_watch",
    CallRule(.path)
  )

  private static let onPathAt = rules(
    "newfstatat fstatat statx faccessat faccessat2 readlinkat unlinkat fchownat fchmodat"
      + " fchmodat2 utimensat name_to_handle_at",
    CallRule(.pathAt(argument: 0))
  )

  private static let onDescriptor = rules(
    "read pread64 readv preadv preadv2 fstat fstatfs lseek fsync fdatasync sync_file_range"
      + " getdents getdents64 flock ioctl recvfrom recvmsg recvmmsg getsockname getpeername"
      + " setsockopt getsockopt shutdown ftruncate fallocate fadvise64 fchdir fchmod fchown"
      + " readahead epoll_wait epoll_pwait epoll_pwait2 epoll_ctl timerfd_settime timerfd_gettime"
      + " io_uring_enter io_uring_register tee vmsplice copy_file_range fgetxattr flistxattr",
    CallRule(.descriptor(argument: 0))
  )

  private static let onNothing = rules(
    "futex poll ppoll select pselect6 nanosleep clock_nanosleep wait4 waitid clone clone3 fork"
      + " vfork exit exit_group mprotect madvise rt_sigaction rt_sigprocmask prctl arch_prctl",
    CallRule(.none)
  )

  private static func rules(_ names: String, _ rule: Self) -> [(String, Self)] {
    names.split(separator: " ").map { (String($0), rule) }
  }
}
