import Foundation
import Subprocess
import SystemPackage

/// A build command, run by a shell in a session of its own, so that it can be ended as a whole.
struct BuildCommand {
  let text: String
  var timeLimit: Duration?
  var interrupt: InterruptFlag?

  /// How the command came to its end.
  private enum End {
    case status(TerminationStatus)
    case timeLimit, interrupt
  }

  /// Runs the command to its end, and ends what it has left, in its session and in others.
  ///
  /// - Parameters:
  ///   - directory: Where it is run.
  ///   - log: The beginning and the end of what it prints are written here, over what is there.
  /// - Returns: Why it failed; nil when it has succeeded.
  /// - Throws: ``HostError/interrupted`` when it was interrupted or the task was cancelled, and what
  ///   `Subprocess` throws when there is no shell.
  func run(in directory: FilePath, log: FilePath) async throws -> BuildFailure.Cause? {
    let session = BuildSession(in: log.removingLastComponent())
    let log = try BuildLog(at: log)
    defer {
      session.end()
      log.end()
    }
    do {
      let end = try await end(in: directory, log: log, session)
      try Task.checkCancellation()
      if interrupt?.isSet == true { throw HostError.interrupted }
      return Self.cause(of: end, timeLimit: timeLimit)
    } catch is CancellationError {
      throw HostError.interrupted
    }
  }

  private static func cause(of end: End, timeLimit: Duration?) -> BuildFailure.Cause? {
    switch end {
    case .status(.exited(0)): nil
    case .status(.exited(125)): .skipped
    case .status(.exited(let status)): .status(status)
    case .status(.signaled(let signal)): .signal(signal)
    case .timeLimit: .timedOut(seconds: (timeLimit ?? .zero) / .seconds(1))
    case .interrupt: nil
    }
  }

  private func end(
    in directory: FilePath,
    log: BuildLog,
    _ session: BuildSession
  ) async throws -> End {
    try await withThrowingTaskGroup(of: End.self) { group in
      group.addTask { .status(try await shell(in: directory, log: log, session)) }
      group.addTask { try await watch() }
      defer { group.cancelAll() }
      return try await group.next() ?? .interrupt
    }
  }

  /// Waits for a reason to end the command.
  private func watch() async throws -> End {
    let clock = ContinuousClock()
    let deadline = timeLimit.map { clock.now + $0 }
    while interrupt?.isSet != true {
      if let deadline, clock.now >= deadline { return .timeLimit }
      try await Task.sleep(for: .milliseconds(20))
    }
    return .interrupt
  }

  private func shell(
    in directory: FilePath,
    log: BuildLog,
    _ session: BuildSession
  ) async throws -> TerminationStatus {
    var options = PlatformOptions()
    options.createSession = true
    options.teardownSequence = [
      .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2)),
      .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero),
    ]
    return try await Subprocess.run(
      .path("/bin/sh"),
      arguments: ["-c", text],
      environment: .inherit.withoutRepository.updating([
        .init(stringLiteral: BuildSession.variable): session.mark
      ]),
      workingDirectory: directory,
      platformOptions: options,
      input: .none,
      output: .fileDescriptor(log.input, closeAfterSpawningProcess: true),
      error: .combinedWithOutput
    ) { session.begin($0.processIdentifier.value) }
    .terminationStatus
  }
}
