package import Foundation
package import LaunchCore
import LaunchDepot
import LaunchStatistics
import Rendering

/// What the hosts of a depot say together of one scenario.
package struct HostsSummary: Sendable {
  package let scenario: String

  /// Those with the most hosts first.
  let kinds: [HostKind]

  /// One host, and what is known of its nights.
  package struct Host: Sendable {
    package var name: String

    /// As the fleet names it.
    package var slotHost: String?

    /// What tells it from others of its name.
    package var identity: String?

    /// Its kind.
    package var fingerprint: String

    /// The label of its newest night, when that began, and how it ended.
    package var night: String
    package var startedAt: Date
    package var status = RunRecord.Status.complete

    /// The nights since the last break, by series; of several with one label the first counts.
    package var series: [SeriesKey: [HostNight]]

    /// The alerts that are open or changed on that night.
    package var alerts: [Alert] = []

    package var rule: RegressionRule

    /// Whether the scenario says how a commit is built, so that its builds are commits.
    package var hasSource = false
  }

  /// Judges the newest night of each kind of host; false discoveries are controlled over all kinds.
  ///
  /// Nothing is kept between calls: which hosts are quarantined follows from their newest nights, and the
  /// pooled series have no alerts.
  ///
  /// - Parameters:
  ///   - scenario: Its name.
  ///   - hosts: At least one, in any order. Hosts of one name are told apart by their identity.
  ///   - proofs: What hosts have proved together on their newest nights; see ``HostsProofs``.
  package init(_ scenario: String, of hosts: [Host], proofs: [SeriesKey: [FleetProof]] = [:]) {
    self.scenario = scenario
    let counts = Dictionary(grouping: hosts, by: \.name).mapValues(\.count)
    let named = hosts.enumerated().map { place, host in
      guard counts[host.name] != 1 else { return host }
      let mark = host.identity.map { String($0.prefix(8)) } ?? "\(place + 1)"
      var host = host
      host.name += " (\(mark))"
      return host
    }
    let groups = Dictionary(grouping: named, by: \.fingerprint)
      .mapValues { $0.sorted { $0.name < $1.name } }
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    let judged = groups.map { kind, hosts in
      let targets = HostPool.pools(scenario, kind: kind, of: hosts, .target)
      let room = max(0, (targets.map(\.hosts.count).max() ?? 0) - FleetLimits.quorum)
      let standings = [HostStanding](targets).quarantined.prefix(room)
      let names = standings.map(\.host)
      let controls = HostPool.pools(scenario, kind: kind, of: hosts, .control)
      return (
        targets: targets.map { $0.quarantining(names) },
        controls: controls.map { $0.quarantining(names) },
        quarantined: standings.sorted { $0.host < $1.host }
      )
    }
    let targets = judged.flatMap(\.targets).controllingFalseDiscoveries()
    kinds = zip(groups, judged).map { group, judged in
      HostKind(
        fingerprint: group.key,
        members: group.value,
        pools: targets.filter { $0.key.fingerprint == group.key },
        controls: judged.controls,
        quarantined: judged.quarantined,
        proofs: proofs
      )
    }
  }

  /// Whether the code is suspected of a regression.
  package var suspectsCode: Bool { kinds.contains(where: \.suspectsCode) }

  /// The label of the newest night of any host.
  package var night: String { kinds.map(\.tonight).max() ?? "" }

  /// What the fleet calls a host of the report; nil for one that is in no fleet.
  package func fleetName(of host: String) -> String? {
    kinds.flatMap(\.members).first { $0.name == host }?.slotHost
  }

  var hostCount: Int { kinds.reduce(0) { $0 + $1.members.count } }
}

