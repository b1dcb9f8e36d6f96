import LabTestSupport
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct BoostControlTests {
  private static let global = "sys/devices/system/cpu/cpufreq/boost"
  private static let policy = "sys/devices/system/cpu/cpufreq/policy"

  @Test(arguments: ["intel-notebook", "amd-desktop", "xeon-server"])
  func `switches boost off and on again`(_ name: String) throws {
    let machine = try MachineCopy(name)
    let control = BoostControl(isOn: false)
    #expect(control.obstacle(in: machine.tree) == nil)
    #expect(control.reading(in: machine.tree) == "on")
    #expect(BoostControl(isOn: true).changes(in: machine.tree).isEmpty)
    let changes = try control.apply(in: machine)
    #expect(!changes.isEmpty)
    #expect(control.reading(in: machine.tree) == "off")
    #expect(control.changes(in: machine.tree).isEmpty)
    #expect(changes.undo(in: machine).allSatisfy { $0 == .restored })
    #expect(control.reading(in: machine.tree) == "on")
  }

  @Test func `inverts the switch of intel_pstate`() throws {
    let machine = try MachineCopy("intel-notebook")
    try BoostControl(isOn: false).apply(in: machine)
    #expect(machine.text("sys/devices/system/cpu/intel_pstate/no_turbo") == "1")
  }

  @Test func `leaves the switch for all alone where policies have their own`() throws {
    let machine = try MachineCopy("amd-desktop")
    try machine.write("0", to: "\(Self.policy)3/boost")
    #expect(BoostControl(isOn: false).reading(in: machine.tree) == "on, off")
    let changes = try BoostControl(isOn: false).apply(in: machine)
    #expect(machine.text(Self.global) == "1")
    #expect(changes.undo(in: machine).count == 7)
    #expect(machine.text("\(Self.policy)3/boost") == "0")
    #expect(machine.text("\(Self.policy)4/boost") == "1")
  }

  @Test func `switches on for all before it does for policies`() throws {
    let machine = try MachineCopy("amd-desktop")
    try machine.write("0", to: Self.global)
    try machine.write("0", to: "\(Self.policy)0/boost")
    #expect(BoostControl(isOn: true).reading(in: machine.tree) == "off")
    #expect(
      BoostControl(isOn: true).changes(in: machine.tree) == [
        .value(path: Self.global, before: "0", after: "1"),
        .value(path: "\(Self.policy)0/boost", before: "0", after: "1"),
      ]
    )
  }

  @Test func `says where there is no switch`() throws {
    let machine = try MachineCopy("xeon-server")
    try machine.remove(Self.global)
    #expect(
      BoostControl(isOn: false).obstacle(in: machine.tree)
        == "no switch for boost below /sys/devices/system/cpu, as in most virtual machines: "
        + "set it on the host or in the firmware, or leave `boost` out"
    )
  }
}
