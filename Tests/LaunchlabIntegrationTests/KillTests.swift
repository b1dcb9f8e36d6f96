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
      #expect(lab.exists(".launchlab/work/"))
      #expect(session.leftovers.contains { $0.contains("/work/") })
      let next = try await lab.run("measure", "--launches", "3", "--", "/bin/true")
      #expect(next.status == 0)
      #expect(session.leftovers == [])
    }

    @Test func `ends the run when its spawner is killed`() async throws {
      let lab = Launchlab()
      let session = try await lab.startHanging()
      let spawner = try #require(session.spawner)

      _ = kill(spawner, SIGKILL)
      let output = try await session.finish()

      #expect(output.status == 128)
      #expect(output.stderr.contains("error: "))
      #expect(output.stderr.contains("signal 9"))
      #expect(output.stderr.contains("help: "))
      #expect(session.leftovers == [])
      #expect(try await lab.runs().map(\.status) == ["failed"])
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
      case .spawnerKilled: _ = kill(spawner, SIGKILL)
      }
      let output = try await session.finish()

      switch casualty {
      case .interrupted: #expect(output.status == 130)
      case .killed: #expect(try await eventually { session.processes.isEmpty })
      case .spawnerKilled: #expect(output.status == 128)
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
    func `lets the next run remove the copies of a killed installation`() async throws {
      let lab = Launchlab()
      try lab.copyProgram("/bin/true", to: "app/program")
      for number in 0..<40 { try lab.write("file \(number)", to: "app/data/\(number)") }
      let before = lab.contents
      let arguments = [
        "measure", "--state", "reinstall-cold", "--install", "app", "--launches",
      ]
      let session = try lab.start(arguments + ["1000", "--", "app/program"])
      try #require(
        try await eventually { lab.names(in: "app/data").contains { $0.hasPrefix(".launchlab-") } }
      )

      session.send(SIGKILL)
      _ = try await session.finish()
      let next = try await lab.start(arguments + ["1", "--", "app/program"]).finish()

      #expect(next.status == 0)
      #expect(lab.contents.filter { $0.key.hasPrefix("app") } == before)
      #expect(try await eventually { session.leftovers.isEmpty })
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
