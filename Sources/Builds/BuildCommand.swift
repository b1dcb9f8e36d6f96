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
    let work = LimitedWork(limit: timeLimit, interrupt: interrupt) {
      try await shell(in: directory, log: log, session)
    }
    let (result, obstacle) = await work.result()
    if Task.isCancelled || interrupt?.heedIfSet() == true { throw HostError.interrupted }
    // Whatever it says then, it may have been ended in the middle.
    if obstacle != nil { return .timedOut(seconds: (timeLimit ?? .zero) / .seconds(1)) }
    return Self.cause(of: try result.get())
  }

  private static func cause(of status: TerminationStatus) -> BuildFailure.Cause? {
    switch status {
    case .exited(0): nil
    case .exited(125): .skipped
    case .exited(let status): .status(status)
    case .signaled(let signal): .signal(signal)
    }
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
