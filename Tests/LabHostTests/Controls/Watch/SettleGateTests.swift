import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct SettleGateTests {
  private let machine = WatchedTree()
  private static let all = SettleLimits(
    cpuIdle: 0.9,
    ioPressure: 0.05,
    load: 1,
    temperature: 60,
    within: .milliseconds(300)
  )

  private func gate(_ limits: SettleLimits, cpus: [Int]? = [0]) -> SettleGate {
    SettleGate(limits: limits, cpus: cpus, tree: machine.tree)
  }

  /// A machine at rest, as far as files that do not change say so.
  private func rest() throws {
    try machine.writeUsage(5_000)
    try machine.writePressure(100)
    try machine.write("0.20 0.10 0.00 1/90 123\n", to: "proc/loadavg")
    try machine.write("41000\n", to: "sys/class/thermal/thermal_zone0/temp")
  }

  @Test func `a machine at rest is looked at for one window`() throws {
    try rest()
    let settling = gate(Self.all).wait()
    #expect(settling.obstacle == nil)
    #expect(settling.waited >= .milliseconds(100))
  }

  @Test func `no longer than the limit is waited for a machine that does not rest`() throws {
    try rest()
    try machine.write("3.50 0.10 0.00 1/90 123\n", to: "proc/loadavg")
    let settling = gate(Self.all).wait()
    #expect(settling.obstacle == "load 3.5 (limit 1)")
    #expect(settling.waited >= .milliseconds(300))
  }

  @Test func `without patience it is looked at once`() throws {
    try rest()
    try machine.write("63500\n", to: "sys/class/thermal/thermal_zone0/temp")
    var limits = Self.all
    limits.within = .seconds(3_600)
    let settling = gate(limits).wait(patient: false)
    #expect(settling.obstacle == "63.5 °C (limit 60 °C)")
  }

  @Test func `an interruption ends the waiting`() throws {
    try rest()
    try machine.write("3.50 0.10 0.00 1/90 123\n", to: "proc/loadavg")
    var limits = Self.all
    limits.within = .seconds(3_600)
    let interrupt = try InterruptFlag()
    interrupt.set()
    #expect(gate(limits).wait(interrupt: interrupt).waited < .seconds(3_600))
  }

  @Test func `without limits nothing is waited for`() {
    #expect(gate(SettleLimits()).wait() == Settling(waited: .zero))
  }

  // MARK: - What is seen

  @Test func `processor time and pressure are those of the window`() throws {
    try rest()
    let gate = gate(Self.all)
    let first = gate.sight.reading()
    try machine.writeUsage(5_000 + 30_000_000)
    try machine.writePressure(100 + 6_000)
    var last = gate.sight.reading()
    last.time = first.time + .milliseconds(100)
    #expect(
      gate.obstacle(from: first, to: last)
        == "cpu idle 70 % (limit 90 %), I/O pressure 6 % (limit 5 %)"
    )
  }

  @Test func `ticks tell where there is no accounting, with the benefit of one`() throws {
    try machine.writeStat(idle: 100)
    let gate = gate(SettleLimits(cpuIdle: 0.9), cpus: [0, 1])
    let first = gate.sight.reading()
    func obstacle(_ ticks: Int) throws -> String? {
      try machine.writeStat(idle: 100 + ticks)
      var last = gate.sight.reading()
      last.time = first.time + .milliseconds(200)
      return gate.obstacle(from: first, to: last)
    }
    #expect(try obstacle(20) == nil)
    #expect(try obstacle(17) == nil)
    #expect(try obstacle(16) == "cpu idle 85 % (limit 90 %)")
    #expect(try obstacle(0) == "cpu idle 0 % (limit 90 %)")
  }

  @Test func `the sibling of the target's processor is looked at too`() throws {
    try machine.write("0-1\n", to: "sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
    try machine.writeUsage(0, 0)
    let gate = gate(SettleLimits(cpuIdle: 0.9), cpus: [0])
    let first = gate.sight.reading()
    try machine.writeUsage(0, 100_000_000)
    var last = gate.sight.reading()
    last.time = first.time + .milliseconds(100)
    #expect(gate.obstacle(from: first, to: last) == "cpu idle 50 % (limit 90 %)")
  }

  // MARK: - The receipt

  @Test func `the receipt says what is waited for`() throws {
    try rest()
    let receipt = gate(Self.all).receipt()
    let words = "cpu idle 90 %, I/O pressure 5 %, load 1, 60 °C, within 0.3 s"
    #expect(
      receipt
        == ControlReceipt(name: "settle", wanted: words, after: words, status: .applied)
    )
  }

  @Test func `a limit without a source is named with its remedy`() throws {
    try machine.write("0.20 0.10 0.00 1/90 123\n", to: "proc/loadavg")
    let gate = gate(Self.all)
    #expect(
      gate.missing()
        == ["no /proc/stat", "no I/O pressure: boot with psi=1", "no temperature sensor"]
    )
    #expect(gate.receipt().after == "load 1, within 0.3 s")
    #expect(gate.receipt().status == .applied)
    #expect(
      HostControls.refusals(of: [gate.receipt()])
        == [.settle: "no /proc/stat; no I/O pressure: boot with psi=1; no temperature sensor"]
    )
  }

  @Test func `a gate that sees nothing is not there`() {
    let receipt = gate(SettleLimits(temperature: 60)).receipt()
    #expect(receipt.status == .unavailable)
    #expect(receipt.after == nil)
    #expect(receipt.reason == "no temperature sensor")
  }
}
