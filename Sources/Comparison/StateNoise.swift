import Foundation
package import LaunchCore
package import LaunchStatistics

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
    guard found.count >= PairedRatio.fewestPairs(confidence: rule.confidence),
      let ratio = pairs.ratio(in: state),
      let all = try? Sample(found.flatMap { [$0.baseline, $0.candidate] })
    else { return nil }
    let comparison = PairedComparison(ratio, rule: rule)
    self.comparison = comparison
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
          confidence: rule.confidence
        )
        .map { DetectableEffect(pairs: number, effect: comparison.told(apart: $0)) }
      },
      comparisons: alarms.comparisons,
      falseAlarms: alarms.alarms
    )
  }
}

extension PairedComparison {
  /// What an effect must be to stand out from a difference that was made up.
  ///
  /// The detectable effect is taken from the scatter around the median. Where a program was called
  /// different from itself, the host may add as much to a true effect, or take it away.
  fileprivate func told(apart effect: Double) -> Double {
    isDifference ? (1 + effect) * (1 + self.effect) - 1 : effect
  }
}

extension HostNoise {
  /// The noise floor for a comparison of some pairs: what a measured effect must reach to be one.
  ///
  /// It lies below the effect that so many pairs detect, since a true effect is as often measured
  /// smaller as it is measured larger: where the detectable effect itself was asked for, half of
  /// such effects would be missed. Of the way from the effect limit to the detectable effect,
  /// z(97.5 %) / (z(97.5 %) + z(80 %)) = 0.7 is what chance alone reaches, and the rest is for the
  /// power.
  ///
  /// - Parameters:
  ///   - pairs: How many pairs are compared.
  ///   - limit: The effect limit that the noise was measured with.
  /// - Returns: That of the largest number of pairs that is not above `pairs`, or else of the
  ///   smallest one, since fewer pairs tell less; nil when nothing is known.
  package func floor(pairs: Int, limit: Double = ComparisonRule().effectLimit) -> Double? {
    let known = detectable.sorted { $0.pairs < $1.pairs }
    guard let detected = known.last(where: { $0.pairs <= pairs }) ?? known.first else { return nil }
    let reach = log1p(detected.effect) - log1p(limit)
    return expm1(log1p(limit) + Self.shareOfChance * max(0, reach))
  }

  private static let shareOfChance = 1.960 / (1.960 + 0.8416)

  /// The effect that exactly so many pairs detect, if it is known.
  package func effect(pairs: Int) -> Double? { detectable.first { $0.pairs == pairs }?.effect }
}

/// How often parts of a comparison of a program with itself call the two different.
///
/// Every window of consecutive blocks is compared as if it were a run of its own. Neighbouring
/// windows share all but one block, so their alarms come in rows: of 41 windows of 20 in 60 blocks
/// only 3 are independent. The counts show that there were alarms, not how likely one is.
package struct FalseAlarms: Hashable, Sendable {
  /// How many blocks a window has where there are so many.
  package static let usualWindow = 20

  /// How many blocks a window has.
  package var window: Int

  /// How many comparisons there were: the windows, and all blocks at once.
  package var comparisons: Int

  /// How many of them call the two different, by the whole rule.
  package var alarms: Int

  /// How many would if there were no effect limit.
  package var alarmsWithoutLimit: Int

  package init(window: Int, comparisons: Int, alarms: Int, alarmsWithoutLimit: Int) {
    self.window = window
    self.comparisons = comparisons
    self.alarms = alarms
    self.alarmsWithoutLimit = alarmsWithoutLimit
  }

  /// Compares every window.
  ///
  /// - Parameters:
  ///   - pairs: A program as baseline and as candidate.
  ///   - rule: When the two are called different.
  package init(of pairs: PairedRatio, rule: ComparisonRule = ComparisonRule()) {
    let window = min(Self.usualWindow, pairs.count)
    var parts = (0...(pairs.count - window)).compactMap { pairs.part($0..<$0 + window) }
    if pairs.count > window { parts.append(pairs) }
    let unlimited = rule.limited(to: 0)
    self.init(
      window: window,
      comparisons: parts.count,
      alarms: parts.count { PairedComparison($0, rule: rule).isDifference },
      alarmsWithoutLimit: parts.count { PairedComparison($0, rule: unlimited).isDifference }
    )
  }

  /// How many windows there are that share no block.
  package func independent(of pairs: Int) -> Int { pairs / max(1, window) }
}
