import Testing

@testable import LaunchCore
@testable import LaunchStatistics
@testable import Measuring

@Suite struct RunAccumulatorTests {
  @Test func `an arm without launches has no metrics`() throws {
    let arm = try #require(RunBuilder().summary.arms.first)
    #expect(arm.launches == 0)
    #expect(arm.metrics.isEmpty)
    #expect(arm.preparation == .zero)
    #expect(!arm.isUnreached)
  }

  @Test func `a single launch gives its own time as the median`() throws {
    var builder = RunBuilder()
    builder.add([1_500])
    let arm = builder.summary.arms[0]
    #expect(arm.outcomes == ["ready": 1])
    let launch = try #require(arm.summary(of: .launch))
    #expect(launch.values == [1_500_000])
    #expect(launch.estimates.median == 1_500_000)
    #expect(launch.estimates.medianInterval == nil)
  }

  @Test func `values keep the launch order and belong to their arm`() throws {
    var builder = RunBuilder(
      arms: [Arm(target: "perl", state: .warm), Arm(target: "perl", state: .reinstallCold)])
    builder.add([3], arm: 0)
    builder.add([9, 7], arm: 1)
    builder.add([1, 2], arm: 0)
    let summary = builder.summary
    #expect(summary.arms.map(\.launches) == [3, 2])
    #expect(summary.arms[0].summary(of: .launch)?.values == [3_000, 1_000, 2_000])
    #expect(summary.arms[1].summary(of: .launch)?.values == [9_000, 7_000])
  }

  @Test func `sampled user and system time are not measured, and their sum is`() throws {
    var builder = RunBuilder()
    for (user, system) in [(0, 2), (2, 0), (1, 1)] {
      let figures = Figures(
        userTime: .milliseconds(Int64(user)),
        systemTime: .milliseconds(Int64(system))
      )
      builder.add([2_000], figures: figures)
    }
    let arm = builder.summary.arms[0]
    #expect(arm.summary(of: .userTime) == nil)
    #expect(arm.summary(of: .systemTime) == nil)
    #expect(arm.summary(of: .cpuTime)?.values == [2_000_000, 2_000_000, 2_000_000])
    #expect(arm.missing["user_time"] == Figures.sampledSplitReason)
    #expect(arm.missing["system_time"] == Figures.sampledSplitReason)
  }

  @Test func `user time over many clock ticks is measured`() {
    var builder = RunBuilder()
    let long = Figures(userTime: .milliseconds(120), systemTime: .zero)
    builder.add([120_000, 121_000], figures: long)
    builder.add(
      [120_000],
      figures: Figures(userTime: .milliseconds(50), systemTime: Nanoseconds(9))
    )
    let arm = builder.summary.arms[0]
    #expect(arm.summary(of: .userTime)?.values.count == 3)
    #expect(arm.summary(of: .systemTime)?.values == [0, 0, 9])
  }

  @Test func `a launch that did not reach its state is left out of the values`() {
    var builder = RunBuilder()
    builder.add([100, 101])
    builder.add([900], state: .notReached(reason: "the launch had major faults"))
    builder.add([102], state: .notVerified(reason: "no right"))
    let arm = builder.summary.arms[0]
    #expect(arm.summary(of: .launch)?.values == [100_000, 101_000, 102_000])
    #expect(!arm.isUnreached)
    #expect(arm.state.reached == 2)
    #expect(arm.state.notReached == 1)
    #expect(arm.state.notVerified == 1)
    #expect(arm.state.reasons == ["the launch had major faults": 1, "no right": 1])
    #expect(arm.state.unverifiedReasons == ["no right": 1])
  }

  @Test func `values before the first reached launch do not slip in`() {
    var builder = RunBuilder()
    builder.add([900, 901], state: .notReached(reason: "pinned"))
    builder.add([100])
    builder.add([902], state: .notReached(reason: "pinned"))
    #expect(builder.summary.arms[0].summary(of: .launch)?.values == [100_000])
  }

  @Test func `an arm where nothing reached its state shows what there is and says so`() {
    var builder = RunBuilder()
    builder.add([900, 901], state: .notReached(reason: "pinned"))
    let arm = builder.summary.arms[0]
    #expect(arm.isUnreached)
    #expect(arm.summary(of: .launch)?.values == [900_000, 901_000])
  }

  @Test func `the state of a launch that was not ready is not judged`() {
    var builder = RunBuilder()
    builder.add([100])
    builder.add([0], outcome: .timedOut, state: .notVerified(reason: "the launch did not end"))
    builder.add([0], outcome: .exited(code: 1), state: .notReached(reason: "pinned"))
    #expect(builder.summary.arms[0].state == StateTally(reached: 1))
  }

  @Test func `launches that were not ready count as outcomes only`() {
    var builder = RunBuilder()
    builder.add([100])
    builder.add([0, 0], outcome: .exited(code: 3), figures: Figures(peakRSS: 1))
    builder.add([0], outcome: .timedOut)
    let arm = builder.summary.arms[0]
    #expect(arm.outcomes == ["ready": 1, "exited": 2, "timed-out": 1])
    #expect(arm.summary(of: .launch)?.values == [100_000])
    #expect(arm.summary(of: .peakRSS) == nil)
  }

