import LabTestSupport
import Testing

extension EndToEnd {
  /// Every launch state while the machine is held with every control.
  @Suite(
    .enabled(if: Machine.isRoot, "changing the machine takes root"),
    .enabled(if: Machine.isTemporaryDirectoryOnDisk, "the temporary directory is in memory"),
    .machineKnobs
  )
  struct ControlledStatesTests {
    private static let states = ["first-run", "reboot-cold", "reinstall-cold", "warm"]

    @Test func `reaches every state with every control`() async throws {
      let lab = Launchlab()
      try lab.writeControlled(states: Self.states.joined(separator: ", "), launches: 2)
      let before = MachineState.now

      let session = try lab.start(["run", "scenario.yml", "--json", "-"])
      let output = try await session.finish()

      // Whether the machine is at rest is not for this test to tell.
      #expect([0, 125].contains(output.status), "\(output.stderr)")
      #expect(session.leftovers == [])
      #expect(MachineState.now == before)
      let result = try RunResult(output.stdout)
      #expect(result.arms.map(\.state).sorted() == Self.states)
      for arm in result.arms {
        #expect(arm.outcomes == ["ready": arm.launches], "\(arm.state)")
        #expect(arm.stateReached.reached == arm.launches, "\(arm.state)")
      }
      let names = [
        "cpus", "shield", "aslr", "env_size", "priority", "governor", "boost", "thp", "swap",
        "nmi_watchdog", "network", "environment", "services", "settle", "steal",
        "proactive_reclaim",
      ]
      #expect(Set(result.run.controls.map(\.name)).isSuperset(of: names))
      for name in ["aslr", "env_size", "priority", "thp", "swap", "network", "environment"] {
        #expect(result.control(name)?.status == "applied", "\(name)")
      }
      for receipt in result.run.controls where receipt.status != "applied" {
        #expect(receipt.reason?.isEmpty == false, "\(receipt.name)")
      }
    }

    @Test func `resumes a killed run with the same controls`() async throws {
      let lab = Launchlab()
      try lab.writeControlled(launches: 6)
      let before = MachineState.now
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") >= 5 })
      session.killHard(withSpawner: true)
      _ = try await session.finish()

      let output = try await lab.run("run", "scenario.yml", "--resume", "last", "--json", "-")

      #expect([0, 125].contains(output.status), "\(output.stderr)")
      #expect(MachineState.now == before)
      #expect(session.leftovers == [])
      let runs = try await lab.runs()
      #expect(runs.map(\.status) == ["complete"])
      #expect(runs.map(\.blocks) == [6])
      let result = try RunResult(output.stdout)
      #expect(result.control("thp")?.after == "never")
      #expect(result.control("network")?.after == "none")
      let launches = try await lab.launches()
      #expect(launches.blocks.values.allSatisfy { Set($0).count == 2 })
    }
  }
}
