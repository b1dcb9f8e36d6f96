import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// Ctrl-C, SIGTERM and SIGHUP at every stage of a run.
  @Suite struct InterruptionTests {
    /// A signal that comes once there were so many launches, unmeasured ones included.
    struct Interruption: CustomTestStringConvertible {
      let signal: Int32
      let launches: Int
      var testDescription: String { "signal \(signal) after \(launches) launches" }
    }

    @Test(arguments: [
      Interruption(signal: SIGINT, launches: 1), Interruption(signal: SIGINT, launches: 2),
      Interruption(signal: SIGINT, launches: 3), Interruption(signal: SIGINT, launches: 18),
      Interruption(signal: SIGTERM, launches: 9), Interruption(signal: SIGHUP, launches: 27),
    ]) func `keeps whole blocks when interrupted between launches`(
      interruption: Interruption
    ) async throws {
      let lab = Launchlab()
      try lab.writeTally(launches: 60)
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") >= interruption.launches })

      session.send(interruption.signal)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(output.stderr.contains("interrupted; the complete blocks are stored"))
      #expect(output.stderr.contains("help: go on with `launchlab run scenario.yml --resume "))
      #expect(session.leftovers == [])
      #expect(try await lab.runs().map(\.status) == ["interrupted"])
      try await lab.expectResumption(of: 60)
    }

    /// Something that launchlab has made when it is about to begin.
    enum Moment: String, CaseIterable {
      case executed, storeCreated, directoriesMade, spawnerStarted
    }

    @Test(arguments: Moment.allCases)
    func `leaves nothing when interrupted before the first launch`(moment: Moment) async throws {
      let lab = Launchlab()
      try lab.writeTally(launches: 1_000)
      let session = try lab.start(["run", "scenario.yml"])
      _ = try await eventually {
        switch moment {
        case .executed: ProcessTable.commandLine(of: session.pid).hasPrefix(lab.executable)
        case .storeCreated: lab.exists(".launchlab/launchlab.sqlite")
        case .directoriesMade: !session.leftovers.filter { $0.hasPrefix("/tmp") }.isEmpty
        case .spawnerStarted: session.spawner != nil
        }
      }

      session.send(SIGINT)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(session.leftovers == [])
      let runs = try await lab.runs()
      #expect(runs.count <= 1)
      #expect(runs.allSatisfy { $0.launches == 2 * $0.blocks && $0.status == "interrupted" })
    }

    @Test func `ends a launch that it is interrupted in`() async throws {
      let lab = Launchlab()
      try lab.writeProgram(
        "$SIG{TERM} = $SIG{INT} = 'IGNORE'; open F, '>', 'begun'; close F; sleep 600 while 1"
      )
      let session = try lab.start(
        ["measure", "--launches", "3", "--timeout", "600s", "--", "./program"])
      try #require(try await eventually { lab.exists("begun") })

      session.send(SIGINT)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(session.leftovers == [])
      #expect(try await lab.runs().map(\.launches) == [0])
    }

    @Test func `ends a server that is being stopped`() async throws {
      let lab = Launchlab()
      try lab.writeProgram(
        """
        $| = 1; $SIG{TERM} = sub { open F, '>', 'stopping'; close F; sleep 600 while 1 };
        print "up\\n"; sleep 600 while 1
        """
      )
      let session = try lab.start([
        "measure", "--launches", "3", "--ready", "stdout:^up", "--stop-grace", "600s", "--",
        "./program",
      ])
      try #require(try await eventually { lab.exists("stopping") })

      session.send(SIGINT)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(session.leftovers == [])
    }

    @Test(.enabled(if: Machine.isTemporaryDirectoryOnDisk, "the temporary directory is in memory"))
    func `leaves an installation whole when interrupted while it is made anew`() async throws {
      let lab = Launchlab()
      try lab.copyProgram("/bin/true", to: "app/program")
      for number in 0..<40 { try lab.write("file \(number)", to: "app/data/\(number)") }
      let before = lab.contents
      let session = try lab.start([
        "measure", "--launches", "1000", "--state", "reinstall-cold", "--install", "app", "--",
        "app/program",
      ])
      try #require(
        try await eventually {
          lab.names(in: "app/data").contains { $0.hasPrefix(".launchlab-") }
        }
      )

      session.send(SIGINT)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(session.leftovers == [])
      #expect(lab.contents.filter { $0.key.hasPrefix("app") } == before)
    }

    /// A terminal signals the whole foreground process group, `kill` launchlab alone.
    enum Recipient: String, CaseIterable {
      case group, launchlab
    }

    @Test(.enabled(if: Machine.has("git"), "git is not installed"), arguments: Recipient.allCases)
    func `ends a build with its children`(recipient: Recipient) async throws {
      let lab = Launchlab()
      try lab.writeHangingBuild()
      let session = try lab.inGroupOfItsOwn.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.exists("begun") })

      _ = kill(recipient == .group ? -session.pid : session.pid, SIGINT)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(output.stderr.contains("interrupted"))
      #expect(session.leftovers == [])
      #expect(try lab.git("worktree", "list").split(separator: "\n").count == 1)
      try lab.write("", to: "again")
      let next = try await lab.run("run", "scenario.yml")
      #expect(next.status == 0, "\(next.stderr)")
    }

    @Test(.enabled(if: Machine.has("git"), "git is not installed"))
    func `stops to wait for the build of another launchlab`() async throws {
      let lab = Launchlab()
      try lab.writeHangingBuild()
      let builder = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.exists("begun") })
      // With a lab lock of its own, since the host's would keep it out at once.
      var other = lab
      other.stateDirectory = ".other-lab"
      let waiter = try other.start(["run", "scenario.yml"])
      let lock = "\(lab.path(".launchlab/builds"))/"
      try #require(
        try await eventually {
          ProcessTable.openFiles(of: waiter.pid).contains {
            $0.hasPrefix(lock) && $0.hasSuffix("/lock")
          }
        }
      )

      waiter.send(SIGINT)
      #expect(try await waiter.finish().status == 130)
      #expect(builder.tool.process.isRunning)

      builder.send(SIGINT)
      #expect(try await builder.finish().status == 130)
      #expect(builder.leftovers == [])
    }
  }
}

extension Launchlab {
  /// Writes a scenario whose build writes the file `begun`, and ends once there is a file `again`.
  fileprivate func writeHangingBuild() throws {
    let room = path("")
    try write("#!/bin/sh\n", to: "repository/program")
    try write(
      """
      scenario: slow
      source:
        repository: repository
        build: "chmod +x program; [ -e \(room)again ] || { echo > \(room)begun; sleep 600; }"
      targets:
        program: {command: [./program]}
      states: [warm]
      launches: 2
      """,
      to: "scenario.yml"
    )
    try makeRepository()
  }
}