extension [HostsSummary] {
  /// The quarantined hosts that a fleet can do without.
  ///
  /// Room is counted by scenario, and two scenarios may quarantine different hosts: those that have differed
  /// for longest are taken, as many as leave 4 of their kind in every scenario.
  ///
  /// - Parameter working: The hosts that take jobs, as the fleet calls them.
  /// - Returns: Each with the labels of the nights on which it was named, ascending.
  package func dispensable(of working: [String]) -> [(host: String, nights: [String])] {
    let kinds = flatMap(\.kinds)
    let candidates = flatMap { summary in
      summary.kinds.flatMap(\.quarantined).compactMap { one in
        summary.fleetName(of: one.host).map { ($0, one.namedNights) }
      }
    }
    var left = Set(working)
    var taken: [(host: String, nights: [String])] = []
    for (host, nights) in candidates.sorted(by: { ($0.1[0], $0.0) < ($1.1[0], $1.0) })
    where left.contains(host) {
      let concerned = kinds.map { $0.members.compactMap(\.slotHost) }.filter { $0.contains(host) }
      guard concerned.allSatisfy({ left.intersection($0).count > FleetLimits.quorum }) else {
        continue
      }
      left.remove(host)
      taken.append((host, nights))
    }
    return taken
  }
}

// MARK: - Hosts

extension HostsSummary.Host {
  /// How many of the newest nights of a host are looked at: more than a baseline takes, since hosts miss
  /// nights.
  private static let newest = 90

  /// A host whose runs are all here.
  ///
  /// - Parameters:
  ///   - name: What people call it.
  ///   - summary: What its own nights say.
  package init(_ name: String, _ summary: TrendSummary) {
    let tonight = summary.tonight
    let rule = summary.scenario.regressionRule
    let labels = Dictionary(summary.nights.map { ($0.run, $0.label) }) { first, _ in first }
    // Hosts are pooled by their levels.
    let judged = summary.series.filter {
      rule.metrics.contains($0.key.metric) && $0.key.metric.hasLevel
    }
    self.init(
      name: name,
      slotHost: tonight.slot?.host,
      identity: tonight.identity,
      fingerprint: tonight.fingerprint,
      night: tonight.label,
      startedAt: tonight.startedAt,
      status: tonight.status,
      series: Dictionary(
        judged.map { trend in
          let points = trend.points.dropFirst(trend.breaks.last?.index ?? 0).suffix(Self.newest)
          // The newest run of a night counts, so it comes first.
          let nights = points.reversed().map { point in
            HostNight(
              night: labels[point.run] ?? point.startedAt.utcDay,
              median: point.median,
              startedAt: point.startedAt
            )
          }
          return (trend.key, nights)
        }
      ) { first, _ in first },
      alerts: summary.alerts,
      rule: rule,
      hasSource: summary.scenario.source != nil
    )
  }

  /// The hosts of which the points of a depot tell; they have no alerts.
  ///
  /// - Parameters:
  ///   - points: Those of a scenario.
  ///   - scenario: As it was on the newest night; only the metrics that it judges are taken.
  /// - Returns: In the order of the points.
  static func all(_ points: DepotPoints, of scenario: Scenario) -> [Self] {
    let rule = scenario.regressionRule
    return points.hosts.enumerated().map { place, host in
      var series: [SeriesKey: [HostNight]] = [:]
      for (index, one) in points.series.enumerated() where rule.metrics.contains(one.metric) {
        let medians = points.medians(ofHost: place, series: index)
        let nights = zip(points.nights, medians).filter { $0.1.isFinite }
        guard !nights.isEmpty else { continue }
        let key = SeriesKey(
          scenario: scenario.name,
          target: one.target,
          state: one.state,
          metric: one.metric,
          fingerprint: host.kind
        )
        series[key] = nights.map { HostNight(night: $0, median: $1) }
      }
      return Self(
        name: host.name,
        slotHost: host.slotHost,
        identity: host.identity,
        fingerprint: host.kind,
        night: host.night,
        startedAt: host.startedAt,
        series: series,
        rule: rule,
        hasSource: scenario.source != nil
      )
    }
  }
}

