// Fleet: what many hosts of one kind say together of a night.
//
// `HostPool` is one series on all hosts of a kind. Every host is compared with its own baseline, the median
// over hosts is the pooled series, and stage 1 judges that like any other series. A suspicion also needs two
// thirds of the hosts to agree. `PeerComparison` compares each host with the others and names the one whose
// machine has changed; `HostStanding` sums up such nights to a quarantine, `HostStability` ranks hosts. A
// `FleetProof` combines the comparisons that a `ProofPlan` has divided among the steadiest hosts.
// `HostsSummary` says in sentences what a kind came to.
//
// All of that is pure: no store, no launches, no clock. `HostProofWorkflow` makes the part of a proof that one
// host was asked for, and `HostsProofs` reads the parts of all hosts.

package import Foundation
package import LaunchCore
import LaunchStatistics

/// The value of a series that one host measured on one night.
package struct HostNight: Hashable, Sendable {
  /// The label that all hosts give this night, such as `2026-03-14`; labels sort by time.
  package var night: String

  /// In the unit of the metric; a value that is not finite counts as missing.
  package var median: Double

  package var startedAt: Date

  package init(night: String, median: Double, startedAt: Date = .distantPast) {
    self.night = night
    self.median = median
    self.startedAt = startedAt
  }
}

/// The nights of one series on one host.
package struct HostSeries: Hashable, Sendable {
  package var host: String

  /// Those since the last break; of several with one label the first counts.
  ///
  /// With a rule of 28 nights and no alert, the newest 34 are enough, and of more than 32 hosts the newest 45.
  package var nights: [HostNight]

  /// The smallest change that matters on this host, as a share; nil for that of the rule.
  package var effect: Double?

  /// Whether the host is compared with the others, but has no say among them.
  package var isQuarantined: Bool = false
}

/// The constants of the verdicts over hosts; docs/verdicts.md gives the reasons.
enum FleetLimits {
  /// The fewest hosts that are judged together, and of which one can be named.
  static let quorum = 4

  /// How many of the newest nights speak for a host; of many hosts more, since one of them is always odd.
  static let recentNights = 3
  static let recentNightsOfMany = 14
  static let manyHosts = 32

  /// On how many nights a host must be named to be quarantined, how many quiet ones end that, and how many
  /// are looked at.
  static let nightsToQuarantine = 3
  static let quietNights = 7
  static let nightsOfStanding = 28

  /// The chance that any host is named on a night of one series, on one side.
  static let naming = 0.001

  /// How many margins a host must be off to agree: on its newest nights, or tonight alone.
  static let agreeing = 0.5
  static let agreeingTonight = 1.5

  /// The most hosts of a proof.
  static let proofHosts = 4

  /// How many times as much as the steadiest host one may scatter that is the third or fourth of a proof.
  static let unsteadiness = 2.0

  /// How many nights back a host looks for another build than tonight's.
  static let nightsOfBuild = 7

  /// Whether a part is at least two thirds.
  static func isTwoThirds(_ part: Int, of whole: Int) -> Bool { 3 * part >= 2 * whole }
}

