import Glibc
package import Testing

/// A trait that lets one test at a time set values of the machine, over all test programs.
package struct MachineKnobs: TestTrait, SuiteTrait, TestScoping {
  private static let lock = "/tmp/launchlab-tests.lock"

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let file = unsafe open(Self.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    defer { close(file) }
    while flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK {
      try await Task.sleep(for: .milliseconds(20))
    }
    try await function()
  }
}

extension Trait where Self == MachineKnobs {
  /// Lets one test at a time set values of the machine.
  package static var machineKnobs: Self { Self() }
}
