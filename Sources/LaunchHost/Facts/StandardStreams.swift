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

/// How many files this process may have open at a time.
package enum OpenFiles {
  /// A run has about thirty files open; libraries end the process where they find no room.
  private static let fewest = 64

  /// Refuses a limit that a run cannot do with.
  ///
  /// It is not raised, since the targets would have the higher one too.
  ///
  /// - Throws: ``HostError/tooFewFiles(limit:needed:)``.
  package static func check() throws(HostError) {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < rlim_t(fewest)
    else { return }
    throw .tooFewFiles(limit: Int(limit.rlim_cur), needed: fewest)
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
