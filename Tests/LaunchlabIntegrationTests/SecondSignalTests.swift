import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// Signals that come while nothing looks for them, and a second one.
  @Suite(.enabled(if: Machine.isRoot, "changing the machine takes root"), .machineKnobs)
  struct SecondSignalTests {
    /// Reading one launch takes these patterns much longer than a test may.
    private static let patterns = (1...40).map {
      "'(?<stage>(a?){240})(?<value>b)(?<unit>c)\(String(repeating: "d", count: $0))'"
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `ends within what a computation never looks up from`(signal: Int32) async throws {
      let lab = Launchlab()
      try lab.writeProgram(
        """
        print "a" x 4000, "\\n" for 1..30;
        if ($ENV{COLLECTING}) { open F, '>', 'collected'; close F }
        """
      )
      try lab.write(
        """
        scenario: computing
        targets:
          one: {command: [./program], env: {\(Launchlab.mark): "\(lab.directory)"}}
        states: [warm]
        launches: 2
        stages:
          collect: [text]
          launches: 2
          env: {COLLECTING: "1"}
          patterns: [\(Self.patterns.joined(separator: ","))]
        controls: {aslr: on}
        """,
        to: "scenario.yml"
      )
      let before = MachineState.now
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.exists("collected") })

      session.send(signal)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(output.stderr.contains("interrupted"))
      #expect(session.leftovers == [])
      #expect(MachineState.now == before)
      let next = try await lab.run("measure", "--launches", "1", "--", "/bin/true")
      #expect(!next.stderr.contains("cleaned up"), "\(next.stderr)")
    }

    @Test func `sets the machine back at a second signal while the end is awaited`() async throws {
      let lab = Launchlab()
      try lab.writeControlled(states: "warm", launches: 10_000)
      let before = MachineState.now
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") > 0 })
      // Launchlab waits several seconds for a spawner that does not answer.
      let spawner = try #require(session.spawner)
      _ = kill(spawner, SIGSTOP)

      session.send(SIGINT)
      let ended = try await eventually {
        usleep(300_000)
        session.send(SIGINT)
        return !session.tool.process.isRunning
      }
      let output = try await session.finish()

      #expect(ended)
      #expect(output.status == 130)
      #expect(output.stderr.contains("warning: interrupted again: restored"))
      #expect(MachineState.now == before)
      #expect(session.leftovers == [])
      let restoration = try await lab.start(["restore"]).finish()
      #expect(restoration.status == 0, "\(restoration.stderr)")
      #expect(!restoration.stdout.contains("swappiness"))
    }

    @Test func `leaves a file whole when it is interrupted while it reads`() async throws {
      let lab = Launchlab()
      let line = String(repeating: "a", count: 4_000) + "\n"
      try lab.write(String(repeating: line, count: 10_000), to: "log")
      try lab.write("kept\n", to: "out.json")
      let pattern = "(?<stage>(a?){240})(?<value>b)(?<unit>c)"
      let session = try lab.start([
        "stages", "--parse", "log", "--pattern", pattern, "--json", "out.json",
      ])
      try #require(
        try await eventually {
          ProcessTable.commandLine(of: session.pid).hasPrefix(lab.executable)
        }
      )

      session.send(SIGTERM)
      _ = try await session.finish()

      #expect(session.tool.process.terminationReason == .uncaughtSignal)
      #expect(MachineState.text(at: lab.path("out.json")) == "kept")
      #expect(lab.names(in: ".").filter { $0.hasSuffix(".tmp") } == [])
    }
  }
}