/// One series on all hosts of a kind, and what they say together of tonight.
package struct HostPool: Sendable {
  /// The fingerprint is that of the kind.
  package let key: SeriesKey

  /// The label of the night that is judged.
  package let tonight: String

  /// Those with a value tonight and a baseline, ascending by name.
  package let hosts: [PooledHost]

  /// Why others are not judged tonight, ascending by name.
  package let absent: [AbsentHost]

  /// The pooled series; nil for fewer than 4 hosts.
  ///
  /// Its chain has the nights on which two thirds of tonight's hosts have a value. A point is what a host
  /// of the middle has measured: the median of the hosts' baselines, and the median of their deviations.
  /// `n` is the number of hosts, and the MAD is taken between them.
  var judgement: SeriesJudgement?

  /// The median over hosts of the medians of their baselines, in the unit of the metric.
  let level: Double

  let rule: RegressionRule

  private let calendar: FleetCalendar
  private let alerts: [Alert]
  private let seriesCount: Int

  /// Each host against the others, ascending by name.
  package let peers: [PeerComparison]

  /// Judges one night.
  ///
  /// O(h · n · log h) for h hosts with n nights.
  ///
  /// - Parameters:
  ///   - key: What the hosts measure; the fingerprint is that of their kind.
  ///   - series: One of each host, in any order.
  ///   - tonight: The label of the night that is judged; later ones are not looked at.
  ///   - rule: That of the scenario.
  ///   - alerts: Those of the pooled series, whose runs are labels of nights: what is not clean enters no
  ///     baseline.
  ///   - seriesCount: How many series of these hosts are judged tonight: the more there are, the further a
  ///     host must be off to be named.
  package init(
    _ key: SeriesKey,
    of series: [HostSeries],
    tonight: String,
    rule: RegressionRule = RegressionRule(),
    alerts: [Alert] = [],
    seriesCount: Int = 1
  ) {
    let calendar = FleetCalendar(series, tonight: tonight)
    let clean = calendar.clean(key, alerts: alerts, rule: rule)
    var hosts: [PooledHost] = []
    var absent: [AbsentHost] = []
    for one in series.sorted(by: { $0.host < $1.host }) {
      let values = calendar.values(of: one)
      if let host = PooledHost(one, values, key: key, on: calendar, clean: clean, rule: rule) {
        hosts.append(host)
      } else {
        let isMissing = values.last?.isNaN ?? true
        absent.append(AbsentHost(host: one.host, reason: isMissing ? .missing : .new))
      }
    }
    self.init(
      key,
      hosts,
      absent,
      on: calendar,
      rule: rule,
      alerts: alerts,
      seriesCount: seriesCount
    )
  }

  private init(
    _ key: SeriesKey,
    _ hosts: [PooledHost],
    _ absent: [AbsentHost],
    on calendar: FleetCalendar,
    rule: RegressionRule,
    alerts: [Alert],
    seriesCount: Int
  ) {
    self.key = key
    tonight = calendar.nights.last ?? ""
    self.hosts = hosts
    self.absent = absent
    self.rule = rule
    self.calendar = calendar
    self.alerts = alerts
    self.seriesCount = seriesCount
    peers = PeerComparison.all(hosts, nights: calendar.nights, rule: rule, seriesCount: seriesCount)
    let pool = hosts.filter { !$0.isQuarantined }
    level = (try? Sample(pool.map(\.baseline.median)))?.median ?? 0
    guard pool.count >= FleetLimits.quorum else { return }
    let chain = calendar.chain(key, of: pool, at: level, rule: rule, alerts: alerts)
    judgement = SeriesJudgement(chain, rule: rule)
  }

  /// The same night, in which the first of these hosts are compared with the others, but have no say: as many
  /// as leave a verdict together.
  func quarantining(_ candidates: [String]) -> Self {
    let own = candidates.filter { name in pool.contains { $0.host == name } }
    let names = own.prefix(max(0, pool.count - FleetLimits.quorum))
    guard !names.isEmpty else { return self }
    let hosts = hosts.map { host in
      var host = host
      host.isQuarantined = host.isQuarantined || names.contains(host.host)
      return host
    }
    return Self(
      key,
      hosts,
      absent,
      on: calendar,
      rule: rule,
      alerts: alerts,
      seriesCount: seriesCount
    )
  }

  /// What ``PeerComparison`` says of the newest nights of the hosts, by host and night.
  func peerHistory(of hosts: Set<String>? = nil, newest count: Int) -> [String: [String: Bool]] {
    PeerComparison.history(
      self.hosts,
      of: hosts,
      newest: count,
      nights: calendar.nights,
      rule: rule,
      seriesCount: seriesCount
    )
  }

  /// The hosts that have a say, ascending by name.
  package var pool: [PooledHost] { hosts.filter { !$0.isQuarantined } }

  /// A number of margins as a share of the level; nil for a level of 0.
  package func share(ofMargins margins: Double) -> Double? {
    level == 0 ? nil : margins * rule.unit(at: level, of: key.metric) / abs(level)
  }
}

/// One host in a pool.
package struct PooledHost: Hashable, Sendable {
  package let host: String
  package fileprivate(set) var isQuarantined: Bool

  /// Its own one.
  package let baseline: Baseline

  /// Tonight's median, in the unit of the metric.
  package let tonight: Double

  /// Off the baseline's median, in margins, by the place of the night in the pool; not a number without a
  /// value.
  let deviations: [Double]

  /// Whether it would be suspected if it were the only host, and which way.
  let direction: Alert.Direction?

  /// The relative deviation of tonight from the baseline's median; nil where that is 0.
  package var share: Double? {
    baseline.median == 0 ? nil : (tonight - baseline.median) / abs(baseline.median)
  }

  /// Tonight's deviation in margins: beyond 1 it matters.
  package var deviation: Double { deviations.last ?? .nan }

  /// The median of what it measured on the last three nights of the pool, in margins.
  fileprivate var recent: Double {
    (try? Sample(deviations.suffix(FleetLimits.recentNights).filter(\.isFinite)))?.median ?? 0
  }
}

