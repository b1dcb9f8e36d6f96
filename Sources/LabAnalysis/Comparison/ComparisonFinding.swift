package import LabModel
package import LabStatistics

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

  package var verdict: Verdict

  /// Why the verdict is inconclusive; nil when it is not.
  package var doubt: PairedComparison.Doubt?

  /// How many values of each side were compared: pairs, or the launches of the side with fewer.
  package var count: Int

  /// How many blocks gave no pair.
  package var unpaired: Int

  /// The smallest effect that such a comparison detects in 80 % of cases, as a share.
  package var smallestDetectable: Double?

  package var rule: ComparisonRule

  package init(
    pair: ComparedPair,
    state: LaunchState,
    metric: Metric,
    baselineMedian: Double? = nil,
    candidateMedian: Double? = nil,
    ratio: Double? = nil,
    interval: Interval? = nil,
    interval95: Interval? = nil,
    verdict: Verdict,
    doubt: PairedComparison.Doubt? = nil,
    count: Int,
    unpaired: Int = 0,
    smallestDetectable: Double? = nil,
    rule: ComparisonRule
  ) {
    self.pair = pair
    self.state = state
    self.metric = metric
    self.baselineMedian = baselineMedian
    self.candidateMedian = candidateMedian
    self.ratio = ratio
    self.interval = interval
    self.interval95 = interval95
    self.verdict = verdict
    self.doubt = doubt
    self.count = count
    self.unpaired = unpaired
    self.smallestDetectable = smallestDetectable
    self.rule = rule
  }

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
