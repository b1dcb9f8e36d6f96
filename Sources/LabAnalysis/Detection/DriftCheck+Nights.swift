import Foundation
import LabModel
import LabStatistics

/// Holds the newest nights of a series against those of long ago.
struct DriftComparison {
  /// How many of the newest nights are taken together.
  static let newest = 7

  /// How many days before and after a moment of long ago count as then.
  static let reach = 3.0

  /// The fewest nights on either side.
  static let fewest = 5

  static let day: TimeInterval = 86_400

  private let chain: SeriesChain
  private let rule: RegressionRule
  private let releases: [Release]

  init(_ chain: SeriesChain, rule: RegressionRule, releases: [Release]) {
    self.chain = chain
    self.rule = rule
    self.releases = releases
  }

  /// The checks against 30 and 90 nights ago and each release that there are nights of.
  ///
  /// Nights on the other side of a break are never taken.
  func checks() -> [DriftCheck] {
    guard chain.isTonight, let tonight = chain.points.last?.startedAt else { return [] }
    let distant = [30, 90].compactMap { nights in
      check("\(nights) nights ago", around: tonight - Double(nights) * Self.day)
    }
    let named = releases.compactMap { release in
      moment(of: release).flatMap { check("release \(release.name)", around: $0) }
    }
    return distant + named
  }

  /// When a release was measured: by its date, its run, or the first night of its commit.
  private func moment(of release: Release) -> Date? {
    let anchor = release.anchor
    if let day = try? Date(anchor, strategy: .iso8601.year().month().day()) {
      return day + Self.day / 2
    }
    let night = chain.nights.first { night in
      night.run.hasPrefix(anchor) || night.build?.commit.hasPrefix(anchor) == true
    }
    return night?.startedAt
  }

  private func check(_ against: String, around moment: Date) -> DriftCheck? {
    let part = chain.partStart..<chain.points.count
    let now = Array(part.suffix(Self.newest))
    let then = part.filter { index in
      let distance = chain.points[index].startedAt.timeIntervalSince(moment)
      return abs(distance) <= Self.reach * Self.day + Self.day / 2 && index < (now.first ?? 0)
    }
    guard then.count >= Self.fewest, now.count >= Self.fewest,
      let before = try? Sample(then.map { chain.points[$0].median }),
      let after = try? Sample(now.map { chain.points[$0].median }),
      let ratio = try? IndependentRatio(before: before.values, after: after.values),
      let interval = ratio.interval(confidence: DriftCheck.confidence)
    else { return nil }
    let explained = explained(after: then[then.count - 1])
    let low = interval.low / explained
    let high = interval.high / explained
    let upper = 1 + rule.effect
    let change = abs(after.median / explained - before.median)
    let isBeyond = low > upper || high < 1 / upper
    return DriftCheck(
      against: against,
      before: before.median,
      now: after.median,
      low: interval.low,
      high: interval.high,
      unexplained: after.median / before.median / explained,
      isBeyond: isBeyond && change > rule.floor(of: chain.key.metric),
      reference: chain.points[then[then.count / 2]].run,
      nights: then.map { chain.points[$0].run },
      newest: now.map { chain.points[$0].run }
    )
  }

  /// The product of the ratios of steps after a night that have an alert.
  private func explained(after index: Int) -> Double {
    chain.alerts.reduce(1) { product, alert in
      guard alert.isSettledStep, let onset = chain.index(of: alert.onset), onset > index else {
        return product
      }
      return product * alert.after / alert.before
    }
  }
}
