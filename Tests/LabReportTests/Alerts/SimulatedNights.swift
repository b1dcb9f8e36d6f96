import Foundation
import LabTestSupport

@testable import Comparison
@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

/// The nights of a scenario as `run` would have gone through them, with the alerts that they raise.
///
/// Proofs are simulated pairs of launches. What `export` and `why --json` write of it is what the
/// recomputation script gets.
struct SimulatedNights {
  private static let start = Date(timeIntervalSince1970: 1_767_232_800)

  let world: SimulatedWorld

  private(set) var alerts: [Alert] = []
  private(set) var nights: [Night] = []
  private(set) var rows: [NightRow] = []

  /// The launches of each proof as JSON lines, by its run.
  private(set) var proofs: [String: String] = [:]

  private var series: [SeriesKey: [SeriesPoint]] = [:]
  private var generator: SeededGenerator

  private var scenario: Scenario { world.scenario }

  init(_ world: SimulatedWorld = .everyAlert) {
    self.world = world
    generator = SeededGenerator(seed: world.seed)
    for night in 0..<world.count { pass(night) }
  }

  /// What is concluded of the last night.
  var summary: TrendSummary {
    let tonight = nights[nights.count - 1]
    let history = history(of: tonight)
    let (nights, alerts) = (history.nights, history.alerts)
    let trends = NightVerdicts(history, tonight: tonight.run).trends
    let current = alerts.filter { $0.isOpen || $0.events.contains { $0.run == tonight.run } }
    return TrendSummary(
      scenario: scenario,
      tonight: tonight,
      nights: nights,
      missed: MissedNight.missed(in: nights, before: tonight),
      series: trends,
      alerts: current,
      pastAlerts: alerts.filter { !current.contains($0) },
      budgets: BudgetCheck.checks(of: scenario, trends: trends),
      hostChanges: hasNewHost ? [HostChange(fact: "kernel", before: "6.17", after: "6.18")] : [],
      run: RunRecord(
        id: tonight.run,
        startedAt: tonight.startedAt,
        status: tonight.status,
        purpose: world.isImported ? .imported : .night,
        plan: Plan(scenario: scenario, seed: 1, arms: [], blockCount: 20),
        host: HostFacts(architecture: "x86_64", kernel: "6.18", fingerprint: tonight.fingerprint),
        tool: "1"
      ),
      launches: 40
    )
  }

  /// Whether tonight's machine is not as in its last night with a result; nothing is known of the machines
  /// of imported nights.
  private var hasNewHost: Bool {
    let tonight = nights[nights.count - 1]
    let last = nights.dropLast().last {
      $0.status == .complete && $0.identity == tonight.identity
    }
    return !world.isImported && last.map { $0.fingerprint != tonight.fingerprint } ?? false
  }

  /// What is read of a store for a night: the nights of its machine, and those before the first of them.
  private func history(of tonight: Night) -> TrendHistory {
    let first = nights.firstIndex { $0.identity == tonight.identity } ?? 0
    let read = nights.indices.filter { $0 < first || nights[$0].identity == tonight.identity }
    let runs = Set(nights.filter { $0.identity == tonight.identity }.map(\.run))
    let alerts = alerts.filter { runs.contains($0.onset) }
    return TrendHistory(
      scenario: scenario,
      nights: read.map { nights[$0] },
      series: series.sorted {
        ($0.key.target, $0.key.fingerprint) < ($1.key.target, $1.key.fingerprint)
      }
      .map { Series(key: $0.key, points: $0.value) },
      alerts: alerts,
      isImported: world.isImported
    )
  }

  private mutating func pass(_ number: Int) {
    let date = Self.start + Double(world.day(number)) * 86_400 + world.hour(number) * 3_600
    let night = Night(
      run: "night-\(1000 + number)",
      startedAt: date,
      status: world.status(number),
      fingerprint: world.fingerprint(number),
      identity: world.machine(number),
      hostName: world.machine(number),
      build: world.isImported
        ? nil
        : Night.Build(
          commit: "commit-\(number)",
          subject: "Change",
          tree: world.tree(number)
        )
    )
    nights.append(night)
    guard night.status == .complete else { return }
    for (target, first) in world.levels where world.isMeasured(target, number) {
      let value = first * world.level(target, number).all * world.noise(target, number, &generator)
      add(value, of: target, on: night)
    }
    if number >= world.firstJudged { conclude(night, number) }
  }