  @Test func `a figure that is sometimes missing has fewer values and no reason`() {
    var builder = RunBuilder()
    builder.add([100], figures: Figures(minorFaults: 80, missing: ["peak_rss": "gone"]))
    builder.add([100], figures: Figures(missing: ["minor_faults": "gone", "peak_rss": "late"]))
    let arm = builder.summary.arms[0]
    #expect(arm.summary(of: .minorFaults)?.values == [80])
    #expect(arm.summary(of: .peakRSS) == nil)
    #expect(arm.missing == ["peak_rss": "late"])
  }

  @Test func `metrics come in their fixed order`() {
    var builder = RunBuilder()
    builder.add([1], figures: Figures(peakRSS: 5, majorFaults: 0, userTime: Nanoseconds(7)))
    #expect(
      builder.summary.arms[0].metrics.map(\.metric) == [.launch, .peakRSS, .majorFaults, .userTime]
    )
  }

  @Test func `counter arms have counters and say why one is missing`() throws {
    var builder = RunBuilder(
      arms: [Arm(target: "perl", state: .warm, kind: .counters)],
      counters: ["instructions", "page-faults", "cycles"]
    )
    for faults in [70, 80, 75] as [Int64] {
      builder.add(
        [100],
        figures: Figures(
          counters: ["page-faults": faults],
          missing: ["instructions": "no such event"]
        )
      )
    }
    let counters = builder.summary.arms[0].counters
    #expect(counters["instructions"] == .missing(reason: "no such event"))
    #expect(counters["cycles"] == .missing(reason: "no launch has a value"))
    guard case .estimated(let faults) = try #require(counters["page-faults"]) else {
      Issue.record("page faults have no estimates")
      return
    }
    #expect(faults.median == 75)
  }

  @Test func `residency is taken together file by file`() {
    var builder = RunBuilder(arms: [Arm(target: "perl", state: .reinstallCold)])
    for (pages, cause) in [(0, nil), (25, "mapped by pid 1"), (5, nil)] as [(Int, String?)] {
      let perl = FileResidency(
        path: "/usr/bin/perl",
        isOwn: true,
        residentPages: pages,
        totalPages: 100,
        pinnedBy: cause
      )
      let libc = FileResidency(path: "/libc", isOwn: false, residentPages: 9, totalPages: 9)
      builder.add(
        [100],
        preparation: Preparation(duration: .milliseconds(2), residency: [perl, libc])
      )
    }
    let residency = builder.summary.arms[0].residency
    #expect(residency.map(\.path) == ["/usr/bin/perl", "/libc"])
    #expect(residency[0].maximumResidentPages == 25)
    #expect(abs(residency[0].meanResidentShare - 0.1) < 1e-12)
    #expect(residency[0].pinnedBy == "mapped by pid 1")
    #expect(residency[1].meanResidentShare == 1)
  }

  @Test func `an empty file has no share of resident pages`() {
    var builder = RunBuilder()
    let empty = FileResidency(path: "/empty", isOwn: true, residentPages: 0, totalPages: 0)
    builder.add([100], preparation: Preparation(residency: [empty]))
    #expect(builder.summary.arms[0].residency.map(\.meanResidentShare) == [0])
  }

  @Test func `preparation, resolution, warm-ups and flags are taken together`() {
    var builder = RunBuilder()
    for milliseconds in [1, 9, 2] as [Int64] {
      builder.add(
        [100],
        preparation: Preparation(duration: .milliseconds(milliseconds), warmUps: 2),
        resolution: Nanoseconds(milliseconds),
        flags: [.killed]
      )
    }
    let arm = builder.summary.arms[0]
    #expect(arm.preparation == .milliseconds(2))
    #expect(arm.resolution == Nanoseconds(2))
    #expect(arm.warmUps == 6)
    #expect(arm.flags == [.killed: 3])
  }

  @Test func `ever new reasons do not fill the memory`() {
    var builder = RunBuilder()
    for number in 0..<100 { builder.add([1], state: .notReached(reason: "pinned by \(number)")) }
    let tally = builder.summary.arms[0].state
    #expect(tally.reasons.count == 21)
    #expect(tally.reasons["other reasons"] == 80)
    #expect(tally.reasons.values.reduce(0, +) == 100)
  }

  @Test func `a plan that claims a billion launches takes no memory for them`() {
    var builder = RunBuilder(launches: 1_000_000_000)
    builder.add([1])
    #expect(builder.summary.arms[0].launches == 1)
  }

  // MARK: - The floor

  private static let withFloor = [
    Arm(target: "perl", state: .warm), Arm(target: Arm.emptyTarget, state: .warm),
  ]

  @Test func `the floor multiple divides the medians of the same state`() {
    var builder = RunBuilder(arms: Self.withFloor)
    builder.add([1_000, 1_200, 1_100], arm: 0)
    builder.add([400, 440, 500], arm: 1)
    let arms = builder.summary.arms
    #expect(arms[0].floorMultiple == 2.5)
    #expect(arms[1].floorMultiple == nil)
  }

  @Test func `a floor in another state gives no multiple`() {
    var builder = RunBuilder(
      arms: [Self.withFloor[0], Arm(target: Arm.emptyTarget, state: .reinstallCold)])
    builder.add([1_000], arm: 0)
    builder.add([500], arm: 1)
    #expect(builder.summary.arms[0].floorMultiple == nil)
  }

  @Test(arguments: [0, 1])
  func `an unreached state gives no multiple`(unreached: Int) {
    var builder = RunBuilder(arms: Self.withFloor)
    builder.add([1_000], arm: unreached, state: .notReached(reason: "pinned"))
    builder.add([500], arm: 1 - unreached)
    #expect(builder.summary.arms[0].floorMultiple == nil)
  }
}
