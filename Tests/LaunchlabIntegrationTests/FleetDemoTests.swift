import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// The nodes on one machine that docs/how-to/fleet.md begins with.
  @Suite(
    .enabled(if: Machine.isRoot, "the demo of a fleet needs root"),
    .enabled(
      if: ["slurmctld", "slurmd", "sbatch", "munged", "pg_ctlcluster"].allSatisfy(Machine.has),
      "Slurm or PostgreSQL is not installed"
    )
  )
  struct FleetDemoTests {
    private var demo: Launchlab {
      var demo = Launchlab()
      demo.executable = Repository.root.appending(path: "Scenarios/fleet/demo").path
      demo.wrapper = ["env", "LAUNCHLAB=\(Launchlab.builtExecutable)"]
      return demo
    }

    @Test func `leads to a report, goes on where it was, and leaves no process`() async throws {
      let directory = demo.path("demo")

      let first = try await demo.start([directory]).finish()
      let second = try await demo.start([directory]).finish()
      let end = try demo.start([directory, "stop"])

      #expect(try await end.finish().status == 0)
      #expect(leftovers(of: end) == [])
      for output in [first, second] {
        #expect(output.status == 0, "\(output.stderr)")
        #expect(output.stdout.contains("fleet demo, night "))
        #expect(output.stdout.contains(": 8 of 8 runs\n"))
        #expect(output.stdout.contains("n4  done  2 of 2"))
      }
      #expect(second.stdout.contains("8 runs of 4 hosts"))
      for host in ["n1", "n2", "n3", "n4", "hosts"] {
        for scenario in ["perl", "python3"] {
          #expect(demo.exists("demo/report/\(host)/\(scenario)/latest.md"))
        }
      }
    }

    @Test func `ends what is half started`() async throws {
      let directory = demo.path("demo")
      let start = try demo.start([directory])
      #expect(try await eventually { demo.exists("demo/slurm.conf") })
      start.send(SIGKILL)
      _ = try await start.finish()

      let end = try demo.start([directory, "stop"])

      #expect(try await end.finish().status == 0)
      #expect(leftovers(of: end) == [])
    }

    /// The processes of the demo: its servers inherit the mark of the test, its jobs that of the demo.
    private func leftovers(of session: Session) -> [String] {
      let mark = "LAUNCHLAB_DEMO=\(demo.path("demo"))\0"
      let jobs = ProcessTable.ids.filter { ProcessTable.environment(of: $0).contains(mark) }
      return session.processes + jobs.map { "process \($0): \(ProcessTable.commandLine(of: $0))" }
    }
  }
}