/// A host that is not judged tonight.
package struct AbsentHost: Hashable, Sendable {
  package let host: String
  package let reason: Reason

  /// The raw value is the name used in JSON and reports.
  package enum Reason: String, Codable, Sendable {
    /// It has no value tonight.
    case missing

    /// It has fewer than 5 nights to compare with.
    case new
  }
}

// MARK: - The verdict

extension HostPool {
  /// What the hosts say together of tonight.
  package enum Verdict: Hashable, Sendable {
    /// There are fewer than 4: each is judged for itself.
    case tooFewHosts

    /// Of two or three hosts, one has changed and another has not.
    case differs

    /// The pooled series has fewer than 5 nights to compare with.
    case new

    case quiet

    /// Most hosts have changed in the same way, so it is probably the code; a proof has the last word.
    case suspicion(Alert.Direction)

    /// These hosts are off the others, which are as they were.
    case machine([String])
  }

  /// The verdict of tonight; a pooled suspicion comes before a host that is off the others.
  package var verdict: Verdict {
    guard let judgement else { return differs ? .differs : .tooFewHosts }
    if let direction = suspected { return .suspicion(direction) }
    let named = peers.filter { $0.isNamed && !$0.isQuarantined }.map(\.host)
    guard named.isEmpty else { return .machine(named) }
    return judgement.baseline == nil ? .new : .quiet
  }

  /// Which way the pooled series is suspected to have changed, with the agreement of the hosts.
  package var suspected: Alert.Direction? {
    guard let judgement, judgement.isSuspicious, let direction = judgement.suspicion?.direction,
      FleetLimits.isTwoThirds(agreeing(direction).count, of: pool.count)
    else { return nil }
    return direction
  }

  /// The pooled hosts that have changed this way, ascending by name.
  ///
  /// A host agrees when the median of its last three nights is more than half a margin off. A change that
  /// puts two thirds of the hosts one and a half margins off need not wait for that: then tonight counts.
  ///
  /// - Parameter direction: The way.
  /// - Returns: Their names.
  package func agreeing(_ direction: Alert.Direction) -> [String] {
    let (pool, sign) = (pool, direction.sign(of: key.metric))
    let lasting = pool.filter { sign * $0.recent > FleetLimits.agreeing }
    let sudden = pool.count { sign * $0.deviation > FleetLimits.agreeingTonight }
    let isSudden =
      !FleetLimits.isTwoThirds(lasting.count, of: pool.count)
      && FleetLimits.isTwoThirds(sudden, of: pool.count)
    let agreeing = isSudden ? pool.filter { sign * $0.deviation > FleetLimits.agreeing } : lasting
    return agreeing.map(\.host)
  }

  /// The pooled hosts that say something else than all of them together, ascending by name: with a
  /// suspicion those that do not agree, else those that would be suspected if each were alone.
  package var dissenting: [String] {
    guard let suspected else { return pool.filter { $0.direction != nil }.map(\.host) }
    let agreeing = Set(agreeing(suspected))
    return pool.map(\.host).filter { !agreeing.contains($0) }
  }

  /// The pooled deviation of tonight, as a share of the level; nil without a pooled baseline.
  package var share: Double? {
    guard let judgement, let tonight = judgement.tonight, let baseline = judgement.baseline,
      baseline.median != 0
    else { return nil }
    return (tonight.median - baseline.median) / abs(baseline.median)
  }

  /// Whether one host has changed in a way that another one has not, not even by half a margin.
  private var differs: Bool {
    let signs = Set(pool.compactMap { $0.direction?.sign(of: key.metric) })
    return signs.contains { sign in
      pool.contains { sign * $0.deviation <= FleetLimits.agreeing }
    }
  }
}

extension [HostPool] {
  /// The same pools, with what the false-discovery control over all their pooled series says of each.
  package func controllingFalseDiscoveries() -> Self {
    var pools = self
    let places = indices.filter { self[$0].judgement != nil }
    let judged = places.compactMap { self[$0].judgement }.controllingFalseDiscoveries()
    for (place, judgement) in zip(places, judged) { pools[place].judgement = judgement }
    return pools
  }
}

// MARK: - Nights of many hosts

/// The nights that any host of a pool has, and every host's value by night.
private struct FleetCalendar {
  /// Ascending, the last is tonight.
  let nights: [String]

  private let dates: [Date]
  private let places: [String: Int]

