package import LaunchCore
import LaunchStatistics

/// Tells whether the median launch of every target is as exact as the scenario asks for.
///
/// The control counts, since code is told from machine by it. The floor does not: nothing is
/// concluded from it alone, and its interval is wide in relation to its few hundred microseconds.
/// Counter and collector launches have a number of their own.
package struct PrecisionRule: StoppingRule {
  /// How sure the intervals of all looks are together.
  package static let overallConfidence = 0.95

  /// The half-width that is enough, as a share of the median.
  private let precision: Double

  /// How sure the interval of one look is.
  private let confidence: Double

  /// Per index of an arm that counts, its launch times in nanoseconds.
  private var values: [Int: [Double]]

  /// Prepares for the launches of a plan.
  ///
  /// - Parameters:
  ///   - plan: What is launched; its looks divide the confidence.
  ///   - precision: The half-width that is enough, as a share of the median, above 0.
  package init(plan: Plan, precision: Double) {
    self.precision = precision
    confidence = BonferroniCorrection.confidence(Self.overallConfidence, looks: plan.looks.count)
    let counted = plan.arms.indices.filter { index in
      plan.arms[index].kind == .plain && plan.arms[index].target != Arm.emptyTarget
    }
    values = Dictionary(uniqueKeysWithValues: counted.map { ($0, []) })
  }

  /// Takes in a launch of a complete block, unless its time is none of the result.
  ///
  /// - Parameter record: Launches that were not ready, were disturbed, or did not reach their state
  ///   are left out, as in the result.
  package mutating func add(_ record: LaunchRecord) {
    if case .notReached = record.stateReached { return }
    guard record.result.outcome == .ready, !record.isDisturbed,
      let launch = record.result.launch
    else { return }
    values[record.arm]?.append(Double(launch.count))
  }

  /// Whether the interval of every median is narrow enough.
  ///
  /// - Parameter look: An index into the plan's looks; every look asks for the same.
  /// - Returns: False also while an arm has fewer than 5 values.
  package func isEnough(atLook look: Int) -> Bool {
    values.values.allSatisfy(isExact)
  }

  private func isExact(_ values: [Double]) -> Bool {
    guard values.count >= Plan.fewestForPrecision, let sample = try? Sample(values) else {
      return false
    }
    let interval = sample.medianInterval(confidence: confidence)
    return (interval.high - interval.low) / 2 <= precision * sample.median
  }
}

extension Plan {
  /// What ends a run of the plan; nil for a fixed number of launches.
  var precisionRule: PrecisionRule? {
    scenario.adaptive.map { PrecisionRule(plan: self, precision: $0.precision) }
  }

  /// An interval of fewer values says nothing.
  fileprivate static let fewestForPrecision = 5
}

/// Sees the launches of complete blocks, and tells at a look whether there are enough of them.
package protocol StoppingRule: Sendable {
  /// Takes in a launch of a complete block.
  mutating func add(_ record: LaunchRecord)

  /// Whether the run may end.
  ///
  /// - Parameter look: An index into the plan's looks, never that of the last one.
  /// - Returns: True when more launches would not make the result better than was asked for.
  func isEnough(atLook look: Int) -> Bool

  /// What stands in the way of an answer, told once.
  ///
  /// - Parameter look: An index into the plan's looks, at which there are not enough launches.
  /// - Returns: Nil where an answer is likely.
  func outlook(atLook look: Int) -> ComparisonOutlook?
}

extension StoppingRule {
  package func outlook(atLook look: Int) -> ComparisonOutlook? { nil }
}

/// Why no verdict is likely in the time that a comparison has.
package struct ComparisonOutlook: Hashable, Sendable {
  /// How long the launches may take, and how many pairs that is.
  package var time: Nanoseconds
  package var pairs: Int

  /// The smallest effect that so many pairs detect in 80 % of cases, as a share.
  package var detectable: Double

  /// What an effect must exceed, as a share.
  package var effectLimit: Double

  /// How many pairs tell so small an effect apart, and how long they take.
  package var pairsNeeded: Int
  package var timeNeeded: Nanoseconds

  package init(
    time: Nanoseconds,
    pairs: Int,
    detectable: Double,
    effectLimit: Double,
    pairsNeeded: Int,
    timeNeeded: Nanoseconds
  ) {
    self.time = time
    self.pairs = pairs
    self.detectable = detectable
    self.effectLimit = effectLimit
    self.pairsNeeded = pairsNeeded
    self.timeNeeded = timeNeeded
  }
}
