import LaunchCore
import Rendering

/// What the hosts of a depot say together of one scenario.
package struct HostsSummary: Sendable {
  package let scenario: String

  /// Those with the most hosts first.
  let kinds: [HostKind]

  /// One host, and what its own nights say.
  package struct Host: Sendable {
    package var name: String
    package var summary: TrendSummary

    package init(_ name: String, _ summary: TrendSummary) {
      self.name = name
      self.summary = summary
    }
  }

  /// Judges the newest night of each kind of host; false discoveries are controlled over all kinds.
  ///
  /// Nothing is kept between calls: no host is quarantined, and the pooled series have no alerts.
  ///
  /// - Parameters:
  ///   - scenario: Its name.
  ///   - hosts: At least one, in any order. Hosts of one name are told apart by their identity.
  package init(_ scenario: String, of hosts: [Host]) {
    self.scenario = scenario
    let counts = Dictionary(grouping: hosts, by: \.name).mapValues(\.count)
    let named = hosts.enumerated().map { place, host in
      guard counts[host.name] != 1 else { return host }
      let mark = host.summary.tonight.identity.map { String($0.prefix(8)) } ?? "\(place + 1)"
      return Host("\(host.name) (\(mark))", host.summary)
    }
    let groups = Dictionary(grouping: named, by: \.summary.tonight.fingerprint)
      .mapValues { $0.sorted { $0.name < $1.name } }
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    func pools(_ role: SeriesTrend.Role) -> [HostPool] {
      groups.flatMap { HostPool.pools(scenario, kind: $0.key, of: $0.value, role) }
    }
    let targets = pools(.target).controllingFalseDiscoveries()
    let controls = pools(.control)
    kinds = groups.map { kind, hosts in
      HostKind(
        fingerprint: kind,
        members: hosts,
        pools: targets.filter { $0.key.fingerprint == kind },
        controls: controls.filter { $0.key.fingerprint == kind }
      )
    }
  }

  var hostCount: Int { kinds.reduce(0) { $0 + $1.members.count } }
}

extension HostPool {
  /// How many of the newest nights of a host are looked at: more than a baseline takes, since hosts miss
  /// nights.
  private static let newest = 90

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
    let newest = hosts.map(\.summary).max { $0.tonight.startedAt < $1.tonight.startedAt }
    let rule = newest?.scenario.regressionRule ?? RegressionRule()
    var series: [SeriesKey: [HostSeries]] = [:]
    for host in hosts {
      for trend in host.summary.series
      where trend.role == role && rule.metrics.contains(trend.key.metric) {
        var key = trend.key
        (key.scenario, key.fingerprint) = (scenario, kind)
        let points = trend.points.dropFirst(trend.breaks.last?.index ?? 0).suffix(Self.newest)
        // The newest run of a day counts, so it comes first.
        let nights = points.reversed().map {
          HostNight(night: $0.startedAt.utcDay, median: $0.median, startedAt: $0.startedAt)
        }
        series[key, default: []].append(HostSeries(host: host.name, nights: nights))
      }
    }
    return series.map { key, hosts in
      Self(
        key,
        of: hosts,
        tonight: newest?.tonight.startedAt.utcDay ?? "",
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
    return peers.filter { $0.isNamed && !dissenting.contains($0.host) }
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
  fileprivate var measured: Int { hosts.count + absent.count { $0.reason == .new } }

  var name: String { TrendWords.name(key) }
}

/// The hosts of one kind, and what they say together.
struct HostKind: Sendable {
  let fingerprint: String

  /// Ascending by name, at least one.
  let members: [HostsSummary.Host]

  /// The day in UTC of the newest night of any of them.
  let tonight: String

  /// The gravest first.
  let pools: [HostPool]

  /// Those of the control.
  let controls: [HostPool]

  fileprivate init(
    fingerprint: String,
    members: [HostsSummary.Host],
    pools: [HostPool],
    controls: [HostPool]
  ) {
    self.fingerprint = fingerprint
    self.members = members
    tonight = members.map(\.summary.tonight.startedAt.utcDay).max() ?? ""
    self.pools = pools.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
    self.controls = controls
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
      let night = host.summary.tonight
      let day = night.startedAt.utcDay
      if day < tonight { return (host.name, "last night \(day)") }
      return (host.name, night.status == .complete ? "no value" : "run \(night.status.rawValue)")
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

  /// What tonight speaks for: changes of most hosts, the gravest first, then single hosts, and then what is
  /// not settled.
  var findings: [Phrase] {
    pools.compactMap(common) + machines + pools.filter(\.isUnsettled).map(unsettled)
  }

  /// The hosts that are named tonight, ascending by name.
  var named: [String] {
    Set(pools.flatMap { $0.odd.map(\.host) }).sorted()
  }

  /// Such as `suspected regression of code: app warm launch +3.1 %, 5 of 5 hosts agree`.
  private func common(_ pool: HostPool) -> Phrase? {
    guard let direction = pool.suspected else { return nil }
    let noun = direction == .worse ? "regression" : "improvement"
    let control = control(beside: pool, direction)
    let cause = control == nil ? "code" : "code or all machines"
    let change = TrendWords.change(pool.share.map { 1 + $0 })
    let agreeing = "\(pool.agreeing(direction).count) of \(pool.pool.count) hosts agree"
    let too = control.map { "; the control moved too: \(TrendWords.change(1 + $0))" } ?? ""
    let dissent: Phrase =
      pool.dissenting.isEmpty ? "" : ", not \(Self.list(pool.dissenting, most: 3))"
    let proved = proved(pool, direction)
    let proof: Phrase = proved.isEmpty ? "" : "; confirmed by a proof on \(Self.list(proved))"
    return
      "suspected \(raw: noun) of \(raw: cause): \(strong: pool.name) \(raw: change), \(raw: agreeing)\(dissent)\(raw: too)\(proof)"
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

  /// The hosts that have proved the same change of the code by themselves.
  func proved(_ pool: HostPool, _ direction: Alert.Direction) -> [String] {
    members.filter { host in
      host.summary.alerts.contains {
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
    let open = pools.filter { pool in pool.suspected.map { proved(pool, $0).isEmpty } ?? false }
    if !open.isEmpty {
      return
        "a suspicion is not a proof: a comparison of both builds on the same night settles it"
    }
    guard !named.isEmpty else {
      return pools.contains(where: \.isUnsettled) ? "the next nights show whether it lasts" : nil
    }
    return
      "find out what changed on \(Self.list(named, most: 3)): run \(code: "launchlab doctor") there"
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
