import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct PreflightTests {
  @Test func `says nothing of a machine that is as it should be`() throws {
    let machine = try MachineTree()
    try machine.pleaseDoctor()
    #expect(ids(on: machine, ControlPlan()).isEmpty)
  }

  @Test func `says what makes numbers worse`() throws {
    #expect(
      ids(on: try badMachine(), ControlPlan(), trials: .refused) == [
        "governor", "boost", "aslr", "proactive-reclaim", "virtual-host", "mains-power", "load",
        "debug-build",
      ]
    )
  }

  @Test func `leaves to the controls what they see to`() throws {
    let controls = ControlPlan(
      randomizesAddresses: true,
      governor: "performance",
      boost: false,
      settle: SettleLimits(cpuIdle: 0.9),
      proactiveReclaim: false
    )
    #expect(
      ids(on: try badMachine(), controls, trials: .refused)
        == ["virtual-host", "mains-power", "debug-build"]
    )
  }

  @Test func `does not blame a virtual machine for clocks that it cannot set`() throws {
    let machine = try badMachine()
    try machine.remove("sys/devices/system/cpu/cpu0/cpufreq")
    #expect(ids(on: machine, ControlPlan()).contains("governor") == false)
    #expect(ids(on: machine, ControlPlan()).contains("boost") == false)
  }

  @Test func `warns of what the summary of a run does not say by itself`() throws {
    let machine = try badMachine()
    let warnings = found(on: machine, ControlPlan()).compactMap(\.warning)
    #expect(warnings.map(\.id) == ["governor", "boost", "aslr", "mains-power", "load"])
    #expect(
      warnings.first?.description == """
        warning: CPU governor: powersave: the clock follows the load, and is low when a \
        launch begins
          help: use `--control governor=performance`
        """
    )
  }

  @Test func `makes no trial`() throws {
    var trials = HostTrials.allowed
    trials.networkNamespace = {
      Issue.record("a namespace was tried")
      return 0
    }
    trials.probeProblem = {
      Issue.record("the probe was tried")
      return nil
    }
    _ = ids(on: try badMachine(), ControlPlan(), trials: trials)
  }

  @Test func `looks at the machine it runs on`() {
    let found = Doctor.preflight(for: Self.plan(ControlPlan()))
    #expect(found.allSatisfy { $0.status != .ok })
    #expect(Set(found.map(\.id)).isSubset(of: Doctor.ids))
  }

  private func badMachine() throws -> MachineTree {
    let machine = try MachineTree()
    try machine.pleaseDoctor()
    try machine.becomeVirtual()
    try machine.write("powersave", to: "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    try machine.write("0", to: "sys/devices/system/cpu/intel_pstate/no_turbo")
    try machine.write("0", to: "proc/sys/kernel/randomize_va_space")
    try machine.write("Battery", to: "sys/class/power_supply/BAT0/type")
    try machine.write("Discharging", to: "sys/class/power_supply/BAT0/status")
    try machine.write("Y", to: "sys/module/damon_reclaim/parameters/enabled")
    try machine.write("9.00 9.00 9.00 9/402 28211", to: "proc/loadavg")
    return machine
  }

  private func ids(
    on machine: MachineTree,
    _ controls: ControlPlan,
    trials: HostTrials = .allowed
  ) -> [String] {
    found(on: machine, controls, trials: trials).map(\.id)
  }

  private func found(
    on machine: MachineTree,
    _ controls: ControlPlan,
    trials: HostTrials = .allowed
  ) -> [Capability] {
    let host = HostExamination(tree: machine.tree, trials: trials, record: LabRecord())
    return Doctor.preflight(for: Self.plan(controls), on: host)
  }

  private static func plan(_ controls: ControlPlan) -> Plan {
    var scenario = Scenario.sample("s", [])
    scenario.controls = controls
    return Plan(scenario: scenario, seed: 1, arms: [], blockCount: 1)
  }
}
