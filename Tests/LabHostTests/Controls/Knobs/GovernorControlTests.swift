import LabTestSupport
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct GovernorControlTests {
  private static let cpufreq = "sys/devices/system/cpu/cpufreq"

  struct Case: CustomTestStringConvertible {
    let machine: String
    let before: String
    let governor: String
    let processors: Int
    var testDescription: String { machine }
  }

  static let cases = [
    Case(machine: "intel-notebook", before: "powersave", governor: "performance", processors: 4),
    Case(machine: "amd-desktop", before: "powersave", governor: "performance", processors: 8),
    Case(machine: "xeon-server", before: "ondemand", governor: "schedutil", processors: 4),
  ]

  @Test(arguments: cases) func `sets every policy and sets it back`(_ sample: Case) throws {
    let machine = try MachineCopy(sample.machine)
    let control = GovernorControl(governor: sample.governor)
    #expect(control.obstacle(in: machine.tree) == nil)
    #expect(control.reading(in: machine.tree) == sample.before)
    let changes = try control.apply(in: machine)
    for cpu in 0..<sample.processors {
      let path = "sys/devices/system/cpu/cpu\(cpu)/cpufreq/scaling_governor"
      #expect(machine.text(path) == sample.governor)
    }
    #expect(control.reading(in: machine.tree) == sample.governor)
    #expect(control.changes(in: machine.tree).isEmpty)
    #expect(changes.undo(in: machine).allSatisfy { $0 == .restored })
    #expect(control.reading(in: machine.tree) == sample.before)
  }

  @Test func `sets the energy preference back after the governor`() throws {
    let machine = try MachineCopy("amd-desktop")
    let changes = GovernorControl(governor: "performance").changes(in: machine.tree)
    #expect(
      changes.first
        == .value(
          path: "\(Self.cpufreq)/policy0/energy_performance_preference",
          before: "balance_performance",
          after: "performance"
        )
    )
    let files = changes.map { change -> Substring? in
      guard case .value(let path, _, _) = change else { return nil }
      return path.split(separator: "/").last
    }
    #expect(files.lastIndex(of: "energy_performance_preference") == 7)
    #expect(files.firstIndex(of: "scaling_governor") == 8)
  }

  @Test func `names the governors of policies that differ`() throws {
    let machine = try MachineCopy("xeon-server")
    try machine.write("performance", to: "\(Self.cpufreq)/policy2/scaling_governor")
    let control = GovernorControl(governor: "performance")
    #expect(control.reading(in: machine.tree) == "ondemand, performance")
    #expect(control.changes(in: machine.tree).count == 3)
  }

  @Test func `refuses a governor that the driver does not know`() throws {
    let machine = try MachineCopy("intel-notebook")
    #expect(
      GovernorControl(governor: "ondemand").obstacle(in: machine.tree)
        == "/sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors knows no governor "
        + "\"ondemand\": choose one of performance, powersave"
    )
  }

  @Test func `says that a virtual machine has no governor`() throws {
    let machine = try MachineCopy("intel-notebook")
    try machine.remove(Self.cpufreq)
    let control = GovernorControl(governor: "performance")
    #expect(control.reading(in: machine.tree) == nil)
    #expect(
      control.obstacle(in: machine.tree)
        == "no cpufreq driver, as in most virtual machines: the host decides on the clock; "
        + "set the governor there, or leave `governor` out"
    )
  }

  @Test func `takes policies in order of their numbers`() throws {
    let machine = try MachineCopy("intel-notebook")
    try machine.write("powersave", to: "\(Self.cpufreq)/policy10/scaling_governor")
    let names = CPUFrequencyPolicies(tree: machine.tree).directories.map {
      $0.split(separator: "/").last
    }
    #expect(names == ["policy0", "policy1", "policy2", "policy3", "policy10"])
  }
}
