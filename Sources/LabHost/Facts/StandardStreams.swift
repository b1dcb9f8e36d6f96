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