  private mutating func add(_ median: Double, of target: String, on night: Night) {
    let key = SeriesKey.sample(scenario.name, target, night.fingerprint)
    let row = MetricRow(
      run: night.run,
      arm: Arm(target: target, state: .warm),
      metric: .launch,
      version: 1,
      n: 20,
      mean: median,
      median: median,
      medianAbsoluteDeviation: 0.01 * median,
      minimum: median,
      maximum: median,
      p90: median,
      p95: median,
      intervalLow: 0.995 * median,
      intervalHigh: 1.005 * median
    )
    rows.append(
      NightRow(
        scenario: scenario.name,
        startedAt: night.startedAt,
        status: .complete,
        purpose: .night,
        fingerprint: night.fingerprint,
        identity: night.identity,
        commit: night.build?.commit,
        summary: row
      )
    )
    series[key, default: []].append(
      SeriesPoint(
        run: night.run,
        startedAt: night.startedAt,
        n: 20,
        median: median,
        medianAbsoluteDeviation: row.medianAbsoluteDeviation,
        intervalLow: row.intervalLow,
        intervalHigh: row.intervalHigh
      )
    )
  }

  private mutating func conclude(_ night: Night, _ number: Int) {
    let verdicts = NightVerdicts(history(of: night), tonight: night.run)
    let outcomes = verdicts.proofs.map { request in
      ProofOutcome(request: request, answer: answer(to: request, night, number))
    }
    let at = night.startedAt + 600
    let changed = verdicts.changedAlerts(
      proofs: outcomes,
      at: at,
      nextNumber: (alerts.last?.number ?? 0) + 1
    )
    for alert in changed {
      if let place = alerts.firstIndex(where: { $0.number == alert.number }) {
        alerts[place] = alert
      } else {
        alerts.append(alert)
      }
    }
  }

  // MARK: - Proofs

  private mutating func answer(
    to request: ProofRequest,
    _ night: Night,
    _ number: Int
  ) -> ProofOutcome.Answer {
    if request.good.build?.tree == night.build?.tree { return .sameBuild }
    guard world.canCompare(number) else {
      return .impossible(reason: "the last good build is gone")
    }
    let good = nights.firstIndex { $0.run == request.good.run } ?? 0
    var found: [SeriesKey: Proof] = [:]
    for key in request.series {
      let truth =
        world.level(key.target, number).code / world.level(key.target, good).code
      found[key] = proof(of: key.target, truth, request.good, night)
    }
    return .compared(found)
  }

  private mutating func proof(
    of target: String,
    _ truth: Double,
    _ good: Night,
    _ bad: Night
  ) -> Proof? {
    let run = "proof-\(target)-\(bad.run)"
    let sides = [good, bad].map { "\(target)@\($0.build?.commit ?? "")" }
    var pairs: [(baseline: Double, candidate: Double)] = []
    var lines: [String] = []
    for block in 0..<30 {
      let times = [1, truth].map { (100e6 * $0 * (1 + 0.01 * generator.nextGauss())).rounded() }
      pairs.append((times[0], times[1]))
      for (side, time) in zip(sides, times) {
        lines.append(
          #"{"run":"\#(run)","block":\#(block),"target":"\#(side)","state":"warm","#
            + #""kind":"plain","outcome":"ready","state_reached":"reached","disturbed":[],"#
            + #""launch_ns":\#(Int64(time))}"#
        )
      }
    }
    guard let ratio = try? PairedRatio(pairs) else { return nil }
    proofs[run] = lines.joined(separator: "\n")
    let comparison = PairedComparison(ratio, rule: ComparisonRule())
    return Proof(
      run: run,
      baseline: sides[0],
      candidate: sides[1],
      good: good.build?.commit ?? "",
      bad: bad.build?.commit ?? "",
      scope: .build,
      pairs: comparison.count,
      ratio: comparison.ratio,
      low: comparison.interval?.low,
      high: comparison.interval?.high,
      confidence: 0.95,
      effectLimit: 0.02,
      verdict: comparison.verdict,
      smallestDetectable: comparison.smallestDetectable
    )
  }
}

