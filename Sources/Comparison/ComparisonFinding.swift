import Foundation
package import LaunchCore
package import LaunchStatistics

/// What is found of one metric of two targets in one state, however their launches were made.
package struct ComparisonFinding: Hashable, Sendable {
  package var pair: ComparedPair
  package var state: LaunchState
  package var metric: Metric

  /// The medians of what was compared, in the unit of the metric; nil where there is no value.
  package var baselineMedian: Double?
  package var candidateMedian: Double?

  /// Candidate / baseline; nil where one side has no value.
  package var ratio: Double?

  /// The interval of the ratio, of the confidence of the rule.
  package var interval: Interval?

  /// The 95 % interval of the ratio, whatever the confidence of the rule.
  package var interval95: Interval?

  /// How the ratio was found; nil where it is not that of pairs.
  package var estimator: PairedRatio.Estimator?

  package var verdict: Verdict

  /// Why the verdict is inconclusive; nil when it is not.
  package var doubt: PairedComparison.Doubt?

  /// How many values of each side were compared: pairs, or the launches of the side with fewer.
  package var count: Int

  /// How many blocks gave no pair.
  package var unpaired = 0

  /// The smallest effect that such a comparison detects in 80 % of cases, as a share.
  package var smallestDetectable: Double?

  /// How many pairs with this scatter have an interval that is narrow enough for a verdict, wherever
  /// it lies; nil where that is not known.
  package var pairsNeeded: Int?

  /// What is concluded of the slow launches; nil where they are not judged, or are too few.
  package var tail: TailComparison?

  package var rule: ComparisonRule

  /// The values that stand for both sides: the median of the baseline, and of the candidate what the ratio
  /// makes of it, since medians of all launches may say something else than the pairs do.
  package var sides: (baseline: Double?, candidate: Double?) {
    guard estimator != nil, let baselineMedian, let ratio, metric.unit != .count else {
      return (baselineMedian, candidateMedian)
    }
    return (baselineMedian, baselineMedian * ratio)
  }

  /// Whether the typical launches have no verdict, so that it is not only slow launches that are open.
  package var isTypicalOpen: Bool { verdict == .inconclusive && doubt != .slowLaunches }

  /// What is to be said of slow launches, in a sentence without a full stop; nil where nothing is.
  package var slowLaunches: String? { ComparisonWords(self).slowLaunches }

  /// How far the ratio is from 1, as a share of the smaller side; 0 where there is none.
  package var effect: Double { ratio.map(PairedComparison.effect(of:)) ?? 0 }
}

extension [ComparisonFinding] {
  /// The finding that stands for all of them; nil when there is none.
  ///
  /// A regression comes before what is inconclusive, that before an improvement, and that before
  /// what is the same. Of several of a kind it is the one with the largest effect, and of equal ones
  /// the first.
  package var deciding: ComparisonFinding? {
    enumerated().max { left, right in
      (left.element.verdict.gravity, left.element.effect, right.offset)
        < (right.element.verdict.gravity, right.element.effect, left.offset)
    }?.element
  }

  /// The verdict of the deciding one.
  package var verdict: Verdict { deciding?.verdict ?? .inconclusive }
}

extension Verdict {
  /// How much a verdict among others matters.
  fileprivate var gravity: Int {
    switch self {
    case .same: 0
    case .improvement: 1
    case .inconclusive: 2
    case .regression: 3
    }
  }

  /// The exit code of a command whose result this verdict is.
  package var exitCode: LabExitCode {
    switch self {
    case .same, .improvement: .done
    case .regression: .regression
    case .inconclusive: .inconclusive
    }
  }
}

