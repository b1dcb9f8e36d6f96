import Foundation
import Glibc
import Testing

extension Launchlab {
  /// The processor that targets get, and launchlab and others do not where there is another.
  static let lastProcessor = ProcessInfo.processInfo.activeProcessorCount - 1

  /// Measures a command with some controls, and expects no other exit code than the given ones.
  func measure(
    _ controls: [String],
    _ options: [String] = [],
    of command: [String] = ["./program"],
    launches: Int = 3,
    statuses: Set<Int32> = [0],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> RunResult {
    let asked = controls.flatMap { ["--control", $0] }
    let count = ["--launches", "\(launches)", "--json", "-"]
    let session = try start(["measure"] + asked + options + count + ["--"] + command)
    let output = try await session.finish(sourceLocation: sourceLocation)
    #expect(statuses.contains(output.status), "\(output.stderr)", sourceLocation: sourceLocation)
    #expect(session.leftovers == [], sourceLocation: sourceLocation)
    return try RunResult(output.stdout)
  }

  /// The lines of a file that a target writes to; none while it does not exist.
  func lines(of name: String) -> [String] {
    let bytes = FileManager.default.contents(atPath: path(name)) ?? Data()
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
  }

  /// Writes a scenario with every control, whose target leaves a daemon behind and adds a line to
  /// the file `tally`.
  func writeControlled(states: String = "reinstall-cold, warm", launches: Int = 12) throws {
    try writeProgram(
      """
      use POSIX;
      open F, '>>', '\(path("tally"))'; syswrite F, "$$\\n"; close F;
      unless (fork) { POSIX::setsid(); unless (fork) { sleep 600 } exit }
      wait; select undef, undef, undef, 0.01;
      """
    )
    try write(
      """
      scenario: controlled
      targets:
        one:
          command: [./program]
          env: {\(Self.mark): "\(directory)"}
      states: [\(states)]
      launches: \(launches)
      controls:
        cpus: [\(Self.lastProcessor)]
        shield: on
        aslr: on
        env_size: on
        priority: {nice: -5, policy: batch}
        governor: performance
        boost: off
        thp: never
        swap: off
        nmi_watchdog: off
        network: none
        environment: pinned
        services: [launchlab-does-not-exist.timer]
        settle: {cpu_idle: 1%, within: 100ms}
        steal: on
        proactive_reclaim: off
      """,
      to: "scenario.yml"
    )
  }
}

extension Session {
  /// Kills launchlab, and its spawner in the same moment where asked for.
  func killHard(withSpawner: Bool) {
    // Stopped first, neither can react to the end of the other.
    send(SIGSTOP)
    let spawner = withSpawner ? spawner : nil
    if let spawner { _ = kill(spawner, SIGSTOP) }
    send(SIGKILL)
    if let spawner { _ = kill(spawner, SIGKILL) }
  }
}

extension RunningTool {
  /// Ends a program that would go on, and removes its output.
  ///
  /// It is killed, because it has inherited that the threads of tests block most signals.
  func stop() {
    _ = kill(process.processIdentifier, SIGKILL)
    _ = finish()
  }
}
