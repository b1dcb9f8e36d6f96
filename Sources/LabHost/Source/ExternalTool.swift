import Subprocess
import SystemPackage

/// A program that is run for its output: git, a build, a loader; never a measured launch.
struct ExternalTool {
  let executable: Executable
  var directory: FilePath?

  /// What a finished tool printed.
  struct Output {
    let isSuccess: Bool
    let stdout: String
    let stderr: String
  }

  /// Runs the tool and collects at most 4 MiB of each stream.
  ///
  /// - Throws: what `Subprocess` throws when the tool cannot be started. A status other than 0 is
  ///   a result.
  func run(_ arguments: [String]) async throws -> Output {
    let result = try await Subprocess.run(
      executable,
      arguments: Arguments(arguments),
      workingDirectory: directory,
      output: .string(limit: 4 << 20),
      error: .string(limit: 4 << 20)
    )
    return Output(
      isSuccess: result.terminationStatus.isSuccess,
      stdout: result.standardOutput,
      stderr: result.standardError
    )
  }
}
