import Foundation
import LaunchCore
import LaunchStatistics

/// One host against the others of its kind, in one series.
///
/// What changes all of them, such as the code or the room, is in the median of the others as well. So
/// what remains is the machine.
package struct PeerComparison: Hashable, Sendable {
  package let host: String
  package let isQuarantined: Bool

  /// How far the median of its newest nights has moved from its baseline against the others, in margins;
  /// nil for fewer than 4 hosts, or too few nights.
  package let shift: Double?

  /// What the shift must exceed on either side; nil together with it.
  package let limit: Double?

  /// The standard deviation of its nights against the others, without disturbed ones, in margins.
  package let deviation: Double

  /// On how many nights it was an outlier against the others, and of how many.
  package let disturbed: Int
  package let nights: Int

  /// Whether its machine has probably changed.
  package var isNamed: Bool {
    guard let shift, let limit else { return false }
    return abs(shift) > limit
  }

  /// Compares every host with the others.
  ///
  /// The limit is t(1 − 0.001 / (k · series)) · s · √(1 / n + π / 2 / m) for k hosts, n nights of a baseline
  /// with the standard deviation s, and m newest nights, of whose median π / 2 / m is the variance; at least
  /// the margin. Without the division by k some host of many would be odd on every night.
  ///
  /// - Parameters:
  ///   - hosts: Those of tonight, ascending by name. Quarantined ones are compared, but not with.
  ///   - nights: The labels of all nights, the last is tonight.
  ///   - rule: That of the scenario.
  ///   - seriesCount: How many series are judged tonight.
  /// - Returns: One of each host whose nights have a baseline against the others, in the same order. Of one
  ///   or two hosts the deviation is that from their own level.
  static func all(
    _ hosts: [PooledHost],
    nights: [String],
    rule: RegressionRule,
    seriesCount: Int
  ) -> [Self] {
    let peers = Peers(hosts, nights: nights, rule: rule, seriesCount: seriesCount)
    return hosts.compactMap { host in
      let values = peers.values(of: host)
      return Self(host, values, values.indices.filter { values[$0].isFinite }, among: peers)
    }
  }

  /// - Parameters:
  ///   - host: The host.
  ///   - values: Against the others, by the place of the night; not a number without one.
  ///   - places: Those of the nights that are looked at, ascending, each with a value.
  ///   - peers: The others.
  ///   - isOld: Whether the last of these places is the night that is judged, and not tonight.
  fileprivate init?(
    _ host: PooledHost,
    _ values: [Double],
    _ places: [Int],
    among peers: Peers,
    isOld: Bool = false
  ) {
    let nights = peers.nights
    let points = peers.before(places).map { place in
      SeriesPoint(run: nights[place], startedAt: .distantPast, n: 1, median: values[place])
    }
    guard let baseline = Baseline(points) else { return nil }
    self.host = host.host
    isQuarantined = host.isQuarantined
    deviation = baseline.standardDeviation
    disturbed = baseline.outliers.count
    self.nights = baseline.runs.count
    let newest = places.suffix(peers.recent).map { values[$0] }
    guard let chance = peers.chance(of: host), isOld || places.last == nights.count - 1,
      let now = try? Sample(newest)
    else {
      (shift, limit) = (nil, nil)
      return
    }
    let n = Double(baseline.keptCount)
    let quantile = StudentT.quantile(1 - chance, degreesOfFreedom: n - 1)
    let error = (1 / n + Double.pi / 2 / Double(peers.recent)).squareRoot()
    shift = now.median - baseline.median
    limit = max(1, quantile * baseline.standardDeviation * error)
  }
}

/// The hosts of a pool, and what one of them is compared with.
private struct Peers {
  let nights: [String]

  /// How many of the newest nights speak for a host.
  let recent: Int

  private let pool: Int
  private let chance: Double
  private let atMost: Int
  private let deviations: [PeerNight]

  init(_ hosts: [PooledHost], nights: [String], rule: RegressionRule, seriesCount: Int) {
    let pool = hosts.filter { !$0.isQuarantined }
    let many = hosts.count > FleetLimits.manyHosts
    self.nights = nights
    self.pool = pool.count
    recent = many ? FleetLimits.recentNightsOfMany : FleetLimits.recentNights
    chance = FleetLimits.naming / Double(hosts.count * max(1, seriesCount))
    atMost = max(DetectionLimits.minNights, rule.nights)
    deviations = nights.indices.map { PeerNight(pool, at: $0) }
  }

