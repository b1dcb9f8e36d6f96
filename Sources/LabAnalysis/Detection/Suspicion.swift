import LabModel
import LabStatistics

/// What the history alone says of the newest night of a series.
struct Suspicion: Sendable {
  let direction: Alert.Direction

  /// Whether tonight is beyond the prediction limit.
  let isBeyondPrediction: Bool

  /// Whether tonight and one of the two nights before are beyond the robust limit.
  let isTwoOfThree: Bool

  /// Whether tonight is beyond the effect limit and the floor.
  let isBeyondMargin: Bool

  /// Of such a night, or such nights, without a change.
  let probability: Double

  /// The index of the first night of the new level.
  let onset: Int

  let criteria: [Criterion]

  /// Whether a rule and the effect limit speak for a change, before the false-discovery control.
  var isCandidate: Bool { (isBeyondPrediction || isTwoOfThree) && isBeyondMargin }
}

extension Suspicion {
  /// Judges one night of a chain.
  ///
  /// - Parameters:
  ///   - chain: The nights of the series.
  ///   - index: The night; later ones are not looked at.
  ///   - start: The first night that may be looked at.
  ///   - baseline: What it is held against.
  ///   - rule: That of the scenario.
  init(
    _ chain: SeriesChain,
    at index: Int,
    from start: Int,
    baseline: Baseline,
    rule: RegressionRule
  ) {
    let metric = chain.key.metric
    let value = chain.points[index].median
    let direction =
      Alert.Direction(from: baseline.median, to: value, metric: metric) ?? .worse
    let sides = SuspicionLimits(
      baseline,
      direction: direction,
      margin: rule.margin(at: baseline.median, of: metric),
      metric: metric
    )
    let recent = Array(max(start, index - 2)...index)
    let values = recent.map { chain.points[$0].median }
    let beyond = recent.filter { sides.isBeyond(chain.points[$0].median, sides.robust) }
    let isTwoOfThree = beyond.contains(index) && beyond.count >= 2
    let isBeyondPrediction = sides.isBeyond(value, sides.prediction)
    self.direction = direction
    self.isTwoOfThree = isTwoOfThree
    self.isBeyondPrediction = isBeyondPrediction
    isBeyondMargin = sides.isBeyond(value, sides.margin)
    probability = sides.probability(of: values)
    onset = sides.onset(of: chain, at: index, from: start)
    criteria = sides.criteria(
      of: values,
      runs: recent.map { chain.points[$0].run },
      beyond: beyond.count,
      rule: rule,
      probability: probability
    )
  }
}
