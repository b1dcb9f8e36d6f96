import Comparison
import Foundation
package import LaunchCore
package import LaunchStore
import Measuring

/// What the proofs of some nights say together, which hosts of a fleet have made of a scenario.
package struct HostsProofs {
  /// Those of each series that hosts have compared, of the metrics that are judged, in no order; the
  /// fingerprint is that of their kind.
  package private(set) var series: [SeriesKey: [FleetProof]] = [:]

  /// The labels of the nights whose proofs may say something of the newest one of hosts, at most four weeks
  /// back.
  static func nights(of hosts: [HostsSummary.Host]) -> ClosedRange<String> {
    let newest = hosts.max { ($0.night, $0.startedAt) < ($1.night, $1.startedAt) }
    guard let newest else { return ""..."" }
    let first = (newest.startedAt - 28 * 86_400).utcDay
    return min(first, newest.night)...newest.night
  }

  /// Makes the comparisons again from the stored launches.
  ///
  /// Of several proofs of one host and night the first counts.
  ///
  /// - Parameters:
  ///   - scenario: Its name.
  ///   - nights: The labels of the first and the last night.
  ///   - stores: Those of the hosts, such as the mirrors of a depot.
  /// - Throws: `StoreError`.
  package init(of scenario: String, nights: ClosedRange<String>, in stores: [Store]) throws {
    var ratios: [String: [SeriesKey: [HostRatio]]] = [:]
    var rules: [SeriesKey: ComparisonRule] = [:]
    for store in stores {
      for run in try store.proofs(of: scenario, nights: nights) {
        guard let slot = run.slot else { continue }
        for arm in try StoredProof(run).summary(in: store).arms {
          let key = SeriesKey(
            scenario: scenario,
            target: arm.pair.name,
            state: arm.state,
            metric: arm.metric,
            fingerprint: run.host.fingerprint
          )
          let known = ratios[slot.night]?[key] ?? []
          guard !known.contains(where: { $0.host == slot.host }) else { continue }
          ratios[slot.night, default: [:]][key] = known + [HostRatio(host: slot.host, arm: arm)]
          rules[key] = run.plan.scenario.regressionRule.comparison(of: arm.metric)
        }
      }
    }
    for (night, series) in ratios {
      for (key, hosts) in series {
        guard var proof = rules[key].flatMap({ FleetProof(hosts, rule: $0) }) else { continue }
        proof.night = night
        self.series[key, default: []].append(proof)
      }
    }
  }
}

extension RegressionRule {
  /// How a proof is judged.
  fileprivate func comparison(of metric: Metric) -> ComparisonRule {
    ComparisonRule(effectLimit: effect, confidence: confidence, direction: metric.direction)
  }
}

// MARK: - Proofs of one host

/// A proof as it is stored.
struct StoredProof {
  let run: RunRecord

  /// The two builds of each target.
  private let pairs: [ComparedPair]

  init(_ run: RunRecord) {
    self.run = run
    pairs = run.plan.scenario.doubledPairs
  }

  /// Whether it has launched both builds of all these series.
  func covers(_ series: [SeriesKey]) -> Bool {
    series.allSatisfy { key in
      run.plan.scenario.states.contains(key.state) && pairs.contains { $0.name == key.target }
        && run.plan.scenario.regressionRule.metrics.contains(key.metric)
    }
  }

  /// Compares the launches as they are stored.
  ///
  /// - Parameter store: The one that has the run.
  /// - Returns: All judged metrics, without what is known of the noise of the host.
  /// - Throws: `StoreError`.
  func summary(in store: Store) throws -> ComparisonSummary {
    let rule = run.plan.scenario.regressionRule
    var launches = RunAccumulator(plan: run.plan)
    var compared = ComparisonAccumulator(plan: run.plan, pairs: pairs, metrics: rule.metrics)
    try store.forEachLaunch(of: run.id) { launch in
      launches.add(launch)
      compared.add(launch)
    }
    let base = ComparisonRule(effectLimit: rule.effect, confidence: rule.confidence)
    return compared.summary(
      of: launches.summary(of: run),
      by: ComparisonRules(base: base, looks: run.plan.looks.count)
    )
  }
}

