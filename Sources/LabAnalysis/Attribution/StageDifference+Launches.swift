import Foundation
package import LabModel
import LabStatistics

extension StageDifference {
  /// The fewest launches of each build that are compared.
  package static let fewestLaunches = 3

  /// How large a time is at least, as a share of the largest difference of a stage, and of the whole
  /// launch.
  package static let smallestShare = 0.05
  static let smallestShareOfLaunch = 0.001

  /// Compares the launches of two builds.
  ///
  /// A time counts where the medians differ by more than the 99 % interval of their difference, and
  /// by at least 5 % of the largest difference of a stage and a thousandth of the launch; a number
  /// where the medians differ by more than that interval. The standard error of a median is 1.2533
  /// standard deviations, which come from the median absolute deviation, divided by the square root
  /// of the count. What only one build has counts where more than half of its launches have it.
  ///
  /// - Parameters:
  ///   - before: Launches of the parent by one collector, with their shortest stages not folded.
  ///   - after: Launches of the culprit by the same collector.
  /// - Returns: Times by how much they differ, those within a stage after it; then numbers by their
  ///   ratio. Empty for fewer than ``fewestLaunches`` of either, and for different collectors.
  package static func differences(
    from before: [LaunchStages],
    to after: [LaunchStages]
  ) -> [Self] {
    guard min(before.count, after.count) >= fewestLaunches,
      Set((before + after).map(\.collector)).count == 1
    else { return [] }
    let old = StageSamples(before)
    let new = StageSamples(after)
    return times(from: old, to: new) + tallies(from: old, to: new)
  }

  // MARK: - Times

  private static func times(from old: StageSamples, to new: StageSamples) -> [Self] {
    let whole = (new.launch?.median ?? 0) - (old.launch?.median ?? 0)
    let pairs = PathPair.pairs(from: old.times, to: new.times)
    let differences = pairs.compactMap { pair -> Self? in
      guard isClear(pair.before?.sample, pair.after?.sample) else { return nil }
      let kind = (pair.after ?? pair.before)?.kind ?? .stage
      var difference = Self(
        kind: kind,
        path: pair.path,
        before: pair.before?.sample.median,
        after: pair.after?.sample.median
      )
      difference.share = whole == 0 ? nil : difference.difference / whole
      let half = halfWidth(pair.before?.sample, pair.after?.sample, confidence: 0.95)
      difference.interval = half.map { difference.difference - $0...difference.difference + $0 }
      return difference
    }
    let largest = differences.map { abs($0.difference) }.max() ?? 0
    let launch = max(new.launch?.median ?? 0, old.launch?.median ?? 0)
    let smallest = max(smallestShare * largest, smallestShareOfLaunch * launch)
    let shown = differences.filter { difference in
      abs(difference.difference) >= smallest
        || difference.kind == .library && (difference.before == nil || difference.after == nil)
    }
    return ranked(shown)
  }

  /// The largest first, and what is within a stage after it.
  private static func ranked(_ differences: [Self]) -> [Self] {
    let paths = Set(differences.map(\.path))
    let roots = differences.filter { !isWithin($0.path, oneOf: paths) }
    let order = roots.sorted {
      abs($0.difference) == abs($1.difference)
        ? $0.path < $1.path : abs($0.difference) > abs($1.difference)
    }
    return order.flatMap { root in
      [root] + ranked(differences.filter { $0.path.hasPrefix(root.path + separator) })
    }
  }

  private static func isWithin(_ path: String, oneOf paths: Set<String>) -> Bool {
    var names = path.components(separatedBy: separator)
    while names.count > 1 {
      names.removeLast()
      if paths.contains(names.joined(separator: separator)) { return true }
    }
    return false
  }

  static let separator = " > "

  // MARK: - Numbers

  private static func tallies(from old: StageSamples, to new: StageSamples) -> [Self] {
    let pairs = PathPair.pairs(from: old.tallies, to: new.tallies)
    let differences = pairs.compactMap { pair -> Self? in
      guard let before = pair.before, let after = pair.after, isClear(before, after) else {
        return nil
      }
      return Self(kind: .tally, path: pair.path, before: before.median, after: after.median)
    }
    return differences.sorted { left, right in
      left.growth == right.growth ? left.path < right.path : left.growth > right.growth
    }
  }

  /// How far the ratio of two counts is from 1, in either direction.
  private var growth: Double { abs(log(((after ?? 0) + 1) / ((before ?? 0) + 1))) }

  // MARK: - Noise

  private static func isClear(_ before: Sample?, _ after: Sample?) -> Bool {
    guard let before, let after else { return before != nil || after != nil }
    guard let half = halfWidth(before, after, confidence: 0.99) else { return true }
    return abs(after.median - before.median) > half
  }

  /// Half of the interval of the difference of two medians; what is not there has no scatter.
  private static func halfWidth(
    _ before: Sample?,
    _ after: Sample?,
    confidence: Double
  ) -> Double? {
    let samples = [before, after].compactMap(\.self)
    let count = samples.reduce(0) { $0 + $1.count }
    guard count > samples.count else { return nil }
    let variance = samples.reduce(0) { $0 + $1.squaredDeviation / Double($1.count) }
    let degrees = Double(count - samples.count)
    let score = StudentT.quantile(0.5 + confidence / 2, degreesOfFreedom: degrees)
    return score * 1.2533 * variance.squareRoot()
  }
}

extension Sample {
  fileprivate var squaredDeviation: Double { robustDeviation * robustDeviation }
}
