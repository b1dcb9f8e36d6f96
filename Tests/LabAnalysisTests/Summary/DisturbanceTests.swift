import Testing

@testable import LaunchCore
@testable import Measuring
@testable import Stages

@Suite struct DisturbanceTests {
  private static let stolen = Disturbance(kind: .steal, amount: 10_000_000, limit: 0)
  private static let foreign = Disturbance(kind: .foreignCPU, amount: 300_000, limit: 200_000)
  private static let worse = Disturbance(kind: .foreignCPU, amount: 4_100_000, limit: 200_000)
  private static let watched = ControlPlan(steal: DisturbanceLimits(share: 0.25))
  private static let unsettled = Preparation(
    settling: Settling(waited: .seconds(30), obstacle: "cpu idle 12 % (limit 90 %)")
  )

  private func builder(
    _ controls: ControlPlan? = watched,
    arms: [Arm] = [Arm(target: "perl", state: .warm)]
  ) -> RunBuilder {
    RunBuilder(arms: arms, launches: 20, controls: controls)
  }

  // MARK: - Estimates

  @Test func `disturbed launches are left out of the estimates`() throws {
    var builder = builder()
    builder.add([9_000], disturbances: [Self.foreign])
    builder.add([1_000, 1_010, 1_020])
    builder.add([9_000], disturbances: [Self.stolen])
    let arm = builder.summary.arms[0]
    #expect(arm.summary(of: .launch)?.values == [1_000_000, 1_010_000, 1_020_000])
    #expect(arm.launches == 5)
    #expect(!arm.isDisturbed)
    #expect(!arm.isDoubtful)
  }

  @Test func `an arm whose every launch was disturbed has their numbers, and says so`() {
    var builder = builder()
    builder.add([7_000], state: .notReached(reason: "pinned"))
    builder.add([9_000, 9_100], disturbances: [Self.foreign])
    builder.add([7_000], state: .notReached(reason: "pinned"), disturbances: [Self.foreign])
    let arm = builder.summary.arms[0]
    #expect(arm.summary(of: .launch)?.values == [9_000_000, 9_100_000])
    #expect(arm.isDisturbed)
    #expect(!arm.isUnreached)
    #expect(arm.isDoubtful)
  }

  @Test func `launches in their state come before disturbed ones that are not`() {
    var builder = builder()
    builder.add([9_000], disturbances: [Self.foreign])
    builder.add([7_000], state: .notReached(reason: "pinned"))
    builder.add([1_000])
    builder.add([9_000], disturbances: [Self.foreign])
    let arm = builder.summary.arms[0]
    #expect(arm.summary(of: .launch)?.values == [1_000_000])
  }

  @Test func `unsettled launches count for the estimates`() {
    var builder = builder()
    builder.add([1_000, 1_010], preparation: Self.unsettled)
    let arm = builder.summary.arms[0]
    #expect(arm.summary(of: .launch)?.values.count == 2)
    #expect(arm.disturbances.unsettled == 2)
    #expect(arm.disturbances.doubtful == 2)
    #expect(arm.disturbances.obstacle == "cpu idle 12 % (limit 90 %)")
  }

  @Test func `an arm whose every launch was disturbed has no multiple of the floor`() {
    let arms = [
      Arm(target: "perl", state: .warm), Arm(target: Arm.emptyTarget, state: .warm),
    ]
    var builder = builder(arms: arms)
    builder.add([9_000], arm: 0, disturbances: [Self.foreign])
    builder.add([1_000], arm: 1)
    #expect(builder.summary.arms[0].floorMultiple == nil)
  }

