import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct CounterSourceTests {
  private let machine = WatchedTree()

  @Test func `all online processors are used unless some are named`() throws {
    try machine.write("0-3\n", to: "sys/devices/system/cpu/online")
    #expect(ProcessorList.used(nil, in: machine.tree) == [0, 1, 2, 3])
    #expect(ProcessorList.used([2], in: machine.tree) == [2])
  }

  @Test func `siblings are those that share a core`() throws {
    let topology = "sys/devices/system/cpu/cpu1/topology/thread_siblings_list"
    try machine.write("1,5\n", to: topology)
    #expect(ProcessorList.withSiblings([1], in: machine.tree) == [1, 5])
    #expect(ProcessorList.withSiblings([0], in: machine.tree) == [0])
  }

  @Test func `ticks are summed over the processors asked for`() throws {
    try machine.writeStat(user: 3, idle: 40, waiting: 2, stolen: 1)
    let bytes = try #require(machine.tree.bytes(at: "proc/stat"))
    let both = ProcessorTicks(stat: bytes, cpus: [0, 1, 9])
    #expect(both.busy == 60_000_000)
    #expect(both.idle == 840_000_000)
    #expect(both.stolen == 20_000_000)
    #expect(ProcessorTicks(stat: bytes, cpus: [1]).idle == 420_000_000)
  }

  @Test func `an open file is read anew each time`() throws {
    try machine.write("pgfault 1\npswpin 12\npswpout 3\n", to: "proc/vmstat")
    let file = try #require(KeptFile("proc/vmstat", in: machine.tree))
    #expect(file.numbers(after: "pswpin") == [12])
    try machine.write("pswpin 14\n", to: "proc/vmstat")
    #expect(file.numbers(after: "pswpin") == [14])
    #expect(file.numbers(after: "pswp") == nil)
    #expect(KeptFile("proc/nothing", in: machine.tree) == nil)
  }

  @Test func `processor time comes from the accounting of the whole machine first`() throws {
    try machine.writeStat(user: 5, idle: 0)
    try machine.writeUsage(7_001, 9)
    let clock = try #require(BusyClock(cpus: [0, 1], tree: machine.tree))
    #expect(clock.source == .cpuacct)
    #expect(clock.resolution == 0)
    #expect(clock.reading == 7_010)
  }

  @Test func `the accounting of a container is not taken for that of the machine`() throws {
    try machine.writeStat(user: 5, idle: 0)
    try machine.write("7 9\n", to: "sys/fs/cgroup/cpuacct/cpuacct.usage_percpu")
    let clock = try #require(BusyClock(cpus: [0, 1], tree: machine.tree))
    #expect(clock.source == .ticks)
    #expect(clock.reading == 100_000_000)
    #expect(clock.resolution == 40_000_000)
  }

  @Test func `scheduler statistics are precise where there is no accounting`() throws {
    try machine.write(
      """
      version 17
      timestamp 4295
      cpu0 0 0 0 0 0 0 1500 20 3
      domain0 MC 3 0 0 0
      cpu1 0 0 0 0 0 0 2500 20 3

      """,
      to: "proc/schedstat"
    )
    let clock = try #require(BusyClock(cpus: [0, 1], tree: machine.tree))
    #expect(clock.source == .schedstat)
    #expect(clock.reading == 4_000)
    #expect(BusyClock(cpus: [0, 2], tree: machine.tree) == nil)
  }

  @Test func `pressure is the total of a line`() throws {
    try machine.writePressure(1_234)
    let file = try #require(KeptFile("proc/pressure/io", in: machine.tree))
    #expect(file.stalled(.some) == 1_234)
    #expect(file.stalled(.full) == 0)
  }

  @Test func `the highest temperature of any sensor counts`() throws {
    try machine.write("41000\n", to: "sys/class/thermal/thermal_zone0/temp")
    try machine.write("63500\n", to: "sys/class/hwmon/hwmon2/temp1_input")
    try machine.write("90000\n", to: "sys/class/hwmon/hwmon2/temp1_crit")
    #expect(TemperatureSensors(tree: machine.tree).highest == 63.5)
    #expect(TemperatureSensors(tree: HostTree(root: "/nowhere")).areMissing)
  }

  @Test func `throttle events of cores and packages are counted`() throws {
    let directory = "sys/devices/system/cpu/cpu1/thermal_throttle"
    try machine.write("3\n", to: "\(directory)/core_throttle_count")
    try machine.write("4\n", to: "\(directory)/package_throttle_count")
    #expect(ThrottleCounters(cpus: [0, 1], tree: machine.tree).reading == 7)
    #expect(ThrottleCounters(cpus: [0], tree: machine.tree).reading == nil)
  }
}