  private func others(than host: PooledHost) -> Int { host.isQuarantined ? pool : pool - 1 }

  func values(of host: PooledHost) -> [Double] {
    PeerNight.values(of: host, against: others(than: host), on: deviations)
  }

  /// How often a host may be named on one side without a change; nil for never.
  func chance(of host: PooledHost) -> Double? {
    others(than: host) + 1 < FleetLimits.quorum ? nil : chance
  }

  /// Those of the places that a baseline is made of.
  func before(_ places: [Int]) -> ArraySlice<Int> {
    places.dropLast(recent).dropLast(DetectionLimits.leftOut).suffix(atMost)
  }
}

// MARK: - Earlier nights

extension PeerComparison {
  /// Says of earlier nights and of tonight whether hosts were off the others.
  ///
  /// The deviations are those from tonight's baselines: a constant that a host has on all nights does not
  /// count. A host that stayed as it was while the others changed is not named.
  ///
  /// - Parameters:
  ///   - hosts: Those of tonight, ascending by name; none is quarantined.
  ///   - wanted: Only of these hosts; nil for all.
  ///   - count: How many of the newest nights of a host.
  ///   - nights: The labels of all nights, the last is tonight.
  ///   - rule: That of the scenario.
  ///   - seriesCount: How many series are judged tonight.
  /// - Returns: By the host, by the label of each night on which it could be compared.
  static func history(
    _ hosts: [PooledHost],
    of wanted: Set<String>? = nil,
    newest count: Int,
    nights: [String],
    rule: RegressionRule,
    seriesCount: Int
  ) -> [String: [String: Bool]] {
    let peers = Peers(hosts, nights: nights, rule: rule, seriesCount: seriesCount)
    var history: [String: [String: Bool]] = [:]
    for host in hosts where wanted?.contains(host.host) ?? true {
      guard peers.chance(of: host) != nil else { continue }
      let values = peers.values(of: host)
      let places = values.indices.filter { values[$0].isFinite }
      var own: [String: Bool] = [:]
      for last in places.indices.suffix(count) {
        let seen = Array(places[...last])
        let before = peers.before(seen)
        guard before.count >= DetectionLimits.minNights else { continue }
        func shift(_ values: [Double]) -> Double {
          let newest = try? Sample(seen.suffix(peers.recent).map { values[$0] })
          let baseline = try? Sample(before.map { values[$0] })
          return (newest?.median ?? 0) - (baseline?.median ?? 0)
        }
        // The limit is a margin at least, which few hosts exceed.
        own[nights[seen[seen.count - 1]]] =
          abs(shift(values)) > 1 && abs(shift(host.deviations)) > FleetLimits.agreeing
          && Self(host, values, seen, among: peers, isOld: true)?.isNamed ?? false
      }
      history[host.host] = own
    }
    return history
  }
}

/// The deviations of the pooled hosts on one night.
private struct PeerNight {
  /// Ascending.
  private let sorted: [Double]

  private let place: Int

  init(_ pool: [PooledHost], at place: Int) {
    sorted = pool.map { $0.deviations[place] }.filter(\.isFinite).sorted()
    self.place = place
  }

  /// What a host measured against the median of the others, by night.
  ///
  /// - Parameters:
  ///   - host: The host, which counts to the pool unless it is quarantined.
  ///   - others: How many there are tonight.
  ///   - nights: All nights.
  /// - Returns: Not a number where it has no value, or fewer than two thirds of the others and fewer than
  ///   four have one. With fewer than two others, its own deviations.
  static func values(of host: PooledHost, against others: Int, on nights: [Self]) -> [Double] {
    guard others > 1 else { return host.deviations }
    return nights.map { night in
      let own = host.deviations[night.place]
      guard own.isFinite,
        let median = night.median(without: host.isQuarantined ? nil : own, of: others)
      else { return .nan }
      return own - median
    }
  }

  /// The median without one value, which is one of them.
  private func median(without value: Double?, of others: Int) -> Double? {
    let count = value == nil ? sorted.count : sorted.count - 1
    let isEnough = count >= FleetLimits.quorum
    guard count > 0, isEnough || FleetLimits.isTwoThirds(count, of: others) else { return nil }
    // Of equal values it does not matter which is left out.
    let left = value ?? .infinity
    func at(_ rank: Int) -> Double { sorted[rank] < left ? sorted[rank] : sorted[rank + 1] }
    return (at((count - 1) / 2) + at(count / 2)) / 2
  }
}

