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
  /// nil for fewer than 5 hosts, or too few nights.
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
    let pool = hosts.filter { !$0.isQuarantined }
    let peers = nights.indices.map { PeerNight(pool, at: $0) }
    let many = hosts.count > FleetLimits.manyHosts
    let recent = many ? FleetLimits.recentNightsOfMany : FleetLimits.recentNights
    let chance = FleetLimits.naming / Double(hosts.count * max(1, seriesCount))
    return hosts.compactMap { host in
      let others = host.isQuarantined ? pool.count : pool.count - 1
      let values = PeerNight.values(of: host, against: others, on: peers)
      return Self(
        host,
        values: values,
        chance: others + 1 < FleetLimits.fewestPeers ? nil : chance,
        recent: recent,
        atMost: max(DetectionLimits.minNights, rule.nights),
        nights: nights
      )
    }
  }

  /// - Parameters:
  ///   - host: The host.
  ///   - values: Against the others, by the place of the night; not a number without one.
  ///   - chance: How often it may be named on one side without a change; nil for never.
  ///   - recent: How many of the newest nights speak for it.
  ///   - atMost: How many nights a baseline has at most.
  ///   - nights: The labels of all nights.
  private init?(
    _ host: PooledHost,
    values: [Double],
    chance: Double?,
    recent: Int,
    atMost: Int,
    nights: [String]
  ) {
    let places = values.indices.filter { values[$0].isFinite }
    let spare = DetectionLimits.leftOut
    let before = places.dropLast(recent).dropLast(spare).suffix(atMost)
    let points = before.map { place in
      SeriesPoint(run: nights[place], startedAt: .distantPast, n: 1, median: values[place])
    }
    guard let baseline = Baseline(points) else { return nil }
    self.host = host.host
    isQuarantined = host.isQuarantined
    deviation = baseline.standardDeviation
    disturbed = baseline.outliers.count
    self.nights = baseline.runs.count
    let newest = places.suffix(recent).map { values[$0] }
    guard let chance, places.last == nights.count - 1, let now = try? Sample(newest) else {
      (shift, limit) = (nil, nil)
      return
    }
    let n = Double(baseline.keptCount)
    let quantile = StudentT.quantile(1 - chance, degreesOfFreedom: n - 1)
    let error = (1 / n + Double.pi / 2 / Double(recent)).squareRoot()
    shift = now.median - baseline.median
    limit = max(1, quantile * baseline.standardDeviation * error)
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
    // Of equal values it does not matter which is left out.
    let left = value.flatMap { sorted.firstIndex(of: $0) } ?? sorted.count
    let count = value == nil ? sorted.count : sorted.count - 1
    let isEnough = count >= FleetLimits.fewestPeers - 1
    guard count > 0, isEnough || FleetLimits.isTwoThirds(count, of: others) else { return nil }
    func at(_ rank: Int) -> Double { sorted[rank < left ? rank : rank + 1] }
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