extension Store {
  /// Reads the complete proofs of some nights of a fleet that nobody has taken out.
  ///
  /// - Parameters:
  ///   - scenario: The name of the scenario.
  ///   - nights: The labels of the first and the last night.
  /// - Returns: Ascending by start.
  /// - Throws: `StoreError`.
  func proofs(of scenario: String, nights: ClosedRange<String>) throws -> [RunRecord] {
    func isWanted(_ slot: FleetSlot?) -> Bool { slot.map { nights.contains($0.night) } ?? false }
    let starts = try self.nights(scenario: scenario).filter { isWanted($0.slot) }.map(\.startedAt)
    let start = starts.min() ?? .distantPast
    let leftOut = Set(try leftOutRuns(scenario: scenario).map(\.run))
    return try runIDs(scenario: scenario)
      .filter { $0.startedAt >= start && !leftOut.contains($0.id) }
      .map { try run($0.id) }
      .filter { $0.purpose == .proof && $0.status == .complete && isWanted($0.slot) }
  }
}

// MARK: - What is to be proved

/// A proof that would settle what hosts suspect together.
package struct WantedProof: Hashable, Sendable {
  /// Of one kind of hosts, at least one.
  package let series: [SeriesKey]

  /// Which way they are off.
  package let direction: Alert.Direction

  /// The label of the night whose builds are in doubt.
  package let night: String

  /// The label of the last night that has the old level in all of these series.
  package let lastGood: String

  package let plan: ProofPlan

  /// Divides a proof of what a kind of hosts suspects; nil where nothing waits for one, or no host can be
  /// asked.
  ///
  /// A proof compares two builds, so that it is of the series that have left their old level on the same
  /// night, and in the same direction, as the worst one has. Others have their turn after it.
  fileprivate init?(of kind: HostKind) {
    let open = kind.pools.filter { pool in
      pool.suspected != nil && pool.rule.proofHosts > 0 && pool.lastGood != nil
        && !kind.isSettled(pool)
    }
    guard let worst = open.first, let direction = worst.suspected, let lastGood = worst.lastGood
    else { return nil }
    let pools = open.filter { $0.suspected == direction && $0.lastGood == lastGood }
    let ranking = kind.ranking.filter { one in
      pools.allSatisfy { pool in pool.hosts.contains { $0.host == one.host } }
        && !kind.named.contains(one.host)
    }
    let rule = worst.rule
    let plan = ProofPlan(
      pairs: rule.proofLaunches,
      on: ranking,
      atMost: rule.proofHosts,
      rule: ComparisonRule(effectLimit: rule.effect, confidence: rule.confidence)
    )
    guard let plan else { return nil }
    series = pools.map(\.key)
    self.direction = direction
    night = kind.tonight
    self.lastGood = lastGood
    self.plan = plan
  }
}

extension HostsSummary {
  /// The proofs that suspicions wait for, at most one of each kind of hosts.
  ///
  /// Only hosts are asked that have measured these series tonight, and whose machine is not named. There is
  /// none where `regression.hosts` is 0, and none of a change whose old level is too long ago to be seen.
  package var wantedProofs: [WantedProof] { kinds.compactMap(WantedProof.init) }
}

extension HostPool {
  /// The label of the last night before tonight that the hosts together had their old level, within half a
  /// margin; nil where no night did.
  ///
  /// However long ago that is: later nights have the new level, whose builds say nothing about the change.
  fileprivate var lastGood: String? {
    guard let judgement else { return nil }
    return judgement.chain.points.last { point in
      point.run < tonight
        && margins(on: point.run).map { abs($0) <= FleetLimits.agreeing } ?? false
    }?.run
  }

  /// How far the hosts together were off their baseline on a night, in margins; nil without a value.
  private func margins(on night: String) -> Double? {
    guard let judgement, let baseline = judgement.baseline,
      let margin = share(ofMargins: 1).map({ $0 * abs(level) }),
      let point = judgement.chain.points.last(where: { $0.run == night })
    else { return nil }
    return (point.median - baseline.median) / margin
  }

  /// Whether a proof of an earlier night is of the change that tonight has: the hosts had left their old
  /// level by then, and are within a margin of where they were on that night.
  func isProved(on night: String) -> Bool {
    guard let before = margins(on: night), let now = margins(on: tonight) else { return false }
    return night > lastGood ?? night && abs(now - before) <= 1
  }
}
