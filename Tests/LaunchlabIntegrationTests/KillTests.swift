import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// `kill -9` of launchlab and its spawner.
  @Suite struct KillTests {
    @Test(arguments: [1, 3, 10, 40, 90, 150])
    func `keeps whole blocks when killed, and resumes`(after launches: Int) async throws {
      let lab = Launchlab()
      try lab.writeTally(launches: 150)
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") >= launches })

      session.send(SIGKILL)
      let output = try await session.finish()

      #expect(output.status == 128 + SIGKILL)
      #expect(try await eventually { session.processes.isEmpty })
      let status = try await lab.runs().map(\.status)
      #expect(status == ["unfinished"])
      let table = try await lab.start(["history"]).finish()
      #expect(table.stdout.contains("unfinished"))
      try await lab.expectResumption(of: 150)
      #expect(session.leftovers == [])
    }

    @Test func `ends a launch that it is killed in`() async throws {
      let lab = Launchlab()
      let session = try await lab.startHanging()

      session.send(SIGKILL)
      _ = try await session.finish()

      #expect(try await eventually { session.processes.isEmpty })
      #expect(try await lab.runs().map(\.status) == ["unfinished"])
      #expect(lab.exists(Launchlab.workDirectory + "/"))
      #expect(session.leftovers.contains { $0.contains("\(Launchlab.workDirectory)/") })
      let next = try await lab.run("measure", "--launches", "3", "--", "/bin/true")
      #expect(next.status == 0)
      #expect(session.leftovers == [])
    }

    @Test(arguments: 0..<20)
    func `loses nothing when its spawner is killed`(moment: Int) async throws {
      let lab = Launchlab()
      try lab.writeTally(launches: 60)
      let session = try lab.start(["run", "scenario.yml"])

      // Each kill has its own part of the run: its start, its trials, and between and in launches.
      let launches = moment == 0 ? 0 : moment * 4 - 3
      try #require(try await eventually { lab.lineCount(of: "tally") >= launches })
      try await Task.sleep(for: .microseconds(Int.random(in: 0...8_000)))
      let isKilled = try await lab.killSpawner(of: session)
      let output = try await session.finish()

      #expect(isKilled)
      #expect(output.status == 0, "\(output.stderr)")
      #expect(output.stderr.contains("the spawner was killed once, last with signal 9"))
      #expect(session.leftovers == [])
      #expect(try await lab.runs().map(\.status) == ["complete"])
      let stored = try await lab.launches()
      #expect(stored.count == 120)
      #expect(stored.allSatisfy { $0.outcome == "ready" })
      #expect(stored.blocks.values.allSatisfy { $0 == ["one warm", "two warm"] })
      #expect(stored.count { $0.flags.contains("relaunched") } <= 1)
    }

    @Test func `gives a server that a killed spawner had launched time to stop`() async throws {
      let lab = Launchlab()
      let port = try Machine.freePort()
      try lab.writeProgram(
        """
        use IO::Socket::INET; my $s = IO::Socket::INET->new(Listen => 1,
          LocalAddr => '127.0.0.1', LocalPort => \(port)) or die "bind: $!";
        open F, '>>', 'tally'; syswrite F, "$$\\n"; close F; sleep 60;
        """
      )
      let session = try lab.start(
        ["measure", "--ready", "tcp:127.0.0.1:\(port)", "--launches", "30", "--", "./program"]
      )
      for launches in [2, 9, 20] {
        try #require(try await eventually { lab.lineCount(of: "tally") >= launches })
        #expect(try await lab.killSpawner(of: session))
      }

      let output = try await session.finish()

      #expect(output.status == 0, "\(output.stderr)")
      #expect(session.leftovers == [])
      #expect(try await lab.launches().map(\.outcome) == Array(repeating: "ready", count: 30))
    }

    @Test(arguments: [
      ["compare", "--launches", "12", "./program 1", "./program 2"],
      ["selftest", "--launches", "12", "--state", "warm", "--store", "own", "--", "./program"],
      ["stages", "--launches", "12", "--", "./program"],
    ])
    func `goes on with every command when its spawner is killed`(
      arguments: [String]
    ) async throws {
      let lab = Launchlab()
      try lab.writeProgram("open F, '>>', 'tally'; syswrite F, \"$$\\n\"; close F")
      let session = try lab.start(arguments)
      for launches in [1, 12] {
        try #require(try await eventually { lab.lineCount(of: "tally") >= launches })
        #expect(try await lab.killSpawner(of: session))
      }

      let output = try await session.finish()

      // What is concluded of so few launches does not matter.
      #expect([0, 1, 125].contains(output.status), "\(output.stderr)")
      #expect(output.stderr.contains("the spawner was killed 2 times, last with signal 9"))
      #expect(session.leftovers == [])
    }

    @Test func `ends when its spawner is killed at every try, and can be resumed`() async throws {
      let lab = Launchlab()
      try lab.writeTally(launches: 40)
      try lab.write("sleep 60", to: "slow")
      try lab.writeProgram(
        """
        open F, '>>', 'tally'; syswrite F, "$$\\n"; close F;
        sleep 60 if -e 'slow' && `wc -l < tally` > 20
        """
      )
      let session = try lab.start(["run", "scenario.yml"])
      for launches in 21..<26 {
        try #require(try await eventually { lab.lineCount(of: "tally") >= launches })
        #expect(try await lab.killSpawner(of: session))
      }

      let output = try await session.finish()

      #expect(output.status == 128)
      #expect(output.stderr.contains("ended with signal 9"))
      #expect(output.stderr.contains("5 times in a row"))
      #expect(output.stderr.contains("`--resume last`"))
      #expect(session.leftovers == [])
      #expect(try await lab.runs().map(\.status) == ["unfinished"])
      try FileManager.default.removeItem(atPath: lab.path("slow"))
      try await lab.expectResumption(of: 40)
    }

    /// Whom a signal ends in the middle of a launch.
    enum Casualty: String, CaseIterable {
      case interrupted, killed, spawnerKilled
    }

    @Test(
      .enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"),
      arguments: Casualty.allCases
    )
    func `ends a launch without a cgroup`(casualty: Casualty) async throws {
      let lab = try Launchlab.asNobody()
      let session = try await lab.startHanging()
      let spawner = try #require(session.spawner)

      switch casualty {
      case .interrupted: session.send(SIGINT)
      case .killed: session.send(SIGKILL)
      case .spawnerKilled:
        try FileManager.default.removeItem(atPath: lab.path("begun"))
        _ = kill(spawner, SIGKILL)
        // The launch is made again.
        try #require(try await eventually { lab.exists("begun") })
        session.send(SIGINT)
      }
      let output = try await session.finish()

      switch casualty {
      case .interrupted: #expect(output.status == 130)
      case .killed: #expect(try await eventually { session.processes.isEmpty })
      case .spawnerKilled: #expect(output.status == 130)
      }
      let next = try await lab.run("measure", "--launches", "3", "--", "/bin/true")
      #expect(next.status == 0)
      #expect(session.leftovers == [])
    }

    @Test(.enabled(if: Machine.isRoot, "a cgroup takes root"))
    func `lets the next run end what both of them left when killed at once`() async throws {
      let lab = Launchlab()
      let session = try await lab.startHanging()
      let spawner = try #require(session.spawner)

      // Stopped first, neither can react to the end of the other.
      for signal in [SIGSTOP, SIGKILL] {
        _ = kill(spawner, signal)
        session.send(signal)
      }
      _ = try await session.finish()

      let next = try await lab.run("measure", "--launches", "3", "--", "/bin/true")
      #expect(next.status == 0)
      #expect(try await eventually { session.processes.isEmpty })
      #expect(session.leftovers == [])
      #expect(try await lab.runs().map(\.status) == ["complete", "unfinished"])
    }

    @Test(.enabled(if: Machine.isTemporaryDirectoryOnDisk, "the temporary directory is in memory"))
    func `restores an installation whose re-creation was killed at random moments`() async throws {
      let lab = Launchlab()
      try lab.copyProgram("/bin/true", to: "app/program")
      for number in 0..<40 { try lab.write("file \(number)", to: "app/data/\(number)") }
      let before = lab.contents
      let isCopy = { (name: String) in name.contains("/.launchlab-") }
      var copies = 0
      for number in 0..<20 {
        let session = try lab.start([
          "measure", "--state", "reinstall-cold", "--install", "app", "--launches", "1000", "--",
          "app/program",
        ])
        try #require(
          try await eventually {
            lab.names(in: "app/data").contains { $0.hasPrefix(".launchlab-") }
          }
        )
        try await Task.sleep(for: .microseconds(.random(in: 0...20_000)))
        session.send(SIGKILL)
        _ = try await session.finish()
        copies += lab.contents.keys.count(where: isCopy)

        let restoration = try await lab.start(["restore"]).finish()

        #expect(restoration.status == 0, "kill \(number): \(restoration.stderr)")
        let after = lab.contents.filter { $0.key.hasPrefix("app") }
        #expect(after == before, "kill \(number): \(restoration.stdout)")
        #expect(try await eventually { session.leftovers.isEmpty }, "kill \(number)")
      }
      #expect(copies > 0, "no kill hit a re-creation")
    }
  }
}

extension Launchlab {
  /// Kills the spawner alone, as soon as there is one; false when launchlab has ended before.
  func killSpawner(of session: Session) async throws -> Bool {
    var isKilled = false
    _ = try await eventually {
      isKilled = session.spawner.map { kill($0, SIGKILL) == 0 } ?? false
      return isKilled || !session.tool.process.isRunning
    }
    return isKilled
  }

  /// Starts the launch of a target that goes on until it is killed, with a child of its own.
  fileprivate func startHanging() async throws -> Session {
    try writeProgram(
      """
      use POSIX; $SIG{$_} = 'IGNORE' for qw(TERM HUP INT);
      unless (fork) { POSIX::setsid(); unless (fork) {
        open F, '>', 'begun'; close F; sleep 600 while 1 } exit }
      sleep 600 while 1
      """
    )
    let session = try start(["measure", "--launches", "3", "--timeout", "600s", "--", "./program"])
    try #require(try await eventually { exists("begun") })
    // Launchlab, its spawner, the target and what has detached itself from the target.
    try #require(session.processes.count >= 4)
    return session
  }
}
