import Subprocess
import SystemPackage

/// A program that is run for its output: git, a build, a loader; never a measured launch.
struct ExternalTool {
  let executable: Executable
  var directory: FilePath?
  var environment = Environment.inherit

  /// What a finished tool printed.
  struct Output {
    let isSuccess: Bool
    let stdout: String
    let stderr: String
  }

  /// Runs the tool and collects what it prints.
  ///
  /// One that is cancelled gets 2 s to leave its files in order.
  ///
  /// - Parameters:
  ///   - arguments: Those after the name.
  ///   - limit: The most bytes of stdout; of stderr it is 4 MiB.
  /// - Returns: What it printed; a status other than 0 is a result.
  /// - Throws: what `Subprocess` throws when the tool cannot be started, or prints more.
  func run(_ arguments: [String], limit: Int = 4 << 20) async throws -> Output {
    var options = PlatformOptions()
    options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
    let result = try await Subprocess.run(
      executable,
      arguments: Arguments(arguments),
      environment: environment,
      workingDirectory: directory,
      platformOptions: options,
      output: .string(limit: limit),
      error: .string(limit: 4 << 20)
    )
    return Output(
      isSuccess: result.terminationStatus.isSuccess,
      stdout: result.standardOutput,
      stderr: result.standardError
    )
  }
}