extension HostPool {
  /// The judged series of hosts of one kind.
  ///
  /// - Parameters:
  ///   - scenario: Its name.
  ///   - kind: The fingerprint of the hosts.
  ///   - hosts: All of that kind, at least one; the rule is that of the newest night.
  ///   - role: What the series are looked at for.
  /// - Returns: One pool for each target, state and metric.
  fileprivate static func pools(
    _ scenario: String,
    kind: String,
    of hosts: [HostsSummary.Host],
    _ role: SeriesTrend.Role
  ) -> [Self] {
    let newest = hosts.max { ($0.night, $0.startedAt) < ($1.night, $1.startedAt) }
    let rule = newest?.rule ?? RegressionRule()
    var series: [SeriesKey: [HostSeries]] = [:]
    for host in hosts {
      for (own, nights) in host.series
      where SeriesTrend.Role(own.target) == role && rule.metrics.contains(own.metric) {
        var key = own
        (key.scenario, key.fingerprint) = (scenario, kind)
        series[key, default: []].append(HostSeries(host: host.name, nights: nights))
      }
    }
    return series.map { key, hosts in
      Self(
        key,
        of: hosts,
        tonight: newest?.night ?? "",
        rule: rule,
        seriesCount: series.count
      )
    }
  }

  /// The place in the order of what is told.
  fileprivate var rank: Int {
    switch verdict {
    case .suspicion(.worse): 0
    case .suspicion(.better): 1
    case .machine: 2
    case .quiet: isUnsettled ? 3 : 5
    case .differs: 4
    case .new: 6
    case .tooFewHosts: 7
    }
  }

  /// The named hosts, without those that stayed as they were while the others changed.
  fileprivate var odd: [PeerComparison] {
    let dissenting = suspected == nil ? [] : Set(dissenting)
    return peers.filter { $0.isNamed && !$0.isQuarantined && !dissenting.contains($0.host) }
  }

  /// Whether the pooled series is off tonight, while too few hosts agree for a suspicion.
  var isUnsettled: Bool { suspected == nil && judgement?.isSuspicious ?? false }

  /// Whether most hosts have moved this way, in a series that no verdict is about.
  fileprivate func hasMoved(_ direction: Alert.Direction) -> Bool {
    guard let suspicion = judgement?.suspicion, suspicion.isCandidate else { return false }
    return suspicion.direction == direction
      && FleetLimits.isTwoThirds(agreeing(direction).count, of: pool.count)
  }

  /// How many hosts have a value tonight, those with too few earlier nights included.
  fileprivate var measured: Int { pool.count + absent.count { $0.reason == .new } }

  var name: String { TrendWords.name(key) }
}

/// The hosts of one kind, and what they say together.
struct HostKind: Sendable {
  let fingerprint: String

  /// Ascending by name, at least one.
  let members: [HostsSummary.Host]

  /// The label of the newest night of any of them.
  let tonight: String

  /// The gravest first.
  let pools: [HostPool]

  /// Those of the control.
  let controls: [HostPool]

  /// The hosts that have no say, ascending by name.
  let quarantined: [HostStanding]

  /// Of any kind.
  private let proofs: [SeriesKey: [FleetProof]]

  fileprivate init(
    fingerprint: String,
    members: [HostsSummary.Host],
    pools: [HostPool],
    controls: [HostPool],
    quarantined: [HostStanding],
    proofs: [SeriesKey: [FleetProof]]
  ) {
    self.fingerprint = fingerprint
    self.members = members
    self.quarantined = quarantined
    tonight = members.map(\.night).max() ?? ""
    self.pools = pools.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
    self.controls = controls
    self.proofs = proofs
  }

  /// The steadiest host first.
  var ranking: [HostStability] { HostStability.ranking(pools.flatMap(\.peers)) }

  /// The hosts without any value tonight, each with what is known of it.
  var missed: [(host: String, reason: String)] {
    let measured = Set(
      pools.flatMap { pool in
        pool.hosts.map(\.host) + pool.absent.filter { $0.reason == .new }.map(\.host)
      }
    )
    return members.filter { !measured.contains($0.name) }.map { host in
      if host.night < tonight { return (host.name, "last night \(host.night)") }
      return (host.name, host.status == .complete ? "no value" : "run \(host.status.rawValue)")
    }
  }

