import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  @Suite struct CommandsTests {
    /// A scenario whose target and commands each add a line to the file `log`.
    private static func scenario(states: String = "[reinstall-cold]", launches: Int = 2) -> String {
      """
      scenario: commands
      states: \(states)
      launches: \(launches)
      targets:
        app:
          command: [./program]
          prepare: {launch: "echo prepare >> log", block: "echo block >> log", run: "echo run >> log"}
          cleanup: {launch: "echo conclude >> log", block: "echo end >> log", run: "echo done >> log"}
      """
    }

    @Test func `runs commands around launches, blocks and the run`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("open F, '>>', '\(lab.path("log"))'; print F qq(launch\\n)")
      try lab.write(Self.scenario(), to: "scenario.yml")

      let output = try await lab.run("run", "scenario.yml")

      #expect(output.status == 0)
      let launch = ["prepare", "launch", "conclude"]
      // The block is begun with the run, and the first launch shows which files are opened.
      let first = ["run", "block"] + launch + launch + ["end"]
      #expect(lab.lines(of: "log") == first + ["block"] + launch + ["end", "done"])
    }

    @Test func `runs commands around unmeasured launches too`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("open F, '>>', '\(lab.path("log"))'; print F qq(launch\\n)")
      try lab.write(Self.scenario(states: "[warm]", launches: 1), to: "scenario.yml")

      _ = try await lab.run("run", "scenario.yml")

      let lines = lab.lines(of: "log").dropFirst(2).dropLast(2)
      let one = ["prepare", "launch", "conclude"]
      #expect(lines.filter { $0 == "launch" }.count >= 2)
      // What was prepared for the unmeasured launch is prepared anew.
      let pieces = lines.split(separator: "conclude").map { Array($0) + ["conclude"] }
      #expect(pieces.allSatisfy { $0 == one })
    }

    @Test func `gives each launch a directory of its own for temporary files`() async throws {
      let lab = Launchlab()
      try lab.writeProgram(
        """
        opendir D, $ENV{TMPDIR} or die "$!"; my @found = grep !/^\\./, readdir D;
        open F, '>>', '\(lab.path("log"))'; print F "$ENV{TMPDIR} @found\\n";
        open G, '>', "$ENV{TMPDIR}/mine" or die "$!"; mkdir "$ENV{TMPDIR}/deep"; exit 0
        """
      )

      let output = try await lab.run(
        "measure --launches 3 --prepare",
        "touch $TMPDIR/seed",
        "--",
        "./program"
      )

      #expect(output.status == 0)
      let lines = Set(lab.lines(of: "log"))
      #expect(lines.count == 1)
      let words = try #require(lines.first).split(separator: " ").map(String.init)
      #expect(words.dropFirst() == ["seed"])
      #expect(!FileManager.default.fileExists(atPath: words[0]))
    }

    @Test func `leaves a directory for temporary files alone that is asked for`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("open F, '>>', '\(lab.path("log"))'; print F qq($ENV{TMPDIR}\\n)")

      _ = try await lab.run("measure", "--launches", "2", "--env", "TMPDIR=/tmp", "--", "./program")

      #expect(Set(lab.lines(of: "log")) == ["/tmp"])
    }

    @Test func `stops at a command that fails, and loses no launch before it`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("exit 0")

      let output = try await lab.run(
        "measure --launches 9 --prepare",
        "echo x >> count; echo seeding; [ $(wc -l < count) -lt 5 ]",
        "--cleanup",
        "touch cleaned",
        "--",
        "./program"
      )

      #expect(output.status == 128)
      #expect(
        output.stderr.contains(
          "error: the command of `prepare` before a launch exited with status 1"
        )
      )
      #expect(output.stderr.contains("| seeding"))
      #expect(output.stderr.contains("help: run it by hand in \(lab.directory): echo x >> count"))
      #expect(lab.exists("cleaned"))
      #expect(try await lab.runs().map(\.status) == ["failed"])
      // One of the first four launches was an unmeasured one.
      #expect(try await lab.launches().count == 3)
    }

    @Test func `says what could not be cleaned up, and keeps the result`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("exit 0")

      let output = try await lab.run(
        "measure --launches 5 --cleanup",
        "echo stuck; exit 2",
        "--",
        "./program"
      )

      #expect(
        output.stderr.contains("error: the command of `cleanup` after the run exited with status 2")
      )
      #expect(try await lab.runs().map(\.status) == ["complete"])
    }

    @Test func `cleans up after an interruption`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("open F, '>>', '\(lab.path("log"))'; print F qq(launch\\n)")

      let session = try lab.start([
        "measure", "--launches", "1000", "--conclude", "touch concluded", "--cleanup",
        "touch cleaned", "--", "./program",
      ])
      #expect(try await eventually { lab.lineCount(of: "log") > 3 })
      session.send(SIGINT)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(lab.exists("concluded"))
      #expect(lab.exists("cleaned"))
    }

    @Test func `leaves the launch out that follows one which had to be killed`() async throws {
      let lab = Launchlab()
      try lab.writeProgram(
        """
        open F, '>>', '\(lab.path("log"))'; syswrite F, "x\\n"; close F; $| = 1;
        $SIG{TERM} = 'IGNORE' if -s '\(lab.path("log"))' == 2 * 4; print "up\\n"; sleep 60 while 1
        """
      )

      let output = try await lab.run(
        "measure --state reinstall-cold --launches 6 --ready stdout:^up --stop-grace 200ms -- "
          + "./program"
      )

      let launches = try await lab.launches()
      #expect(launches.map(\.flags) == [[], [], ["killed"], ["after-kill"], [], []])
      #expect(launches.map(\.stateReached).firstIndex(of: "not-reached") == 3)
      #expect(output.stderr.contains("was killed in the launch before"))
    }
  }
}