  @Test func `the stages of disturbed launches count only where there are no others`() throws {
    let arms = [
      Arm(target: "perl", state: .warm), Arm(target: "perl", state: .warm, kind: .probe),
    ]
    func stages(_ milliseconds: Int64) -> LaunchStages {
      let duration = Nanoseconds.milliseconds(milliseconds)
      let stage = Stage(name: "launch", start: .zero, duration: duration, source: .probe)
      return LaunchStages(collector: .probe, launch: stage)
    }
    var builder = builder(arms: arms)
    builder.add([9_000], arm: 1, stages: stages(9), disturbances: [Self.foreign])
    let disturbed = try #require(builder.summary.arms[1].stages.first)
    #expect(disturbed.launch.median == 9_000_000)
    #expect(
      disturbed.notes.map(\.text)
        == ["every launch was disturbed, so the stages are those of disturbed launches"]
    )
    builder.add([1_000], arm: 1, stages: stages(1))
    let quiet = try #require(builder.summary.arms[1].stages.first)
    #expect(quiet.launch.median == 1_000_000)
    #expect(quiet.notes.isEmpty)
  }

  // MARK: - Tallies

  @Test func `kinds are told apart with their worst amount`() {
    var builder = builder()
    builder.add([1_000], disturbances: [Self.foreign, Self.stolen])
    builder.add([1_000], disturbances: [Self.worse], isRepeat: true)
    builder.add([1_000], preparation: Self.unsettled, disturbances: [Self.foreign])
    let tally = builder.summary.arms[0].disturbances
    #expect(tally.disturbed == 3)
    #expect(tally.unsettled == 1)
    #expect(tally.doubtful == 3)
    #expect(tally.repeated == 1)
    #expect(tally.kinds[.foreignCPU] == .init(launches: 3, worst: Self.worse))
    #expect(tally.kinds[.steal] == .init(launches: 1, worst: Self.stolen))
    #expect(tally.kinds[.throttling] == nil)
  }

  @Test func `the share of an arm counts what was asked for, and is never above 1`() {
    var builder = builder()
    builder.add([1_000, 1_000, 1_000])
    builder.add([9_000], disturbances: [Self.foreign])
    #expect(builder.summary.arms[0].disturbances.share(of: 4) == 0.25)
    builder.add([1_000], isRepeat: true)
    #expect(builder.summary.arms[0].disturbances.share(of: 5) == 0.25)
    for _ in 0..<4 { builder.add([9_000], disturbances: [Self.foreign], isRepeat: true) }
    #expect(builder.summary.arms[0].disturbances.share(of: 9) == 1)
    #expect(DisturbanceTally().share(of: 0) == 0)
  }

  // MARK: - The conclusion

  @Test func `so many disturbed launches as are tolerated do no harm`() {
    var builder = builder()
    builder.add(steadyTimes(15))
    builder.add([9_000], disturbances: [Self.foreign])
    builder.add([1_000], isRepeat: true)
    builder.add([1_000, 1_000], preparation: Self.unsettled)
    builder.add([9_000, 9_000], disturbances: [Self.foreign])
    let summary = builder.summary
    #expect(summary.doubtfulShare == 0.25)
    #expect(summary.exitCode == .done)
    #expect(summary.warnings.allSatisfy { $0.id != "too-disturbed" })
  }

  @Test func `more than that makes the result inconclusive`() {
    var builder = builder()
    builder.add(steadyTimes(14))
    builder.add([1_000, 1_000, 1_000], preparation: Self.unsettled)
    builder.add([9_000, 9_000, 9_000], disturbances: [Self.foreign])
    let summary = builder.summary
    #expect(summary.exitCode == .inconclusive)
    #expect(summary.warnings.first?.id == "too-disturbed")
  }

  @Test func `an arm that was disturbed every time makes the result inconclusive`() {
    let arms = [Arm(target: "perl", state: .warm), Arm(target: "git", state: .warm)]
    var builder = builder(arms: arms)
    builder.add(steadyTimes(20), arm: 0)
    builder.add([9_000], arm: 1, disturbances: [Self.foreign])
    #expect(builder.summary.exitCode == .inconclusive)
  }

  @Test func `what nobody asked to watch is no reason`() {
    var builder = builder(nil)
    builder.add(steadyTimes(4))
    builder.add(steadyTimes(10), preparation: Self.unsettled)
    #expect(builder.summary.exitCode == .done)
  }

  @Test func `waiting alone has the usual share`() {
    let plan = builder(ControlPlan(settle: SettleLimits(cpuIdle: 0.9))).run.plan
    #expect(plan.tolerableShare == 0.25)
    #expect(builder(ControlPlan()).run.plan.tolerableShare == nil)
    #expect(
      builder(ControlPlan(steal: DisturbanceLimits(share: 0.1))).run.plan.tolerableShare == 0.1
    )
  }

  @Test func `what is suppressed stays visible in the name`() {
    #expect(builder(nil).summary.name == "test")
    #expect(builder(ControlPlan()).summary.name == "test")
    let plan = ControlPlan(suppressed: ["vm", "governor"])
    #expect(builder(plan).summary.name == "test [suppressed: governor, vm]")
  }

  // MARK: - Warnings

  @Test func `says what disturbed, how much and what helps`() {
    var builder = builder()
    builder.add(steadyTimes(18))
    builder.add([9_000], disturbances: [Self.worse])
    builder.add([9_000], preparation: Self.unsettled)
    builder.add([1_000], isRepeat: true)
    let texts = builder.summary.warnings.filter { $0.id.hasSuffix("-launches") }
    #expect(
      texts.map(\.description).joined(separator: "\n") == """
        note: 1 of 21 launches was disturbed and is excluded: other programs on the processors in 1, \
        at worst 4.10 ms (200 µs is tolerated); 1 repeated
          at: perl, warm
          help: stop the other work, or reserve processors for the targets with `cpus`
        note: 1 of 21 launches started before the machine had settled, and still count: cpu \
        idle 12 % (limit 90 %)
          at: perl, warm
          help: stop the other work, or raise `within` or the limit under `settle`
        """
    )
  }

  @Test func `says why a result is inconclusive`() {
    var builder = builder()
    builder.add(steadyTimes(14))
    builder.add([1_000, 1_000], preparation: Self.unsettled)
    builder.add([9_000, 9_000, 9_000, 9_000], disturbances: [Self.stolen])
    #expect(
      builder.summary.warnings.first?.description == """
        warning: inconclusive: 6 launches were disturbed or unsettled, 30 % \
        where 25 % is tolerated: stolen time in 4, at worst 10.0 ms; 2 before \
        the machine had settled (cpu idle 12 % (limit 90 %))
          help: measure when the hypervisor is less loaded, or on dedicated hardware, or raise \
        `share` under `steal`
        """
    )
  }
}