  /// The hosts that are off their own baselines in a series of which the hosts together say nothing, without
  /// those whose machine is named.
  var lone: [Phrase] {
    pools.filter { $0.suspected == nil && !$0.isUnsettled }.flatMap { pool in
      let dissenting = Set(pool.dissenting).subtracting(pool.odd.map(\.host))
      return pool.hosts.filter { dissenting.contains($0.host) }.map { host -> Phrase in
        "\(host.host) \(pool.name) \(raw: TrendWords.change(host.share.map { 1 + $0 }))"
      }
    }
  }

  // MARK: - Sentences

  /// The first line: the gravest finding, or that there is none.
  var verdict: Phrase { findings.first ?? outlook }

  /// What tonight speaks for: changes of most hosts, the gravest first, then single hosts, then what a proof
  /// has not confirmed, and then what is not settled.
  var findings: [Phrase] {
    pools.filter { !isRefuted($0) }.compactMap(common) + machines
      + pools.filter(isRefuted).compactMap(common) + pools.filter(\.isUnsettled).map(unsettled)
  }

  /// The hosts that are named tonight, ascending by name.
  var named: [String] {
    Set(pools.flatMap { $0.odd.map(\.host) }).sorted()
  }

  /// Such as `suspected regression of code: app warm launch +3.1 %, 5 of 5 hosts agree`.
  private func common(_ pool: HostPool) -> Phrase? {
    guard let direction = pool.suspected else { return nil }
    let noun = direction.verdict.rawValue
    let proof = proof(of: pool)
    if let proof, proof.verdict == direction.verdict {
      return proved(noun, of: pool, by: proof)
    }
    let control = control(beside: pool, direction)
    let cause = isRefuted(pool) ? "" : control == nil ? " of code" : " of code or all machines"
    let change = TrendWords.change(pool.share.map { 1 + $0 })
    let agreeing = "\(pool.agreeing(direction).count) of \(pool.pool.count) hosts agree"
    let too = control.map { "; the control moved too: \(TrendWords.change(1 + $0))" } ?? ""
    let dissent: Phrase =
      pool.dissenting.isEmpty ? "" : ", not \(Self.list(pool.dissenting, most: 3))"
    let proved = proved(pool, direction)
    let own: Phrase = proved.isEmpty ? "" : "; confirmed by a proof on \(Self.list(proved))"
    let unproved: Phrase = proof.map { "; \(raw: Self.unproved($0))\(date(of: $0))" } ?? ""
    return
      "suspected \(raw: noun)\(raw: cause): \(strong: pool.name) \(raw: change), \(raw: agreeing)\(dissent)\(raw: too)\(own)\(unproved)"
  }

  /// Such as `not settled: app warm launch +3.0 % tonight, with 2 of 5 hosts in agreement over the last 3 nights`.
  private func unsettled(_ pool: HostPool) -> Phrase {
    let change = TrendWords.change(pool.share.map { 1 + $0 })
    let count = pool.judgement?.suspicion.map { pool.agreeing($0.direction).count } ?? 0
    return
      "not settled: \(strong: pool.name) \(raw: change) tonight, with \(count) of \(pool.pool.count) hosts in agreement over the last \(FleetLimits.recentNights) nights"
  }

  /// How far the control of the same state and metric has moved in the same way, on most hosts.
  private func control(beside pool: HostPool, _ direction: Alert.Direction) -> Double? {
    controls.first { control in
      control.key.state == pool.key.state && control.key.metric == pool.key.metric
        && control.hasMoved(direction)
    }?.share
  }

  /// Whether most hosts have become worse, and neither the control has nor a proof speaks against it.
  var suspectsCode: Bool {
    pools.contains { pool in
      guard pool.suspected == .worse, !isRefuted(pool) else { return false }
      return proof(of: pool)?.verdict == .regression || control(beside: pool, .worse) == nil
    }
  }

