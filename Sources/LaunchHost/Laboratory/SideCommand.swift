import CLabHost
import Foundation
import Glibc
import LaunchCore
package import Subprocess
import Synchronization
package import SystemPackage

/// A command that is run to its end beside the launches, with a limit of time.
///
/// What it leaves running goes on, such as a server that the targets need.
struct SideCommand {
  /// The program, which is looked up in `PATH`, and its arguments.
  var command: [String]

  var environment: [String: String]
  var directory: String
  var limit: Nanoseconds

  /// Ends the command when it is set; nil lets it go on.
  var interrupt: InterruptFlag?

  /// How long the process may take to be gone once it has ended or was killed.
  var patience = Nanoseconds.seconds(5)

  /// Opens the process, to be told of its end.
  var openProcess: (pid_t) -> Int32 = lab_watch_process

  /// How a command failed.
  struct Failure {
    /// Such as `exited with status 3`.
    var fate: String

    /// The last lines that it printed.
    var tail: [String] = []
  }

  /// How long a command that is to end has before it is killed, in milliseconds.
  private static let grace: Int32 = 2_000

  /// Runs the command.
  ///
  /// - Returns: Nil when it ended with status 0.
  /// - Throws: ``HostError/interrupted``.
  func run() throws(HostError) -> Failure? {
    guard let output = try? MemoryFile.make([]) else {
      return Failure(fate: "could not be started: there is no memory for what it prints")
    }
    defer { try? output.close() }
    let pid: pid_t
    do throws(HostError) {
      let program = try ExecutableLookup.resolve(
        command: command[0],
        path: environment["PATH"],
        directory: directory
      )
      pid = start(program, output: output.rawValue)
    } catch {
      return Failure(fate: "could not be started: \(error.diagnostics.first?.problem ?? "")")
    }
    guard pid > 0 else {
      return Failure(
        fate: "could not be started: \(Errno(rawValue: -pid).description.lowercased())"
      )
    }
    let fate = try fate(of: pid)
    return fate.map {
      Failure(fate: $0, tail: LogTail.lines(of: "/proc/self/fd/\(output.rawValue)"))
    }
  }

  private func start(_ program: String, output: Int32) -> pid_t {
    let assignments = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    var arguments = unsafe command.map { unsafe strdup($0) }
    var variables = unsafe assignments.map { unsafe strdup($0) }
    defer {
      while let pointer = unsafe arguments.popLast() { unsafe free(pointer) }
      while let pointer = unsafe variables.popLast() { unsafe free(pointer) }
    }
    unsafe arguments.append(nil)
    unsafe variables.append(nil)
    return unsafe lab_start_command(program, arguments, variables, directory, output)
  }

  /// Waits for the end of the command, and sees to it; nil is a good one.
  private func fate(of pid: pid_t) throws(HostError) -> String? {
    let end: ChildEnd
    do throws(HostError) {
      end = try ChildEnd(of: pid, open: openProcess)
    } catch {
      _ = kill(-pid, SIGKILL)
      return "was stopped: \(error.diagnostics.first?.problem ?? "")"
    }
    let deadline = ContinuousClock.now + .nanoseconds(limit.count)
    while true {
      var watched = [
        pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: interrupt?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      let left = deadline.pollTimeout
      let count = unsafe poll(&watched, 2, left)
      if watched[0].revents != 0 {
        guard let fate = end.fate(within: patience) else { return "ended, but \(Self.held(pid))" }
        return Self.text(of: fate)
      }
      if watched[1].revents != 0 {
        interrupt?.heed()
        _ = stop(pid, end)
        throw .interrupted
      }
      if count == 0, left == 0 {
        let fate = stop(pid, end)
        return "was stopped after its time limit of \(Self.text(of: limit))"
          + (fate == nil ? ", but \(Self.held(pid))" : "")
      }
    }
  }

  /// Ends the command with what it has started in its process group.
  ///
  /// - Returns: Nil when it does not end.
  private func stop(_ pid: pid_t, _ end: ChildEnd) -> ChildEnd.Fate? {
    _ = kill(-pid, SIGTERM)
    var watched = [pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0)]
    _ = unsafe poll(&watched, 1, Self.grace)
    _ = kill(-pid, SIGKILL)
    return end.fate(within: patience)
  }

  private static func held(_ pid: pid_t) -> String {
    "process \(pid) cannot be reaped: a debugger or the kernel holds it"
  }

  private static func text(of fate: ChildEnd.Fate) -> String? {
    switch fate {
    case .exited(status: 0): nil
    case .exited(let status): "exited with status \(status)"
    case .signalled(let signal): "was ended by signal \(signal)"
    case .unknown: "ended with a status that is not known"
    }
  }

  private static func text(of limit: Nanoseconds) -> String {
    limit.count.isMultiple(of: 1_000_000_000)
      ? "\(limit.count / 1_000_000_000) s" : "\(limit.count / 1_000_000) ms"
  }
}

/// A program that is run for its output: git, a build, a loader; never a measured launch.
package struct ExternalTool {
  package let executable: Executable
  var directory: FilePath?
  package var environment = Environment.inherit

  package init(
    executable: Executable,
    directory: FilePath? = nil,
    environment: Environment = .inherit
  ) {
    self.executable = executable
    self.directory = directory
    self.environment = environment
  }

  /// What a finished tool printed.
  package struct Output {
    package let isSuccess: Bool
    package let stdout: String
    package let stderr: String
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
  package func run(_ arguments: [String], limit: Int = 4 << 20) async throws -> Output {
    var options = PlatformOptions()
    options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
    let result = try await Subprocess.run(
      executable,
      arguments: Arguments(arguments),
      environment: environment,
      workingDirectory: directory,
      platformOptions: options,
      input: .none,
      output: .sequence,
      error: .string(limit: 4 << 20)
    ) { try await $0.standardOutput.bytes(upTo: limit) }
    return Output(
      isSuccess: result.terminationStatus.isSuccess,
      stdout: String(decoding: result.closureResult, as: UTF8.self),
      stderr: result.standardError
    )
  }
}

/// The end of a text file that may be long.
package enum LogTail {
  private static let mostBytes = 1 << 16

  /// The last lines that are not empty, of the last 64 KiB.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - most: How many lines are given at most.
  /// - Returns: The lines; none for a file that cannot be read.
  package static func lines(of path: String, most: Int = 15) -> [String] {
    guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd() else {
      return []
    }
    try? file.seek(toOffset: end > mostBytes ? end - UInt64(mostBytes) : 0)
    let data = (try? file.readToEnd()) ?? Data()
    return String(decoding: data, as: UTF8.self)
      .split(whereSeparator: \.isNewline).suffix(most).map(String.init)
  }
}