// MARK: - Hosts over all series

/// How steady a host is against the others of its kind.
package struct HostStability: Hashable, Sendable {
  package let host: String

  /// The median over its series of the standard deviation against the others, in margins.
  package let deviation: Double

  /// The share of disturbed nights over all series.
  package let disturbed: Double

  /// Ranks hosts.
  ///
  /// - Parameter comparisons: Of all series, in any order.
  /// - Returns: The steadiest first: the smallest deviation, of equal ones the fewest disturbed nights.
  ///   Quarantined hosts are left out.
  package static func ranking(_ comparisons: [PeerComparison]) -> [Self] {
    let counted = comparisons.filter { !$0.isQuarantined }
    let hosts = Dictionary(grouping: counted, by: \.host).compactMap { host, own -> Self? in
      guard let deviation = (try? Sample(own.map(\.deviation)))?.median else { return nil }
      let nights = own.reduce(0) { $0 + $1.nights }
      let disturbed = own.reduce(0) { $0 + $1.disturbed }
      return Self(
        host: host,
        deviation: deviation,
        disturbed: Double(disturbed) / Double(nights)
      )
    }
    return hosts.sorted {
      ($0.deviation, $0.disturbed, $0.host) < ($1.deviation, $1.disturbed, $1.host)
    }
  }
}

/// What the nights say of one host, in all its series together.
package struct HostStanding: Hashable, Sendable {
  package let host: String

  /// The label of the last night that counts.
  package private(set) var lastNight: String?

  /// The labels of the nights on which it was named in some series, ascending; without those that
  /// 7 quiet nights followed.
  package private(set) var namedNights: [String] = []

  /// For how many nights in a row it has not been named.
  package private(set) var quietNights = 0

  /// The label of the night since when it has been quarantined; nil if it is not.
  package private(set) var quarantinedSince: String?

  package init(host: String) { self.host = host }

  /// Counts a night on which the host was compared; one that is counted already is not counted again.
  ///
  /// - Parameters:
  ///   - night: Its label.
  ///   - isNamed: Whether it was named in some series.
  package mutating func add(_ night: String, isNamed: Bool) {
    if let lastNight, night <= lastNight { return }
    lastNight = night
    if isNamed {
      namedNights.append(night)
      quietNights = 0
      let isOften = namedNights.count >= FleetLimits.nightsToQuarantine
      if isOften, quarantinedSince == nil { quarantinedSince = night }
    } else {
      quietNights += 1
      guard quietNights >= FleetLimits.quietNights else { return }
      namedNights = []
      quarantinedSince = nil
    }
  }
}

extension [HostStanding] {
  /// Sums up the newest nights of hosts, from nothing but these nights.
  ///
  /// A host that was quiet for 7 nights is in no quarantine, whatever was before; only of others more nights
  /// are looked at. The standings are those of the hosts that were named of late, ascending by name.
  ///
  /// - Parameter pools: All series of one kind of hosts, none of them quarantined.
  init(_ pools: [HostPool]) {
    let named = pools.flatMap { pool in
      pool.peerHistory(newest: FleetLimits.quietNights).filter { $0.value.values.contains(true) }
        .keys
    }
    guard !named.isEmpty else {
      self = []
      return
    }
    let wanted = Set(named)
    var nights: [String: [String: Bool]] = [:]
    for pool in pools {
      for (host, own) in pool.peerHistory(of: wanted, newest: FleetLimits.nightsOfStanding) {
        nights[host, default: [:]].merge(own) { $0 || $1 }
      }
    }
    self = nights.map { host, own in
      var standing = HostStanding(host: host)
      for (night, isNamed) in own.sorted(by: { $0.key < $1.key }) {
        standing.add(night, isNamed: isNamed)
      }
      return standing
    }
    .sorted { $0.host < $1.host }
  }

  /// Those that are quarantined, those that have been for longest first.
  var quarantined: [HostStanding] {
    func since(_ standing: HostStanding) -> String { standing.quarantinedSince ?? "" }
    return filter { $0.quarantinedSince != nil }
      .sorted { (since($0), $0.host) < (since($1), $1.host) }
  }
}
