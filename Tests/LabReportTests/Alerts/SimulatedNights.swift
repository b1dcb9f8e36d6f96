import Foundation
import LabAnalysis
import LabModel
import LabReport
import LabStatistics

/// 170 nights of two targets, a control and the floor, with changes that raise every kind of alert.
///
/// Proofs are simulated pairs of launches. What `export` and `why --json` write of it is what the
/// recomputation script gets.
struct SimulatedNights {
  static let count = 170
  static let seed: UInt64 = 20_261_122
  private static let start = Date(timeIntervalSince1970: 1_767_232_800)

  private(set) var alerts: [Alert] = []
  private(set) var nights: [Night] = []
  private(set) var rows: [NightRow] = []

  /// The launches of each proof as JSON lines, by its run.
  private(set) var proofs: [String: String] = [:]

  private var series: [SeriesKey: [SeriesPoint]] = [:]
  private var generator = SeededGenerator(seed: seed)

  private let scenario = Scenario(
    name: "demo",
    targets: ["app", "db"].map { Target(name: $0, command: ["true"], directory: "/") },
    states: [.warm],
    launches: 20,
    directory: "/",
    regression: RegressionRule(floor: Nanoseconds(100_000), metrics: [.launch]),
    budgets: [Budget(target: "db", state: .warm, metric: .launch, maximum: 215e6)]
  )

  init() {
    for night in 0..<Self.count { pass(night) }
  }

  /// How many times its first level a target takes on a night, and how much of it is the code.
  private static func level(of target: String, on night: Int) -> (all: Double, code: Double) {
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

  private mutating func pass(_ number: Int) {
    let date = Self.start + Double(number) * 86_400
    let night = Night(
      run: "night-\(1000 + number)",
      startedAt: date,
      fingerprint: "host",
      build: Night.Build(
        commit: "commit-\(number)",
        subject: "Change",
        // Two nights have the build of night 19 again.
        tree: (26...27).contains(number) ? "tree-19" : "tree-\(number)"
      )
    )
    nights.append(night)
    let levels = [("app", 400e6), ("db", 200e6), (Arm.controlTarget, 100e6), ("empty", 1e6)]
    for (target, first) in levels {
      let isMachine = target == Arm.controlTarget || target == "empty"
      let level = isMachine ? (number >= 40 ? 1.06 : 1) : Self.level(of: target, on: number).all
      add(first * level * (1 + 0.006 * gauss()), of: target, on: night)
    }
    conclude(night, number)
  }

  private mutating func add(_ median: Double, of target: String, on night: Night) {
    let key = SeriesKey(
      scenario: scenario.name,
      target: target,
      state: .warm,
      metric: .launch,
      fingerprint: night.fingerprint
    )
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
    let history = TrendHistory(
      scenario: scenario,
      nights: nights,
      series: series.sorted { $0.key.target < $1.key.target }
        .map { Series(key: $0.key, points: $0.value) },
      alerts: alerts
    )
    let verdicts = NightVerdicts(history, tonight: night.run)
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
    // On one night of seven the last good build cannot be built, and from night 140 on for ten.
    if number % 7 == 6 || (140..<150).contains(number) {
      return .impossible(reason: "the last good build is gone")
    }
    let good = nights.firstIndex { $0.run == request.good.run } ?? 0
    var found: [SeriesKey: Proof] = [:]
    for key in request.series {
      let truth =
        Self.level(of: key.target, on: number).code / Self.level(of: key.target, on: good).code
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
      let times = [1, truth].map { (100e6 * $0 * (1 + 0.01 * gauss())).rounded() }
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
      smallestDetectable: comparison.smallestDetectable(seed: Self.seed)
    )
  }

  /// A number of the standard normal distribution, by the method of Box and Muller.
  private mutating func gauss() -> Double {
    let radius = (-2 * log(1 - generator.nextUniform())).squareRoot()
    return radius * cos(2 * .pi * generator.nextUniform())
  }
}