/// What is concluded from launching two targets in the same blocks: the baseline, and the candidate
/// that is judged.
///
/// The whole interval of the ratio decides, never the ratio alone. Exchanging the two targets turns
/// the ratio and the verdict over.
package struct PairedComparison: Hashable, Sendable {
  /// The pairs, one per block, in the order of the blocks.
  package let pairs: PairedRatio

  package let rule: ComparisonRule

  /// Candidate / baseline.
  package let ratio: Double

  /// The interval of the ratio, of the rule's confidence; nil for too few pairs.
  package let interval: Interval?

  package let verdict: Verdict

  /// Why the verdict is inconclusive; nil when it is not.
  package let doubt: Doubt?

  /// What is concluded of the slow launches; nil where they are not judged, or are too few.
  package let tail: TailComparison?

  /// Compares, in O(n log n).
  ///
  /// - Parameters:
  ///   - pairs: The launches that count for the typical launch.
  ///   - tail: Those that count for slow launches; without them no verdict is better than inconclusive
  ///     where the rule has a limit for them.
  ///   - rule: When the two are called different.
  package init(
    _ pairs: PairedRatio,
    tail: PairedTail? = nil,
    rule: ComparisonRule = ComparisonRule()
  ) {
    self.pairs = pairs
    self.rule = rule
    ratio = pairs.ratio
    interval = pairs.interval(confidence: rule.confidence)
    self.tail = TailComparison(tail, rule: rule)
    (verdict, doubt) = rule.judged(ratio, interval, self.tail)
  }

  /// How many pairs were compared.
  package var count: Int { pairs.count }

  /// How far the ratio is from 1, as a share of the smaller side.
  package var effect: Double { Self.effect(of: ratio) }

  /// Whether the two are called different.
  package var isDifference: Bool { verdict == .regression || verdict == .improvement }

  /// Whether more pairs are not needed: there is a verdict, or the interval is narrow enough.
  ///
  /// - Parameter precision: The half-width that is enough, as a share of the ratio.
  /// - Returns: False where there is neither.
  package func isDecided(precision: Double) -> Bool {
    if verdict != .inconclusive { return true }
    guard let interval, doubt != .slowLaunches else { return false }
    return log(interval.high / interval.low) / 2 <= log1p(precision)
  }

  /// The smallest effect that a comparison like this one detects in 80 % of cases.
  ///
  /// It is taken from the scatter of these pairs around their own location, so it can be told beside
  /// any verdict. It is a share; nil where there is no interval.
  package var smallestDetectable: Double? { smallestDetectable(pairs: count) }

  /// The same of another number of pairs, as a forecast.
  ///
  /// - Parameter number: How many pairs, at least 1.
  /// - Returns: A share; nil where there is no interval.
  package func smallestDetectable(pairs number: Int) -> Double? {
    pairs.detectableEffect(pairs: number, limit: rule.effectLimit, confidence: rule.confidence)
  }

  /// How many pairs with this scatter have an interval of at most the effect limit on either side,
  /// which is narrow enough for a verdict nearly wherever it lies.
  ///
  /// An interval becomes narrower with the root of the number of pairs.
  package var pairsNeeded: Int? {
    if doubt == .slowLaunches { return tail?.pairsNeeded }
    guard let interval, rule.effectLimit > 0 else { return nil }
    let share = log(interval.high / interval.low) / 2 / log1p(rule.effectLimit)
    return Int(clamping: (Double(count) * share * share).rounded(.up))
  }

  /// What stands in the way of a verdict; the raw value is the name used in JSON and reports.
  package enum Doubt: String, Codable, CaseIterable, Sendable {
    /// There are too few pairs for an interval.
    case fewPairs = "few-pairs"

    /// The interval reaches across a limit.
    case wideInterval = "wide-interval"

    /// The typical launches would have a verdict, but more slow launches are not excluded.
    case slowLaunches = "slow-launches"

    /// The two would be called different, by less than this host can tell from its noise.
    case belowNoiseFloor = "below-noise-floor"

    /// Too many launches of the run were disturbed or unsettled.
    case disturbed

    /// The two come from two runs, and the history of their scenario does not tell how much runs
    /// differ.
    case notInterleaved = "not-interleaved"

    /// The two come from two runs on hosts that are not alike.
    case differentHosts = "different-hosts"

    /// The two come from two runs that held the machine still in different ways.
    case differentControls = "different-controls"
  }

  /// How far a ratio is from 1, as a share of the smaller side.
  package static func effect(of ratio: Double) -> Double { max(ratio, 1 / ratio) - 1 }
}
