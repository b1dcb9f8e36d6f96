import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite struct LaunchWindowTests {
  private let limits = DisturbanceLimits()

  /// A window of 21 ms around a launch of 20 ms on one processor.
  private func window(
    _ launch: Nanoseconds? = .milliseconds(20),
    lasting time: Nanoseconds = .milliseconds(21),
    cpus: Int = 1,
    ownTime: Int64? = nil,
    resolution: Int64 = 0,
    _ change: (inout DisturbanceReading) -> Void
  ) -> LaunchWindow {
    var reading = DisturbanceReading(time: time)
    change(&reading)
    return LaunchWindow(
      change: reading,
      launch: launch,
      ownTime: ownTime,
      cpus: cpus,
      resolution: resolution
    )
  }

  @Test func `nothing known is nothing disturbed`() {
    #expect(window { _ in }.disturbances(limits).isEmpty)
  }

  @Test func `the launch's own time and launchlab's are not foreign`() {
    let quiet = window {
      $0.busy = 20_900_000
      $0.launched = 20_000_000
      $0.own = 500_000
      $0.waited = 0
    }
    #expect(quiet.disturbances(limits).isEmpty)
  }

  @Test func `others on the processor disturb beyond their share of the launch`() {
    let busy = window {
      $0.busy = 21_000_000
      $0.launched = 18_000_000
    }
    // 10 % of 20 ms, and 2 % of the rest of 1 ms.
    let expected = Disturbance(kind: .foreignCPU, amount: 3_000_000, limit: 2_020_000)
    #expect(busy.disturbances(limits) == [expected])
  }

  @Test func `others disturb only while the launch itself did not run`() {
    func others(cpus: Int) -> [Disturbance] {
      window(cpus: cpus, ownTime: 19_000_000) {
        $0.busy = 40_000_000
        $0.launched = 20_000_000
      }
      .disturbances(limits)
    }
    // The launch of 20 ms leaves them 1 ms of one processor, but 21 ms of two.
    #expect(others(cpus: 1).isEmpty)
    #expect(others(cpus: 2).map(\.amount) == [20_000_000])
  }

  @Test func `short launches tolerate the kernel's own work`() {
    func short(_ foreign: Int64) -> [Disturbance] {
      window(.milliseconds(1), lasting: .milliseconds(2)) {
        $0.busy = 1_000_000 + foreign
        $0.launched = 1_000_000
      }
      .disturbances(limits)
    }
    #expect(short(200_000).isEmpty)
    #expect(short(200_001).map(\.limit) == [200_000])
  }

  @Test func `a launch waits for others only as long as others ran`() {
    func waiting(_ waited: Int64, foreign: Int64) -> [Disturbance] {
      window(cpus: 8) {
        $0.busy = 20_000_000 + foreign
        $0.launched = 20_000_000
        $0.waited = waited
      }
      .disturbances(limits)
    }
    #expect(waiting(15_000_000, foreign: 100_000).isEmpty)
    #expect(waiting(0, foreign: 10_000_000).isEmpty)
    #expect(waiting(9_000_000, foreign: 5_000_000).map(\.amount) == [5_000_000])
    #expect(waiting(0, foreign: 20_000_000).map(\.amount) == [20_000_000])
    #expect(waiting(30_000_000, foreign: 15_000_000).map(\.amount) == [15_000_000])
  }

  @Test func `what stops a slow target hardly counts`() {
    let stopping = window(lasting: .milliseconds(520)) {
      $0.busy = 30_000_000
      $0.launched = 20_000_000
    }
    #expect(stopping.disturbances(limits).isEmpty)
    let burnt = window(lasting: .milliseconds(520)) {
      $0.busy = 40_000_000
      $0.launched = 20_000_000
    }
    #expect(burnt.disturbances(limits).map(\.limit) == [12_000_000])
  }

  @Test func `without a cgroup the figures tell what was the launch's own`() {
    func figures(_ ownTime: Int64?, busy: Int64) -> [Disturbance] {
      window(ownTime: ownTime) { $0.busy = busy }.disturbances(limits)
    }
    #expect(figures(18_000_000, busy: 20_000_000).isEmpty)
    #expect(figures(10_000_000, busy: 20_000_000).map(\.amount) == [9_000_000])
    #expect(figures(nil, busy: 20_000_000).isEmpty)
  }

  @Test func `ticks are allowed their resolution`() {
    func ticks(_ busy: Int64) -> [Disturbance] {
      window(.milliseconds(500), lasting: .milliseconds(500), resolution: 20_000_000) {
        $0.busy = busy
        $0.launched = 0
      }
      .disturbances(limits)
    }
    #expect(ticks(70_000_000).isEmpty)
    #expect(ticks(80_000_000).map(\.limit) == [70_000_000])
  }

  // MARK: - Steal

  @Test(arguments: [
    (window: 1.0, limit: Int64(0)),
    (window: 50, limit: 0),
    (window: 100, limit: 10_000_000),
    (window: 500, limit: 10_000_000),
    (window: 501, limit: 20_000_000),
    (window: 5_000, limit: 100_000_000),
  ])
  func `stolen ticks are tolerated as far as a steady share may show them`(
    milliseconds: Double,
    limit: Int64
  ) {
    #expect(LaunchWindow.stealLimit(0.02, of: milliseconds * 1e6) == limit)
  }

  @Test func `a tick disturbs a short launch, and only two a longer one`() {
    func stolen(_ ticks: Int64, in time: Nanoseconds) -> [Disturbance] {
      window(nil, lasting: time) { $0.stolen = ticks * 10_000_000 }.disturbances(limits)
    }
    #expect(stolen(0, in: .milliseconds(20)).isEmpty)
    #expect(
      stolen(1, in: .milliseconds(20))
        == [Disturbance(kind: .steal, amount: 10_000_000, limit: 0)]
    )
    #expect(stolen(1, in: .milliseconds(400)).isEmpty)
    #expect(stolen(2, in: .milliseconds(400)).map(\.limit) == [10_000_000])
  }

  /// Steals at a steady share, in pieces, and counts the windows that a tick falls into.
  @Test func `steady stealing at half the tolerated share marks few short launches`() {
    let window: Int64 = 20_000_000
    let limit = LaunchWindow.stealLimit(limits.stolen, of: Double(window))
    let marked = (0..<1_000).count { number in
      let before = Int64(number) * window / 100
      let after = Int64(number + 1) * window / 100
      let tick = ProcessorTicks.tick
      return (after / tick - before / tick) * tick > limit
    }
    #expect(marked == 20)
  }

  @Test func `throttling and swapping in disturb at the first event`() {
    let events = window {
      $0.throttled = 1
      $0.swappedIn = 3
    }
    #expect(
      events.disturbances(limits) == [
        Disturbance(kind: .throttling, amount: 1, limit: 0),
        Disturbance(kind: .swapIn, amount: 3, limit: 0),
      ]
    )
  }
}
