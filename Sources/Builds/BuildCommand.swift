import Foundation
import Glibc
import LaunchHost
import Subprocess
import Synchronization
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

/// The processes that a build command has started, which no build leaves running.
final class BuildSession: Sendable {
  /// A variable of the environment by which processes of a build are known that have a session of
  /// their own, as daemons do; its value is ``mark``.
  static let variable = "LAUNCHLAB_BUILD"
  let mark: String

  private let leader = Mutex<pid_t>(0)
  private let note: FilePath

  /// - Parameter room: The directory of the build, where the session is noted while there is one.
  init(in room: FilePath) {
    note = Self.note(in: room)
    mark = Self.mark(of: room)
  }

  /// Notes the process that leads the session.
  func begin(_ process: pid_t) {
    leader.withLock { $0 = process }
    guard let identity = ProcessIdentity(ofLiving: Int(process)) else { return }
    try? Data(JournalContent.line(LabMark(of: identity))).write(to: URL(filePath: note.string))
  }

  /// Kills everything that the build has started: what runs on would disturb launches.
  func end() {
    let leader = leader.withLock { $0 }
    Self.killAll(in: leader, marked: mark)
    try? FileManager.default.removeItem(atPath: note.string)
  }

  /// Kills the session that a launchlab which was killed itself has left in a room.
  ///
  /// Only a session whose leader still runs, in this container, is known to be that one.
  static func endLeft(in room: FilePath) {
    guard let data = try? Data(contentsOf: URL(filePath: note(in: room).string)) else { return }
    let lab = try? JSONDecoder().decode(LabMark.self, from: data)
    let leader = lab.flatMap { $0.isAlive ? ProcessIdentity($0.lab) : nil }
    killAll(in: pid_t(leader?.pid ?? 0), marked: mark(of: room))
    try? FileManager.default.removeItem(atPath: note(in: room).string)
  }

  /// Kills until nothing is left, at most 100 times.
  private static func killAll(in session: pid_t, marked mark: String) {
    let variable = Array("\(variable)=\(mark)".utf8)
    for _ in 0..<100 {
      let members = ProcessStatus.all.filter { process in
        if process.pid == getpid() { return false }
        if session > 0, process.session == session { return true }
        let environment = HostTree().bytes(at: "proc/\(process.pid)/environ") ?? []
        return environment.split(separator: 0).contains { $0.elementsEqual(variable) }
      }
      if members.isEmpty { return }
      for member in members { _ = kill(member.pid, SIGKILL) }
      _ = poll(nil, 0, 1)
      for member in members { _ = waitpid(member.pid, nil, WNOHANG) }
    }
  }

  private static func mark(of room: FilePath) -> String { FilePath.absolute(room.string).string }

  private static func note(in room: FilePath) -> FilePath { room.appending("session") }
}
