import Glibc
import SystemPackage

/// An exclusive lock on one build, so that two runs do not build in the same place.
struct BuildLock {
  private let file: FileDescriptor

  /// Waits until no other process holds the lock.
  ///
  /// - Throws: ``HostError/interrupted`` when the flag is set meanwhile, or an `Errno`.
  init(_ path: FilePath, interrupt: InterruptFlag?) async throws {
    file = try FileDescriptor.open(
      path,
      .readWrite,
      options: [.create, .closeOnExec],
      permissions: [.ownerReadWrite]
    )
    while flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 {
      let failure = Errno(rawValue: errno)
      let mayPass = [.wouldBlock, .interrupted].contains(failure)
      guard mayPass, interrupt?.isSet != true else {
        try? file.close()
        throw mayPass ? HostError.interrupted : failure
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  func release() { try? file.close() }
}
