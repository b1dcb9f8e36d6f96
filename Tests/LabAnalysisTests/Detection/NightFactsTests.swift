import Testing

@testable import History
@testable import LaunchCore

@Suite struct NightFactsTests {
  struct Point: Sendable {
    let median: Double
    let low: Double?
    let high: Double?
    let outcome: Budget.Outcome
  }

  @Test(arguments: [
    Point(median: 90, low: 85, high: 100, outcome: .kept),
    Point(median: 90, low: 85, high: 101, outcome: .undecided),
    Point(median: 110, low: 101, high: 120, outcome: .broken),
    Point(median: 110, low: 100, high: 120, outcome: .undecided),
    Point(median: 110, low: nil, high: nil, outcome: .undecided),
    Point(median: 90, low: nil, high: nil, outcome: .kept),
  ])
  func `the whole interval decides on a budget`(_ point: Point) {
    let tonight = SeriesPoint(
      run: "r",
      startedAt: NightlyHistory.date(0),
      n: 20,
      median: point.median,
      intervalLow: point.low,
      intervalHigh: point.high
    )
    #expect(BudgetCheck(Self.budget(100), part: [tonight], nights: []).outcome == point.outcome)
  }

  @Test func `a night without a value leaves a budget unmeasured`() {
    #expect(BudgetCheck(Self.budget(100), part: [], nights: []).outcome == .unmeasured)
  }

  @Test func `a broken budget is one alert until it is kept`() {
    var nights = NightlyHistory()
    nights.scenario.budgets = [Self.budget(405e6)]
    nights.add([400])
    nights.conclude { _ in nil }
    #expect(nights.alerts.isEmpty)
    nights.add([420])
    nights.conclude { _ in nil }
    nights.add([421])
    nights.conclude { _ in nil }
    #expect(nights.alerts.map(\.kind) == [.budget])
    #expect(nights.alerts.map(\.isRed) == [true])
    #expect(nights.alerts[0].events.count == 1)
    nights.add([380])
    nights.conclude { _ in nil }
    #expect(nights.alerts.map(\.state) == [.recovered])
    let checks = BudgetCheck.checks(of: nights.scenario, trends: nights.verdicts.trends)
    #expect(checks.map(\.outcome) == [.kept])
  }

  static func budget(_ maximum: Double) -> Budget {
    Budget(target: "app", state: .warm, metric: .launch, maximum: maximum)
  }

  @Test func `tells of days without a run, and of runs that failed`() {
    var nights = NightlyHistory()
    for day in [0.0, 1, 2, 5, 6] { nights.add([:], day: day) }
    nights.add([:], day: 7, status: .failed)
    nights.add([:], day: 8, status: .interrupted)
    nights.add([:], day: 8.1)
    nights.add([:], day: 9)
    let missed = MissedNight.missed(in: nights.nights, before: nights.nights[8])
    #expect(missed.map(\.day) == ["1970-01-04", "1970-01-05", "1970-01-08"])
    #expect(missed.map(\.reason) == ["no run", "no run", "run night-1005 failed"])
  }

  @Test func `misses no days of runs that are not nightly`() {
    var nights = NightlyHistory()
    for day in [0.0, 7, 14, 28, 35] { nights.add([:], day: day) }
    #expect(MissedNight.missed(in: nights.nights, before: nights.nights[4]).isEmpty)
  }

  @Test func `a run shortly before and after midnight misses no day`() {
    var nights = NightlyHistory()
    for day in [0.915, 1.917, 2.9166, 3.918, 4.9165] { nights.add([:], day: day) }
    #expect(MissedNight.missed(in: nights.nights, before: nights.nights[4]).isEmpty)
  }

  @Test func `names the facts of the host that changed`() {
    var old = HostFacts(architecture: "x86_64", kernel: "6.1.0-40", fingerprint: "a")
    old.governor = "powersave"
    var new = HostFacts(architecture: "x86_64", kernel: "6.1.0-41", fingerprint: "b")
    new.cpuCount = 8
    let changes = HostChange.changes(from: old, to: new)
    #expect(changes.map(\.fact) == ["cpus", "kernel", "governor"])
    #expect(changes.map(\.before) == ["unknown", "6.1.0-40", "powersave"])
    #expect(changes.map(\.after) == ["8", "6.1.0-41", "unknown"])
    #expect(HostChange.changes(from: old, to: old).isEmpty)
  }

  @Test func `names the stages that changed, the largest first`() {
    func row(_ stages: [String: Double], collector: StageCollector = .probe) -> CollectorRow {
      CollectorRow(
        arm: Arm(target: "app", state: .warm, kind: .probe),
        collector: collector,
        version: 1,
        launches: 5,
        launch: 1,
        stages: stages.sorted { $0.key < $1.key }.map {
          StageMedian(path: $0.key, n: 5, median: $0.value)
        }
      )
    }
    let changes = StageChange.changes(
      from: [row(["exec": 10, "load": 20, "old": 5])],
      to: [row(["exec": 11, "load": 60, "new": 7])]
    )
    #expect(changes.map(\.path) == ["load", "new", "old", "exec"])
    #expect(changes.map(\.before) == [20, nil, 5, 10])
    #expect(changes.map(\.after) == [60, 7, nil, 11])
    #expect(
      StageChange.changes(from: [row([:], collector: .breakpoints)], to: [row(["exec": 1])])
        .isEmpty
    )
    // Launches that were traced as well take longer for that.
    let divided = row(["main_to_ready > main_to_ready.files": 1, "main_to_ready": 3])
    #expect(StageChange.changes(from: [row(["main_to_ready": 2])], to: [divided]).isEmpty)
    #expect(
      !StageChange.changes(from: [divided], to: [row(["main_to_ready > main_to_ready.files": 2])])
        .isEmpty
    )
  }
}
