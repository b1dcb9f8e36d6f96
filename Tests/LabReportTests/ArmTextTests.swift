import Testing

@testable import LaunchCore
@testable import LaunchStatistics
@testable import Measuring

@Suite struct ArmTextTests {
  struct Case: CustomTestStringConvertible {
    var coldness: String
    var state = LaunchState.reinstallCold
    var tally: StateTally
    var residentPages = 0
    var testDescription: String { coldness }
  }

  @Test(arguments: [
    Case(coldness: "cold 100 %", tally: StateTally(reached: 12)),
    Case(coldness: "cold 99 %", tally: StateTally(reached: 12), residentPages: 1),
    Case(coldness: "no major fault", state: .warm, tally: StateTally(reached: 12)),
    Case(
      coldness: "not reached 3/12",
      tally: StateTally(reached: 8, notReached: 3, notVerified: 1)
    ),
    Case(coldness: "not verified", tally: StateTally(notVerified: 12)),
    Case(coldness: "not verified 1/12", tally: StateTally(reached: 11, notVerified: 1)),
    Case(coldness: "–", tally: StateTally()),
  ])
  func `tells how far the state was reached`(_ example: Case) {
    var arm = SampleRun.arm(example.state)
    arm.state = example.tally
    arm.residency[0].maximumResidentPages = example.residentPages
    let size = example.coldness.hasPrefix("cold") ? " of 3.6 MiB" : ""
    #expect(ArmText(arm).coldness == example.coldness + size)
  }

  @Test func `tells of the faults that a warm launch may have`() throws {
    var arm = SampleRun.arm(.warm)
    let index = try #require(arm.metrics.firstIndex { $0.metric == .majorFaults })
    arm.metrics[index].estimates.maximum = 3
    #expect(ArmText(arm).coldness == "at most 3 major faults")
  }

  @Test func `puts the median of an unreached state in parentheses`() {
    var arm = SampleRun.arm(.rebootCold)
    #expect(ArmText(arm).median == "2.612 ms")
    arm.isUnreached = true
    #expect(ArmText(arm).median == "(2.612 ms)")
  }

  @Test func `says how many launches did not count`() {
    #expect(ArmText(SampleRun.doubtful).count == "7/12")
    #expect(ArmText(SampleRun.arm(.warm)).count == "12")
  }

  @Test func `names pinned files once per reason`() {
    let arms = [SampleRun.arm(.rebootCold), SampleRun.doubtful, SampleRun.arm(.warm)]
    #expect(
      PinnedFiles(arms).phrases == [
        "libc.so.6 (mapped by pid 1 and 41 others)", "perl (mapped by pid 4711 (perl))",
      ]
    )
  }
}
