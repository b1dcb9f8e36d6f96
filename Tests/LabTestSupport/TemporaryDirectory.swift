import Foundation
package import Testing

/// Makes a new directory, hands its absolute path to `body`, and removes it with all it holds.
///
/// The path has no symbolic link in it, so that it equals what the system reports. A body that
/// waits takes the trait `.temporaryDirectory` instead.
///
/// - Throws: What `body` throws, or a Foundation error when the directory cannot be made.
package func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
  let path = try makeTemporaryDirectory()
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try body(path)
}

/// A trait that gives each test case a directory of its own.
///
/// The test finds its path in ``TemporaryDirectory/path``.
package struct TemporaryDirectory: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal private static var current: String?

  package var isRecursive: Bool { true }

  /// The absolute path of the directory of the running test.
  package static var path: String {
    guard let current else {
      preconditionFailure("the test lacks the trait .temporaryDirectory")
    }
    return current
  }

  package func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let path = try makeTemporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await Self.$current.withValue(path) { try await function() }
  }
}

extension Trait where Self == TemporaryDirectory {
  /// Gives each test case a directory of its own, found in ``TemporaryDirectory/path``.
  package static var temporaryDirectory: Self { Self() }
}

private func makeTemporaryDirectory() throws -> String {
  let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
  // A name that begins with two decimal numbers would be that of a process that is gone, and an empty
  // directory of such a name is removed by every lab.
  let name = "launchlab-T\(UUID().uuidString.dropFirst())"
  let directory = root.appending(component: name)
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
  return directory.path
}
