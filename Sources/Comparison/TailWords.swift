import Foundation
import LaunchCore
import LaunchStatistics
import Rendering

/// What a comparison found of slow launches, in sentences.
struct TailWords {
  private let tail: TailComparison
  private let finding: ComparisonFinding

  init(_ tail: TailComparison, of finding: ComparisonFinding) {
    self.tail = tail
    self.finding = finding
  }

  /// Whether slow launches decided the verdict.
  var isDecisive: Bool {
    let typical = finding.ratio.map { finding.rule.judged($0, finding.interval).verdict }
    return switch finding.verdict {
    case .regression: typical != .regression
    case .improvement: typical != .improvement
    case .same, .inconclusive: false
    }
  }

  /// Such as `B is slower in some launches: 27 % of them take about 2.0 times as long (A: 1 %; +26 points,
  /// +15 to +38); typical launch +2.7 % (-0.5 % to +8.4 %), mean +29 %, 160 pairs: 43 with only B slow, 1
  /// with only A`.
  ///
  /// - Parameters:
  ///   - place: The metric and state where they are named, with a blank before each.
  ///   - unit: What the values of each side are called.
  /// - Returns: A sentence without a full stop.
  func sentence(at place: String, counting unit: (String, plural: String)) -> String {
    let (baseline, candidate) = finding.pair.sides
    let isWorse = finding.verdict == .regression
    let head = isWorse ? "slower in some" : "slow in fewer"
    let count = Quantity.count(tail.pairs.count, unit.0, plural: unit.plural)
    return "\(candidate) is \(head) launches\(place): \(shares(baseline)); \(rest), \(count): "
      + counts(baseline, candidate)
  }

  private func shares(_ baseline: String) -> String {
    let shares = tail.shares
    let difference = shares.difference
    let points = [difference.low, difference.high].map(Self.signedPoints)
    let own = Self.whole(shares.candidate)
    let bounds = "\(points[0]) to \(points[1]) points"
    // What was found close to the limit of what can be found is likely less than it looks.
    guard tail.isNearLimit, difference.low > 0 || difference.high < 0 else {
      let all = Self.signedPoints(shares.candidate - shares.baseline)
      let other = "\(baseline): \(Self.whole(shares.baseline))"
      return "\(own) of them \(slowness) (\(other); \(all), \(bounds))"
    }
    let least = difference.low > 0 ? difference.low : -difference.high
    let direction = difference.low > 0 ? "more" : "fewer"
    return
      "at least \(Quantity.percent(least)) \(direction) of them than of \(baseline) \(slowness) "
      + "(\(bounds))"
  }

  private var slowness: String {
    guard let ratio = tail.slowness, ratio.isFinite else { return "fail or run out of time" }
    return ratio < 1.95
      ? "take about \(Quantity.percent(ratio - 1)) longer"
      : "take about \(ComparisonWords.times(ratio)) times as long"
  }

  private var rest: String {
    let words = ComparisonWords(finding)
    let interval = words.interval.map { " (\($0))" } ?? ""
    return ["typical launch \(words.change)\(interval)", mean].compactMap(\.self).joined(
      separator: ", "
    )
  }

  /// The mean as a change, such as `mean +29 % (+12 % to +49 %)`.
  var mean: String? {
    tail.mean.map { mean in
      let bounds = mean.interval.map {
        " (\(ComparisonWords.change($0.low)) to \(ComparisonWords.change($0.high)))"
      }
      return "mean \(ComparisonWords.change(mean.ratio))\(bounds ?? "")"
    }
  }

  private func counts(_ baseline: String, _ candidate: String) -> String {
    let isWorse = tail.worse.probability <= tail.better.probability
    let evidence = isWorse ? tail.worse : tail.better
    let sides = isWorse ? (candidate, baseline) : (baseline, candidate)
    return "\(evidence.onlyCandidate) with only \(sides.0) slow, "
      + "\(evidence.onlyBaseline) with only \(sides.1)"
  }

  /// Such as `26 %`, or `1.3 %`.
  private static func whole(_ share: Double) -> String {
    share == 0 ? "0 %" : Quantity.percent(share)
  }

  private static func signedPoints(_ share: Double) -> String {
    String(format: "%+.0f", 100 * share).replacing("-", with: "−")
  }
}
