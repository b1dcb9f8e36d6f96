import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct DisturbanceMeterTests {
  private let machine = WatchedTree()

  /// A meter whose clock says that 2 ms pass from one reading to the next.
  private func meter(cgroup: FilePath? = "/run") -> DisturbanceMeter {
    var time = Nanoseconds.zero
    return DisturbanceMeter(
      limits: DisturbanceLimits(),
      cpus: [0],
      cgroup: cgroup,
      tree: machine.tree
    ) {
      time = time + .milliseconds(2)
      return time
    }
  }

  private let result = LaunchResult(outcome: .ready, launch: .milliseconds(1))

  @Test func `a machine that stands still disturbs nothing`() throws {
    try machine.writeStat(idle: 5, stolen: 3)
    try machine.writeUsage(5_000)
    try machine.writeCgroup(used: 5, waited: 0)
    var meter = meter()
    meter.begin()
    #expect(meter.end(result: result).isEmpty)
  }

  @Test func `what moves between begin and end is told, and only that`() throws {
    let throttling = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"
    try machine.write("Filename\tType\n/dev/sdb partition 9 0 -2\n", to: "proc/swaps")
    try machine.write("pswpin 5\n", to: "proc/vmstat")
    try machine.write("7\n", to: throttling)
    try machine.writeStat(idle: 5, stolen: 3)
    var meter = meter()

    meter.begin()
    try machine.writeStat(idle: 5, stolen: 4)
    try machine.write("pswpin 8\n", to: "proc/vmstat")
    try machine.write("9\n", to: throttling)
    let found = meter.end(result: result)
    #expect(found.map(\.kind) == [.steal, .throttling, .swapIn])
    #expect(found.map(\.amount) == [10_000_000, 2, 3])

    meter.begin()
    #expect(meter.end(result: result).isEmpty)
  }

  @Test func `an end without a beginning tells nothing`() {
    var meter = meter()
    #expect(meter.end(result: result).isEmpty)
  }

  @Test func `counters that go away are not told of`() throws {
    try machine.writeUsage(5_000)
    try machine.writeCgroup(used: 5, waited: 0)
    var meter = meter()
    meter.begin()
    try machine.write("", to: "run/cpu.stat")
    try machine.writeUsage(900_000_000)
    #expect(meter.end(result: result).isEmpty)
  }

  // MARK: - The receipt

  @Test func `the receipt names the sources`() throws {
    try machine.writeStat(idle: 5)
    try machine.writeUsage(5)
    try machine.writeCgroup(used: 5, waited: 0)
    #expect(
      meter().receipt()
        == ControlReceipt(
          name: "steal",
          wanted: "stolen 2 %, foreign 10 %, share 25 %",
          after: "steal, foreign by cpuacct and cgroup, cpu.pressure",
          status: .applied,
          reason: "no throttle counters"
        )
    )
  }

  @Test func `the receipt says what is coarse and why`() throws {
    try machine.writeStat(idle: 5)
    let receipt = meter(cgroup: nil).receipt()
    #expect(receipt.after == "steal, foreign by /proc/stat and figures")
    #expect(
      receipt.reason
        == "processor time comes in ticks of 10 ms, so others are not seen on short launches: use "
        + "a kernel with CONFIG_SCHEDSTATS; no cgroup of the run, so others are seen less well: "
        + "run as root; no throttle counters"
    )
  }

  @Test func `nothing to look at is not available`() {
    let receipt = meter(cgroup: nil).receipt()
    #expect(receipt.status == .unavailable)
    #expect(receipt.after == nil)
  }
}
