import Foundation

@testable import History
@testable import LaunchCore

/// Nights of one scenario that tests put together, one a day, with medians in milliseconds.
struct NightlyHistory {
  static let target = "app"

  var scenario: Scenario
  var nights: [Night] = []
  var values: [SeriesKey: [(night: Int, median: Double)]] = [:]
  var order: [SeriesKey] = []

  /// The launches of series of slow launches, by the number of the night.
  var launches: [SeriesKey: [Int: [Double]]] = [:]
  var alerts: [Alert] = []
  var isImported = false

  init(rule: RegressionRule = RegressionRule(metrics: [.launch]), targets: [String] = [target]) {
    scenario = Scenario(
      name: "test",
      targets: targets.map { Target(name: $0, command: ["true"], directory: "/") },
      states: [.warm],
      launches: 20,
      directory: "/",
      regression: rule
    )
  }

  static func key(
    _ target: String = Self.target,
    _ metric: Metric = .launch,
    host: String = "host"
  ) -> SeriesKey {
    SeriesKey(scenario: "test", target: target, state: .warm, metric: metric, fingerprint: host)
  }

  /// The id of the night with a number from 0.
  static func run(_ night: Int) -> String { "night-\(1000 + night)" }

  static func date(_ day: Double) -> Date { Date(timeIntervalSince1970: day * 86_400 + 7_200) }

  /// Adds a night; its build is its own unless a tree is given.
  mutating func add(
    _ medians: [String: Double],
    tree: String? = nil,
    host: String = "host",
    day: Double? = nil,
    status: RunRecord.Status = .complete,
    control: String? = nil
  ) {
    let number = nights.count
    let tree = tree ?? "tree-\(number)"
    nights.append(
      Night(
        run: Self.run(number),
        startedAt: Self.date(day ?? Double(number)),
        status: status,
        fingerprint: host,
        build: Night.Build(commit: "commit-\(tree)", subject: "s", tree: tree),
        artifacts: control.map {
          [Arm.controlTarget: Artifact(path: "/c", digest: $0, bytes: 1)]
        } ?? [:]
      )
    )
    for (target, median) in medians.sorted(by: { $0.key < $1.key }) {
      let key = Self.key(target, host: host)
      if values[key] == nil { order.append(key) }
      values[key, default: []].append((number, median * 1e6))
    }
  }

  /// Adds a night with the launches of targets, in any unit; its build is its own unless a tree is given.
  mutating func add(launches: [String: [Double]], tree: String? = nil) {
    add([:], tree: tree)
    for (target, times) in launches.sorted(by: { $0.key < $1.key }) {
      let key = Self.key(target, .slowShare)
      if values[key] == nil { order.append(key) }
      values[key, default: []].append((nights.count - 1, 0))
      self.launches[key, default: [:]][nights.count - 1] = times
    }
  }

  mutating func add(_ medians: [Double], target: String = Self.target, host: String = "host") {
    for median in medians { add([target: median], host: host) }
  }

  var history: TrendHistory {
    let series = order.map { key in
      Series(
        key: key,
        points: (values[key] ?? []).map { night, median in
          SeriesPoint(
            run: nights[night].run,
            startedAt: nights[night].startedAt,
            n: launches[key]?[night]?.count ?? 20,
            median: median,
            medianAbsoluteDeviation: 0.02 * median,
            intervalLow: 0.99 * median,
            intervalHigh: 1.01 * median,
            launches: launches[key]?[night]
          )
        }
      )
    }
    return TrendHistory(
      scenario: scenario,
      nights: nights,
      series: series,
      alerts: alerts,
      isImported: isImported
    )
  }

  /// The verdicts of the newest night.
  var verdicts: NightVerdicts { NightVerdicts(history, tonight: nights[nights.count - 1].run) }

  /// Concludes the newest night, with one answer to every proof that is asked for.
  @discardableResult
  mutating func conclude(_ answer: (ProofRequest) -> ProofOutcome.Answer?) -> [ProofRequest] {
    let verdicts = verdicts
    let requests = verdicts.proofs
    func outcome(_ request: ProofRequest) -> ProofOutcome? {
      answer(request).map { ProofOutcome(request: request, answer: $0) }
    }
    let first = requests.compactMap(outcome)
    let second = verdicts.secondProofs(after: first)
    let outcomes = first + second.compactMap(outcome)
    let at = nights[nights.count - 1].startedAt
    alerts = verdicts.ledger(proofs: outcomes, at: at).alerts
    return requests + second
  }

  /// Adds nights, each concluded in turn without a proof.
  mutating func addConcluded(_ medians: [Double]) {
    for median in medians {
      add([median])
      conclude { _ in nil }
    }
  }

  /// Concludes the newest night with a proof of this verdict.
  @discardableResult
  mutating func conclude(_ verdict: Verdict) -> [ProofRequest] {
    let tonight = nights[nights.count - 1]
    return conclude { .sample(verdict, of: $0, bad: tonight) }
  }

  /// Concludes the newest night with a proof of this verdict for drifts, and no difference since the
  /// nights before.
  mutating func concludeDrift(_ verdict: Verdict) {
    let tonight = nights[nights.count - 1]
    conclude { .sample($0.kind == .drift ? verdict : .same, of: $0, bad: tonight) }
  }
}

extension ProofOutcome.Answer {
  /// A comparison with this verdict for every series of a request.
  static func sample(_ verdict: Verdict, of request: ProofRequest, bad: Night) -> Self {
    .compared(
      Dictionary(
        uniqueKeysWithValues: request.series.map {
          ($0, .sample(verdict, good: request.good, bad: bad))
        }
      )
    )
  }
}

extension Proof {
  /// A proof with this verdict.
  static func sample(_ verdict: Verdict, good: Night, bad: Night) -> Self {
    let (ratio, low, high) =
      switch verdict {
      case .regression: (1.08, 1.05, 1.1)
      case .improvement: (0.92, 0.9, 0.95)
      case .same: (1.0, 0.99, 1.01)
      case .inconclusive: (1.02, 0.99, 1.05)
      }
    return Self(
      run: "proof-\(bad.run)",
      baseline: "app@good",
      candidate: "app@bad",
      good: good.build?.commit ?? "",
      bad: bad.build?.commit ?? "",
      scope: .build,
      pairs: 80,
      ratio: ratio,
      low: low,
      high: high,
      confidence: 0.95,
      effectLimit: 0.02,
      verdict: verdict
    )
  }
}
