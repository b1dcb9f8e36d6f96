package import LabModel
import LabStatistics

/// What a self-test finds of one state.
package struct StateNoise: Hashable, Sendable {
  /// What is kept of the host.
  package var noise: HostNoise

  /// All pairs, compared as two different programs would be.
  package var comparison: PairedComparison

  package var alarms: FalseAlarms

  /// How many blocks gave no pair.
  package var unpaired: Int

  /// The numbers of pairs that the detectable effect is told for, as far as there are so many.
  package static let usualPairs = [10, 20, 50, 100]

  /// Takes the launches of one state of a self-test; nil for fewer than 5 pairs, of which nothing
  /// can be said.
  ///
  /// - Parameters:
  ///   - state: One of the plan's.
  ///   - pairs: The launches of the program as A and as B.
  ///   - run: The run of these launches.
  ///   - command: What was launched.
  ///   - rule: When the two are called different.
  package init?(
    of state: LaunchState,
    pairs: LaunchPairs,
    run: RunRecord,
    command: [String],
    rule: ComparisonRule = ComparisonRule()
  ) {
    let found = pairs.pairs(in: state)
    guard found.count >= Sample.fewestForInterval, let ratio = pairs.ratio(in: state),
      let all = try? Sample(found.flatMap { [$0.baseline, $0.candidate] })
    else { return nil }
    comparison = PairedComparison(ratio, rule: rule)
    alarms = FalseAlarms(of: ratio, rule: rule)
    unpaired = pairs.unpaired(in: state)
    let variations = [found.map(\.baseline), found.map(\.candidate)].compactMap { values in
      (try? Sample(values))?.estimates.coefficientOfVariation
    }
    let numbers = Set(Self.usualPairs.filter { $0 < ratio.count } + [ratio.count]).sorted()
    noise = HostNoise(
      run: run.id,
      measuredAt: run.startedAt,
      fingerprint: run.host.fingerprint,
      command: command,
      state: state,
      pairs: ratio.count,
      median: all.median,
      coefficientOfVariation: variations.max() ?? 0,
      detectable: numbers.compactMap { number in
        ratio.detectableEffect(
          pairs: number,
          limit: rule.effectLimit,
          confidence: rule.confidence,
          seed: run.plan.seed
        )
        .map { DetectableEffect(pairs: number, effect: $0) }
      },
      comparisons: alarms.comparisons,
      falseAlarms: alarms.alarms
    )
  }
}

extension HostNoise {
  /// The noise floor for a comparison of some pairs: the effect that so many pairs detect.
  ///
  /// - Returns: That of the largest number that is not above `pairs`; nil when each is.
  package func floor(pairs: Int) -> Double? {
    detectable.filter { $0.pairs <= pairs }.max { $0.pairs < $1.pairs }?.effect
  }

  /// The effect that exactly so many pairs detect, if it is known.
  package func effect(pairs: Int) -> Double? { detectable.first { $0.pairs == pairs }?.effect }
}
