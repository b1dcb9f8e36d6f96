import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct RealTimeSchedulingTests {
  private let machine = FixtureTree()

  private func obstacle(runtime: String?, period: String? = "1000000") throws -> String? {
    if let runtime { try machine.write(runtime, to: RealTimeScheduling.runtimePath) }
    if let period { try machine.write(period, to: "proc/sys/kernel/sched_rt_period_us") }
    return RealTimeScheduling.obstacle(in: machine.tree)
  }

  @Test func `is had where the kernel leaves other programs some time`() throws {
    #expect(try obstacle(runtime: "950000") == nil)
    #expect(try obstacle(runtime: "0") == nil)
  }

  @Test(arguments: ["-1", "1000000"])
  func `is refused where nothing limits real-time work`(runtime: String) throws {
    #expect(
      try obstacle(runtime: runtime)
        == "the kernel does not limit real-time work here (kernel.sched_rt_runtime_us is "
        + "\(runtime)), so a target that spins could stop the machine; set it with "
        + "`sysctl kernel.sched_rt_runtime_us=950000`"
    )
  }

  @Test func `is refused where it is not known whether anything limits it`() throws {
    let reason = try #require(try obstacle(runtime: nil))
    #expect(reason.hasPrefix("/proc/sys/kernel/sched_rt_runtime_us cannot be read"))
  }

  @Test func `tells the levels in its receipt, and why it cannot be had`() {
    func receipt(refused: [ControlName: String] = [:], processors: Int = 2) -> ControlReceipt? {
      LaunchReceipts(
        plan: ControlPlan(padsEnvironment: false, scheduling: .fifo),
        refused: refused,
        harness: nil,
        processors: processors
      ).all.first
    }
    var expected = ControlReceipt(
      name: "scheduling",
      wanted: "fifo",
      before: "normal",
      after: "targets fifo 1, their spawner fifo 2",
      status: .applied
    )
    #expect(receipt() == expected)
    expected.reason = "the only processor is the target's alone while it computes"
    #expect(receipt(processors: 1) == expected)
    let refused = receipt(refused: [.scheduling: "no"])
    #expect(refused?.status == .unavailable)
    #expect(refused?.after == "normal")
    #expect(refused?.reason == "no")
  }
}