/// What happens to a scenario, night by night.
struct SimulatedWorld: Sendable {
  var count: Int
  var seed: UInt64
  var scenario: Scenario
  var isImported = false

  /// The first night that a verdict is made of.
  var firstJudged = 0

  /// The targets, the control and the floor with their first level in nanoseconds.
  var levels: [(target: String, first: Double)]

  /// How many times its first level a target takes on a night, and how much of it is the code.
  var level: @Sendable (String, Int) -> (all: Double, code: Double)

  /// What a night's value is multiplied by.
  var noise: @Sendable (String, Int, inout SeededGenerator) -> Double

  /// The day of a night, since the first one.
  var day: @Sendable (Int) -> Int = { $0 }

  /// The hour of a night within its day.
  var hour: @Sendable (Int) -> Double = { _ in 0 }

  var status: @Sendable (Int) -> RunRecord.Status = { _ in .complete }

  /// The name of the machine; nil where nights do not say it.
  var machine: @Sendable (Int) -> String? = { _ in nil }

  var fingerprint: @Sendable (Int) -> String = { _ in "host" }

  var isMeasured: @Sendable (String, Int) -> Bool = { _, _ in true }

  /// Whether the last good build can be launched beside that of a night.
  var canCompare: @Sendable (Int) -> Bool = { _ in true }

  var tree: @Sendable (Int) -> String = { "tree-\($0)" }

  /// 170 nights of two targets, a control and the floor, with changes that raise every kind of alert.
  ///
  /// On one night of seven the last good build cannot be built, and from night 140 on for ten. Two
  /// nights have the build of night 19 again.
  static let everyAlert = SimulatedWorld(
    count: 170,
    seed: 20_261_122,
    scenario: Scenario(
      name: "demo",
      targets: ["app", "db"].map { Target(name: $0, command: ["true"], directory: "/") },
      states: [.warm],
      launches: 20,
      directory: "/",
      regression: RegressionRule(floor: Nanoseconds(100_000), metrics: [.launch]),
      budgets: [Budget(target: "db", state: .warm, metric: .launch, maximum: 215e6)]
    ),
    levels: [("app", 400e6), ("db", 200e6), (Arm.controlTarget, 100e6), ("empty", 1e6)],
    level: everyLevel,
    noise: { _, _, generator in 1 + 0.006 * generator.nextGauss() },
    canCompare: { $0 % 7 != 6 && !(140..<150).contains($0) },
    tree: { (26...27).contains($0) ? "tree-19" : "tree-\($0)" }
  )

  @Sendable private static func everyLevel(
    of target: String,
    on night: Int
  ) -> (all: Double, code: Double) {
    let isMachine = target == Arm.controlTarget || target == Arm.emptyTarget
    if isMachine { return (night >= 40 ? 1.06 : 1, 1) }
    let isApp = target == "app"
    // The app is 10 % slower for six nights, and db 5 % for thirty.
    let step = isApp && (20..<26).contains(night) ? 1.1 : 1
    let other = target == "db" && (110..<140).contains(night) ? 1.05 : 1
    // The app becomes 4 % slower in 40 nights.
    let drift = isApp ? 1 + 0.04 * min(1, max(0, Double(night - 65) / 40)) : 1
    let code = step * other * drift
    // The machine is slower from night 40 on, and for the app alone from night 150 on.
    let machine = (night >= 40 ? 1.06 : 1) * (isApp && night >= 150 ? 1.05 : 1)
    return (code * machine, code)
  }
}

extension SeededGenerator {
  /// A number of the standard normal distribution, by the method of Box and Muller.
  mutating func nextGauss() -> Double {
    let radius = (-2 * log(1 - nextUniform())).squareRoot()
    return radius * cos(2 * .pi * nextUniform())
  }
}
