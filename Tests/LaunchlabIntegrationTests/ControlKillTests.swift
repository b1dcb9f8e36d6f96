import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// `kill -9` of a run that holds the machine with every control.
  @Suite(.enabled(if: Machine.isRoot, "changing the machine takes root"), .machineKnobs)
  struct ControlKillTests {
    /// How often a run is killed.
    private static let kills = 50

    /// A run takes about this long, so that some kills hit its beginning and some its end.
    private static let longest = 1_500

    @Test func `sets everything back that a killed run had changed`() async throws {
      let lab = Launchlab()
      try lab.writeControlled()
      let unusual = try UnusualKnobs()
      defer { unusual.putBack() }
      let before = MachineState.now
      var changed = 0
      var generator = SystemRandomNumberGenerator()
      for number in 0..<Self.kills {
        let session = try lab.start(["run", "scenario.yml"])
        let delay = Int.random(in: 0...Self.longest, using: &generator)
        try await Task.sleep(for: .milliseconds(delay))
        session.killHard(withSpawner: number.isMultiple(of: 3))
        if MachineState.now.knobs != before.knobs { changed += 1 }
        _ = try await session.finish()

        let restoration = try await lab.start(["restore"]).finish()

        #expect(restoration.status == 0, "kill \(number) after \(delay) ms: \(restoration.stderr)")
        let isRestored = try await eventually { MachineState.now == before }
        #expect(isRestored, "kill \(number) after \(delay) ms: \(MachineState.now)")
        #expect(session.leftovers == [], "kill \(number) after \(delay) ms")
      }
      #expect(changed > 0, "no kill hit a run that had changed anything")
    }

    @Test func `lets the next run set back what a killed one had changed`() async throws {
      let lab = Launchlab()
      try lab.writeControlled(launches: 10_000)
      let unusual = try UnusualKnobs()
      defer { unusual.putBack() }
      let before = MachineState.now
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") > 0 })
      #expect(MachineState.now.knobs != before.knobs)
      session.killHard(withSpawner: false)
      _ = try await session.finish()

      let next = try await lab.run("measure", "--launches", "3", "--", "/bin/true")

      #expect(next.status == 0)
      #expect(next.stderr.contains("swappiness"))
      #expect(try await eventually { MachineState.now == before })
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `sets everything back when it is interrupted`(signal: Int32) async throws {
      let lab = Launchlab()
      try lab.writeControlled(launches: 10_000)
      let unusual = try UnusualKnobs()
      defer { unusual.putBack() }
      let before = MachineState.now
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") > 0 })

      session.send(signal)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(MachineState.now == before)
      #expect(session.leftovers == [])
    }

    @Test func `sets everything back when nobody reads what it says`() async throws {
      let lab = Launchlab()
      try lab.writeControlled()
      let unusual = try UnusualKnobs()
      defer { unusual.putBack() }
      let before = MachineState.now

      let session = try lab.startUnread(["run", "scenario.yml"])
      _ = try await session.finish()

      #expect(try await lab.runs().map(\.status) == ["complete"])
      #expect(MachineState.now == before)
    }

    @Test func `leaves and reports a value that someone else has set meanwhile`() async throws {
      let lab = Launchlab()
      try lab.writeControlled(launches: 10_000)
      let unusual = try UnusualKnobs()
      defer { unusual.putBack() }
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") > 0 })
      try MachineState.set("/proc/sys/vm/swappiness", to: "55")

      session.send(SIGINT)
      let output = try await session.finish()

      #expect(MachineState.text(at: "/proc/sys/vm/swappiness") == "55")
      #expect(output.stderr.contains("warning"))
      #expect(output.stderr.contains("55"))
    }
  }
}

/// Values that no default is, so that restoring a default would be noticed.
private struct UnusualKnobs {
  private let first = MachineState.now.knobs

  init() throws {
    do {
      try MachineState.set("/proc/sys/vm/swappiness", to: "37")
      try MachineState.set("/proc/sys/kernel/randomize_va_space", to: "1")
      try MachineState.set("/sys/kernel/mm/transparent_hugepage/enabled", to: "always")
    } catch {
      putBack()
      throw error
    }
  }

  func putBack() {
    for (path, text) in first {
      let chosen = text.split(separator: " ").first { $0.hasPrefix("[") }
      let value = chosen.map { String($0.dropFirst().dropLast()) } ?? text
      try? MachineState.set(path, to: value)
    }
  }
}

extension Session {
  /// Kills launchlab, and its spawner in the same moment where asked for.
  fileprivate func killHard(withSpawner: Bool) {
    send(SIGSTOP)
    let spawner = withSpawner ? spawner : nil
    if let spawner { _ = kill(spawner, SIGSTOP) }
    send(SIGKILL)
    if let spawner { _ = kill(spawner, SIGKILL) }
  }
}

extension Launchlab {
  /// Starts launchlab with both its outputs on a pipe that is closed already.
  fileprivate func startUnread(_ arguments: [String]) throws -> Session {
    var unread = self
    unread.wrapper = [
      "perl", "-e", "pipe R, W; close R; open STDERR, '>&W'; open STDOUT, '>&W'; exec @ARGV or die",
    ]
    return try unread.start(arguments)
  }

  /// Writes a scenario with every control, whose target leaves a daemon behind.
  fileprivate func writeControlled(launches: Int = 12) throws {
    let last = ProcessInfo.processInfo.processorCount - 1
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
      states: [reinstall-cold, warm]
      launches: \(launches)
      controls:
        cpus: [\(last)]
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
