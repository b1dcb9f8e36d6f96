import Dispatch
import Glibc
import Subprocess
import Synchronization
import SystemPackage

/// A program of the machine that a way of notification needs.
package enum NoticeProgram: String, CaseIterable, Sendable {
  /// For webhooks.
  case curl

  /// For mail; every mail server for Debian has one, and so has msmtp-mta.
  case sendmail

  /// Directories that often hold it beside those of `PATH`.
  var directories: [String] { self == .sendmail ? ["/usr/sbin", "/usr/lib"] : [] }

  /// The command that installs it.
  package var remedy: String {
    switch self {
    case .curl: "install it, such as with `apt-get install curl`"
    case .sendmail: "install a mail server, such as with `apt-get install msmtp-mta`"
    }
  }
}

/// A program that tells somebody something, run with a limit of time and of output.
struct NoticeTool: Sendable {
  /// How much of each stream a program may print.
  static let mostOutput = 1 << 20

  let executable: Executable
  var arguments: [String] = []
  var directory: FilePath?
  var limit: Duration

  /// Ends the program when it is set.
  var interrupt: InterruptFlag?

  /// What a finished program printed, and how it ended.
  struct Output {
    let status: TerminationStatus
    let stdout: String
    let stderr: String

    /// The last line of what was printed, of stderr if there is any.
    var lastLine: String? {
      [stderr, stdout].lazy
        .compactMap { $0.split(whereSeparator: \.isNewline).last.map { String($0.prefix(300)) } }
        .first
    }
  }

  /// Runs the program in a session of its own, and ends it with all that it started when it takes
  /// too long, prints too much, or launchlab shall stop.
  ///
  /// - Parameter input: What it may read on its standard input; it need not.
  /// - Returns: How it ended; a status other than 0 is a result. One that ends with status 0 while it is
  ///   being ended has told somebody, who would be told twice otherwise.
  /// - Throws: ``NoticeFailure`` when it cannot be started or had to be ended.
  func run(_ input: [UInt8]) async throws(NoticeFailure) -> Output {
    let work = LimitedWork(limit: limit, interrupt: interrupt) { try await execute(input) }
    let (result, obstacle) = await work.result()
    switch (result, obstacle) {
    case (.success(let output), nil): return output
    case (.success(let output), _) where output.status.isSuccess: return output
    case (_, .late): throw NoticeFailure("it took longer than \(limit), and was ended")
    case (_, .interrupted):
      throw NoticeFailure("it was still running when launchlab was interrupted, and was ended")
    case (.failure(let failure as NoticeFailure), nil): throw failure
    case (.failure(let error as SubprocessError), nil) where error.code == .outputLimitExceeded:
      throw NoticeFailure("it printed more than \(Self.mostOutput) bytes, and was ended")
    case (.failure(let error), nil):
      let reason = String("\(error)".prefix { !$0.isNewline })
      throw NoticeFailure("it cannot be started: \(reason)")
    }
  }

  private func execute(_ input: [UInt8]) async throws -> Output {
    var options = PlatformOptions()
    options.createSession = true
    options.teardownSequence = [
      .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(1)),
      .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero),
    ]
    let file: FileDescriptor
    do {
      file = try MemoryFile.make(input)
    } catch {
      throw NoticeFailure("there is no room for what it reads: \(error)")
    }
    defer { try? file.close() }
    let session = NoticeSession()
    // `Subprocess` knows no status of what it was running when it was cancelled.
    let running = Task { [options] in
      let result = try await Subprocess.run(
        executable,
        arguments: Arguments(arguments),
        workingDirectory: directory,
        platformOptions: options,
        input: .fileDescriptor(file, closeAfterSpawningProcess: false),
        output: .string(limit: Self.mostOutput),
        error: .string(limit: Self.mostOutput)
      ) { session.begin($0.processIdentifier.value) }
      return Output(
        status: result.terminationStatus,
        stdout: result.standardOutput,
        stderr: result.standardError
      )
    }
    defer { session.finish() }
    return try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      session.end()
    }
  }
}

/// The session of a program that runs, to be ended from any thread.
private final class NoticeSession: Sendable {
  private struct State {
    /// The process that leads it, while it runs.
    var leader: pid_t?
    var mustEnd = false
  }

  private let state = Mutex(State())

  func begin(_ leader: pid_t) {
    state.withLock { $0.leader = leader }
    if state.withLock(\.mustEnd) { end() }
  }

  func finish() { state.withLock { $0.leader = nil } }

  /// Asks all of it to end, and kills what is left a second later.
  func end() {
    state.withLock { $0.mustEnd = true }
    signal(SIGTERM)
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [self] in signal(SIGKILL) }
  }

  private func signal(_ number: Int32) {
    state.withLock { state in
      if let leader = state.leader { _ = kill(-leader, number) }
    }
  }
}

/// Why somebody could not be told.
package struct NoticeFailure: Error, Hashable {
  /// A phrase without a full stop, which holds no secret.
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