  /// The hosts that have proved the same change of the code by themselves.
  func proved(_ pool: HostPool, _ direction: Alert.Direction) -> [String] {
    members.filter { host in
      host.alerts.contains {
        $0.state == .confirmed && $0.cause == .code && $0.proof != nil
          && $0.direction == direction && $0.series.isSameArm(as: pool.key)
      }
    }.map(\.name)
  }

  /// Such as `machine: bench-3 differs: app warm launch +8.0 % against the other hosts`.
  private var machines: [Phrase] {
    named.map { host in
      let parts = pools.compactMap { pool -> Phrase? in
        guard let peer = pool.odd.first(where: { $0.host == host }) else { return nil }
        let share = peer.shift.flatMap { pool.share(ofMargins: $0) }
        return "\(strong: pool.name) \(raw: TrendWords.change(share.map { 1 + $0 }))"
      }
      let more = parts.count > 2 ? " and \(parts.count - 2) more" : ""
      return
        "machine: \(host) differs: \(Phrase(Array(parts.prefix(2)), separator: ", "))\(raw: more) against the other hosts"
    }
  }

  /// What is said where nothing was found.
  private var outlook: Phrase {
    guard let largest = pools.max(by: { $0.measured < $1.measured }) else {
      return "no series is judged"
    }
    let quiet = pools.count { $0.verdict == .quiet }
    if quiet > 0 {
      let left = pools.count - quiet
      let rest = left > 0 ? ", \(left) of \(pools.count) series not judged together" : ""
      return "\(raw: lone.isEmpty ? "nothing changed" : "no common change suspected")\(raw: rest)"
    }
    guard largest.measured >= FleetLimits.quorum else {
      return
        "too few hosts for a verdict together (\(largest.measured) of \(FleetLimits.quorum) that it takes)"
    }
    guard largest.verdict != .new else {
      return "no verdict together yet: it takes \(DetectionLimits.minNights) earlier nights"
    }
    return
      "no verdict together yet: \(largest.pool.count) of \(largest.measured) hosts have the \(DetectionLimits.minNights) earlier nights that it takes"
  }

  /// What to do about the findings; nil where there are none.
  var next: Phrase? {
    let open = pools.filter { pool in
      pool.suspected.map { proved(pool, $0).isEmpty } ?? false && proof(of: pool) == nil
    }
    if !open.isEmpty {
      return
        "a suspicion is not a proof: a comparison of both builds on the same night settles it"
    }
    if pools.contains(where: { proof(of: $0)?.verdict == .inconclusive }) {
      return
        "a proof of more pairs may settle it: raise \(code: "regression.proof") of the scenario"
    }
    let steps = [bisection, machineCheck].compactMap(\.self)
    guard steps.isEmpty else { return Phrase(steps, separator: " · ") }
    return pools.contains(where: \.isUnsettled) ? "the next nights show whether it lasts" : nil
  }

  /// How to find the commit of a proved regression; nil unless all hosts compared the same two commits.
  private var bisection: Phrase? {
    let pools = pools.filter { $0.suspected == .worse && proof(of: $0)?.verdict == .regression }
    let builds = Set(pools.compactMap(proof).flatMap { $0.hosts.map { [$0.good, $0.bad] } })
    guard let scenario = pools.first?.key.scenario, members.allSatisfy(\.hasSource),
      let pair = builds.first, builds.count == 1, !pair.contains("")
    else { return nil }
    let range = pair.joined(separator: "..")
    let command =
      members.contains { $0.slotHost != nil }
      ? "fleet bisect fleet.yml \(range) --scenario \(scenario)"
      : "bisect \(range) --scenario FILE"
    return "find the commit: run \(code: "launchlab \(command)")"
  }