  init(_ series: [HostSeries], tonight: String) {
    var dates = [tonight: Date.distantFuture]
    for night in series.lazy.flatMap(\.nights) where night.night <= tonight {
      dates[night.night] = min(dates[night.night] ?? .distantFuture, night.startedAt)
    }
    let sorted = dates.sorted { $0.key < $1.key }
    nights = sorted.map(\.key)
    self.dates = sorted.map(\.value)
    places = Dictionary(uniqueKeysWithValues: zip(nights, nights.indices))
  }

  /// The values of a host by the place of the night; not a number without one.
  func values(of series: HostSeries) -> [Double] {
    var values = [Double](repeating: .nan, count: nights.count)
    for night in series.nights where night.median.isFinite {
      if let place = places[night.night], values[place].isNaN { values[place] = night.median }
    }
    return values
  }

  /// A chain of the nights that have a value.
  func chain(
    _ key: SeriesKey,
    _ points: [(n: Int, median: Double, deviation: Double)],
    alerts: [Alert] = []
  ) -> SeriesChain {
    let places = points.indices.filter { points[$0].median.isFinite }
    return SeriesChain(
      key: key,
      points: places.map { place in
        SeriesPoint(
          run: nights[place],
          startedAt: dates[place],
          n: points[place].n,
          median: points[place].median,
          medianAbsoluteDeviation: points[place].deviation
        )
      },
      nights: [],
      breaks: [],
      alerts: alerts,
      isTonight: places.last == nights.count - 1
    )
  }

  /// Which nights may enter a baseline.
  func clean(_ key: SeriesKey, alerts: [Alert], rule: RegressionRule) -> [Bool] {
    var isClean = [Bool](repeating: alerts.isEmpty, count: nights.count)
    guard !alerts.isEmpty else { return isClean }
    let all = chain(key, nights.map { _ in (1, 0, 0) }, alerts: alerts)
    let found = BaselineNights(all, before: nights.count - 1, atMost: nights.count)
    for place in found.clean { isClean[place] = true }
    return isClean
  }

  /// The pooled series.
  func chain(
    _ key: SeriesKey,
    of hosts: [PooledHost],
    at level: Double,
    rule: RegressionRule,
    alerts: [Alert]
  ) -> SeriesChain {
    let margin = rule.unit(at: level, of: key.metric)
    let points = nights.indices.map { place in
      let values = hosts.map { $0.deviations[place] }.filter(\.isFinite)
      guard FleetLimits.isTwoThirds(values.count, of: hosts.count), let sample = try? Sample(values)
      else { return (n: 0, median: Double.nan, deviation: 0.0) }
      return (
        values.count, level + margin * sample.median, margin * sample.medianAbsoluteDeviation
      )
    }
    return chain(key, points, alerts: alerts)
  }
}

extension PooledHost {
  /// Compares the host with its own baseline; nil without one, or without a value tonight.
  ///
  /// - Parameters:
  ///   - series: That of the host.
  ///   - values: Its values by the place of the night.
  ///   - key: What it measures.
  ///   - calendar: The nights of all hosts.
  ///   - clean: Which of them may enter a baseline.
  ///   - rule: That of the scenario.
  fileprivate init?(
    _ series: HostSeries,
    _ values: [Double],
    key: SeriesKey,
    on calendar: FleetCalendar,
    clean: [Bool],
    rule: RegressionRule
  ) {
    guard let tonight = values.last, tonight.isFinite else { return nil }
    let past = values.indices.map { clean[$0] && $0 < values.count - 1 ? values[$0] : .nan }
    let cleanChain = calendar.chain(key, past.map { (1, $0, 0) })
    let nights = BaselineNights(
      cleanChain,
      before: cleanChain.points.count,
      atMost: max(DetectionLimits.minNights, rule.nights)
    )
    guard let baseline = Baseline(nights.chosen.map { cleanChain.points[$0] }) else { return nil }
    var own = rule
    own.effect = series.effect ?? rule.effect
    let chain = calendar.chain(key, values.map { (1, $0, 0) })
    let last = chain.points.count - 1
    let suspicion = Suspicion(chain, at: last, from: 0, baseline: baseline, rule: own)
    let unit = own.unit(at: baseline.median, of: key.metric)
    host = series.host
    isQuarantined = series.isQuarantined
    self.baseline = baseline
    self.tonight = tonight
    deviations = values.map { ($0 - baseline.median) / unit }
    direction = suspicion.isCandidate ? suspicion.direction : nil
  }
}

extension RegressionRule {
  /// The margin, or a millionth of a level of which every change matters.
  fileprivate func unit(at level: Double, of metric: Metric) -> Double {
    max(margin(at: level, of: metric), 1e-6 * abs(level), .leastNormalMagnitude)
  }
}
