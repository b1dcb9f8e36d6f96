import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct LaunchTrialTests {
  @Test(.enabled(if: TestMachine.isRoot, "only root is refused nothing"))
  func `finds nothing wrong with conditions that can be had`() throws {
    let bench = try LaunchBench()
    let conditions = LaunchConditions(
      cpus: ProcessAffinity.available(),
      randomizesAddresses: false,
      priority: LaunchPriority(nice: -1, policy: .batch),
      network: .none,
      padsEnvironment: true
    )
    #expect(try LaunchTrial(spawner: bench.spawner).refusals(of: conditions) == [:])
  }

  @Test func `tries no condition that is not asked for`() throws {
    let bench = try LaunchBench()
    #expect(try LaunchTrial(spawner: bench.spawner).refusals(of: LaunchConditions()) == [:])
  }

  @Test func `names each condition that is refused, and only those`() throws {
    let bench = try LaunchBench()
    let conditions = LaunchConditions(
      cpus: [1_023],
      randomizesAddresses: false,
      priority: LaunchPriority(policy: .batch, level: 5),
      network: .host
    )
    let refusals = try LaunchTrial(spawner: bench.spawner).refusals(of: conditions)
    #expect(Set(refusals.keys) == [.cpus])
    #expect(refusals[.cpus]?.hasPrefix("cannot run it on processor 1023: only ") == true)
  }

  @Test func `refuses a processor that can never be there`() throws {
    let bench = try LaunchBench()
    let trial = LaunchTrial(spawner: bench.spawner)
    #expect(
      try trial.refusals(of: LaunchConditions(cpus: [-1])) == [
        .cpus: "there is no processor -1; choose among those that"
          + " `cat /sys/devices/system/cpu/online` lists"
      ]
    )
  }

  private static func trial(with spawner: LimitedSpawner) -> LaunchTrial {
    LaunchTrial { request throws(HostError) in
      guard let results = try? spawner.launch([request]), let result = results.first else {
        throw .spawnerLost(status: "no answer")
      }
      return result
    }
  }

  @Test func `tells of every condition that a filter refuses`() throws {
    let trial = Self.trial(with: try LimitedSpawner.refusing([.personality, .namespaces]))
    let conditions = LaunchConditions(
      cpus: ProcessAffinity.available(),
      randomizesAddresses: false,
      priority: LaunchPriority(nice: 1),
      network: .none
    )
    let refusals = try trial.refusals(of: conditions)
    #expect(Set(refusals.keys) == [.aslr, .network])
  }

  @Test(
    .enabled(
      if: TestMachine.isRoot && NetworkRightsTests.isPossible,
      "only root has a right to lose in a user namespace"
    )
  )
  func `finds conditions that cannot be had together`() throws {
    let trial = Self.trial(with: try LimitedSpawner.root(without: "sys_admin"))
    let favourable = LaunchPriority(nice: -1)
    #expect(try trial.refusals(of: LaunchConditions(network: .none)) == [:])
    #expect(try trial.refusals(of: LaunchConditions(priority: favourable)) == [:])
    let both = LaunchConditions(priority: favourable, network: .none)
    let refusals = try trial.refusals(of: both)
    #expect(Set(refusals.keys) == [.network])
    let start = "not together with the other controls: cannot give it the nice value -1: "
    #expect(refusals[.network]?.hasPrefix(start) == true)
  }
}