  /// Where to look for what is the matter with named hosts; those in quarantine are not forgotten.
  private var machineCheck: Phrase? {
    let hosts = (named + quarantined.map(\.host)).sorted()
    guard !hosts.isEmpty else { return nil }
    return
      "find out what changed on \(Self.list(hosts, most: 3)): run \(code: "launchlab doctor") there"
  }

  /// The first names, and how many more there are.
  static func list(_ names: [String], most: Int = 6) -> Phrase {
    list(names.map { "\($0)" as Phrase }, most: most)
  }

  static func list(_ phrases: [Phrase], most: Int) -> Phrase {
    let shown = Phrase(Array(phrases.prefix(most)), separator: ", ")
    return phrases.count > most ? "\(shown) and \(phrases.count - most) more" : shown
  }
}

// MARK: - Proofs

extension HostKind {
  /// What hosts have proved together of a suspicion, tonight or on an earlier night of the same change.
  func proof(of pool: HostPool) -> FleetProof? {
    guard pool.suspected != nil, pool.rule.proofHosts > 0 else { return nil }
    return proofs[pool.key]?
      .filter { $0.night.map { $0 == tonight || $0 < tonight && pool.isProved(on: $0) } ?? true }
      .max { $0.night ?? tonight < $1.night ?? tonight }
  }

  /// Whether a proof has an answer, or was made tonight.
  func isSettled(_ pool: HostPool) -> Bool {
    guard let proof = proof(of: pool) else { return false }
    return proof.verdict != .inconclusive || proof.night ?? tonight == tonight
  }

  /// Whether a proof says that the code did not change the way that is suspected.
  fileprivate func isRefuted(_ pool: HostPool) -> Bool {
    guard let direction = pool.suspected, let proof = proof(of: pool) else { return false }
    return proof.verdict != .inconclusive && proof.verdict != direction.verdict
  }

  /// What a proof makes of a suspicion, in few words; nil without one.
  func proofWord(_ pool: HostPool) -> String? {
    guard let direction = pool.suspected, let proof = proof(of: pool) else { return nil }
    if proof.verdict == .inconclusive {
      return "suspected \(direction.verdict.rawValue), the proof is inconclusive"
    }
    return isRefuted(pool)
      ? "suspected \(direction.verdict.rawValue), not confirmed"
      : "proved \(direction.verdict.rawValue)"
  }

  /// Such as `regression of code: app warm launch +4.9 % (95 % interval +3.1 to +6.2 %), proved on 4 hosts
  /// (160 pairs)`.
  private func proved(_ noun: String, of pool: HostPool, by proof: FleetProof) -> Phrase {
    let hosts = Quantity.count(proof.hosts.count, "host")
    let pairs = Quantity.count(proof.pairs, "pair")
    return
      "\(raw: noun) of code: \(strong: pool.name) \(raw: proof.change), proved on \(raw: hosts) (\(raw: pairs))\(date(of: proof))"
  }

  /// When a proof was made, if not tonight.
  private func date(of proof: FleetProof) -> Phrase {
    proof.night.flatMap { $0 == tonight ? nil : " on \($0)" } ?? ""
  }

  /// What a proof says that does not confirm the suspicion.
  private static func unproved(_ proof: FleetProof) -> String {
    let launched =
      "\(Quantity.count(proof.pairs, "pair")) on \(Quantity.count(proof.hosts.count, "host"))"
    return proof.verdict == .inconclusive
      ? "\(launched) do not settle it: \(proof.change)"
      : "not confirmed by \(launched): the machines or what surrounds the program"
  }
}

extension FleetProof {
  /// Such as `95 %`.
  var confidenceText: String { String(format: "%g %%", confidence * 100) }

  /// Such as `+3.1 to +6.2 %`.
  static func text(_ interval: Interval) -> String {
    "\(TrendWords.change(interval.low).dropLast(2)) to \(TrendWords.change(interval.high))"
  }

  /// Such as `+4.9 % (95 % interval +3.1 to +6.2 %)`.
  fileprivate var change: String {
    "\(TrendWords.change(ratio)) (\(confidenceText) interval \(Self.text(interval)))"
  }
}
