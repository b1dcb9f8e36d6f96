import CLabHost
import Glibc

/// The descriptors 0 to 2 of this process.
package enum StandardStreams {
  /// Opens those that the caller has closed, so that no other file gets their numbers: messages
  /// would be written to it.
  ///
  /// They can be used as little as before: a result on stdout is still an error.
  package static func hold() {
    for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) < 0 {
      // The kernel gives the lowest number that is free.
      _ = unsafe open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

/// The locale of this process, whose numbers and dates are the same for every user.
package enum OwnLocale {
  /// Has Foundation format as C does; the variables of the user stay, and targets have them.
  ///
  /// ICU would look at `LC_ALL`, `LC_MESSAGES` and `LANG` else, and ends the process by SIGSEGV where
  /// one of them begins with a word of twelve letters. It must come before the first use of ICU.
  package static func choose() { _ = lab_choose_locale() }
}

/// What this process may have of the machine.
package enum OwnLimits {
  /// A run has about thirty files open; libraries end the process where they find no room.
  private static let fewestFiles = 64

  /// In bytes; with up to 725,000 KiB, threads of libraries wait for ever for memory now and then.
  private static let leastMemory = 768 << 20

  /// Refuses limits that a run cannot do with.
  ///
  /// They are not raised, since the targets would have the higher ones too.
  ///
  /// - Throws: ``HostError/lowLimit(id:problem:remedy:)``.
  package static func check() throws(HostError) {
    if let files = limit(of: RLIMIT_NOFILE, below: fewestFiles) {
      throw .lowLimit(
        id: "too-few-files",
        problem: "at most \(files) files may be open at a time, and launchlab needs \(fewestFiles)",
        remedy: "raise the limit with `ulimit -n 1024`"
      )
    }
    if let bytes = limit(of: RLIMIT_AS, below: leastMemory) {
      throw .lowLimit(
        id: "too-little-memory",
        problem: "at most \(bytes >> 10) KiB of memory may be reserved, and launchlab needs "
          + "\(leastMemory >> 10)",
        remedy: "raise the limit with `ulimit -v \(leastMemory >> 9)`"
      )
    }
  }

  private static func limit(of resource: __rlimit_resource, below least: Int) -> Int? {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0,
      limit.rlim_cur < rlim_t(least)
    else { return nil }
    return Int(limit.rlim_cur)
  }
}

/// What is known of a stream that may be a terminal.
package enum TerminalFacts {
  /// The number of columns of the terminal behind a descriptor; nil when there is none.
  ///
  /// A terminal that does not tell its size counts as 80 columns wide.
  package static func width(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    let columns = lab_terminal_columns(descriptor)
    return columns > 0 ? Int(columns) : 80
  }
}
