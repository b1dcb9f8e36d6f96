import Foundation
import LaunchCore
import LaunchStatistics

/// What the history alone says of the newest night of a series.
struct Suspicion: Sendable {
  let direction: Alert.Direction

  /// Whether tonight is beyond the prediction limit.
  let isBeyondPrediction: Bool

  /// Whether tonight and one of the two nights before are beyond the robust limit.
  let isTwoOfThree: Bool

  /// Whether tonight is beyond the effect limit and the floor.
  let isBeyondMargin: Bool

  /// Whether the nights scatter so much that three times what matters would not be beyond the
  /// prediction limit.
  let isBlind: Bool

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
    guard metric.hasLevel else {
      self.init(slowLaunchesOf: chain, at: index, from: start, baseline: baseline)
      return
    }
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
    let probability = sides.probability(of: values)
    self.init(
      direction: direction,
      isBeyondPrediction: isBeyondPrediction,
      isTwoOfThree: isTwoOfThree,
      isBeyondMargin: sides.isBeyond(value, sides.margin),
      isBlind: abs(sides.prediction - baseline.median)
        > DetectionLimits.blindMargins * abs(sides.margin - baseline.median),
      probability: probability,
      onset: sides.onset(of: chain, at: index, from: start),
      criteria: sides.criteria(
        of: values,
        runs: recent.map { chain.points[$0].run },
        beyond: beyond.count,
        rule: rule,
        probability: probability
      )
    )
  }
}

/// The limits of one side of a baseline, in the unit of the metric.
struct SuspicionLimits {
  let baseline: Baseline

  /// 1 where larger values are looked for, else -1.
  let sign: Double

  let metric: Metric

  /// The limit that one night in a thousand exceeds.
  let prediction: Double

  /// The limit that two of three nights must be beyond.
  let robust: Double

  /// The limit of what matters.
  let margin: Double

  init(_ baseline: Baseline, direction: Alert.Direction, margin: Double, metric: Metric) {
    self.baseline = baseline
    self.metric = metric
    let sign = direction.sign(of: metric)
    self.sign = sign
    let n = Double(baseline.keptCount)
    let deviation = baseline.standardDeviation * (1 + 1 / n).squareRoot()
    let quantile = StudentT.quantile(DetectionLimits.prediction, degreesOfFreedom: n - 1)
    prediction = baseline.mean + sign * quantile * deviation
    let scatter =
      DetectionLimits.robustDeviations * DetectionLimits.normalScale
      * baseline.medianAbsoluteDeviation
    robust = baseline.median + sign * max(scatter, margin)
    self.margin = baseline.median + sign * margin
  }

  /// The index of the first night of the new level, going back from the night that is judged.
  ///
  /// A night may be the first of a new level without being suspicious itself, and a comparison with
  /// its build would find nothing. So every night in a row counts to the new level that is off the
  /// median by one robust standard deviation, or half of what matters, whichever is more.
  ///
  /// - Parameters:
  ///   - chain: The nights of the series.
  ///   - index: The night that is judged.
  ///   - start: The first night that may be looked at.
  /// - Returns: At most 7 nights back.
  func onset(of chain: SeriesChain, at index: Int, from start: Int) -> Int {
    let scatter = DetectionLimits.normalScale * baseline.medianAbsoluteDeviation
    let half = abs(margin - baseline.median) / 2
    let limit = baseline.median + sign * max(scatter, half)
    var onset = index
    let oldest = max(start, index - DetectionLimits.memory)
    while onset > oldest, isBeyond(chain.points[onset - 1].median, limit) { onset -= 1 }
    return onset
  }

  func isBeyond(_ value: Double, _ limit: Double) -> Bool { sign * (value - limit) > 0 }

  /// The probability that a night without a change is at least as far on this side.
  ///
  /// A baseline without scatter allows nothing else than itself.
  private func tail(of value: Double, center: Double, deviation: Double) -> Double {
    let distance = sign * (value - center)
    guard deviation > 0 else { return distance > 0 ? 0 : 1 }
    let n = Double(baseline.keptCount)
    let score = distance / (deviation * (1 + 1 / n).squareRoot())
    return StudentT.upperTail(score, degreesOfFreedom: n - 1)
  }

  /// The probability of the last night, or of two of the last three, without a change.
  ///
  /// The single night is measured by mean and standard deviation, the pair as its limit is: by the
  /// median and the robust standard deviation.
  ///
  /// - Parameter values: The last nights, at most three, tonight the last.
  /// - Returns: Twice the smaller one, since there are two ways to be suspicious.
  func probability(of values: [Double]) -> Double {
    let single = tail(
      of: values[values.count - 1],
      center: baseline.mean,
      deviation: baseline.standardDeviation
    )
    guard values.count > 1 else { return min(1, 2 * single) }
    let robust = DetectionLimits.normalScale * baseline.medianAbsoluteDeviation
    let tails = values.map {
      tail(
        of: $0,
        center: baseline.median,
        deviation: robust > 0 ? robust : baseline.standardDeviation
      )
    }
    let second = tails.sorted()[1]
    let pair = 3 * second * second - 2 * second * second * second
    return min(1, 2 * min(single, pair))
  }
}

extension SuspicionLimits {
  /// Everything that was looked at, in the order of the rule.
  func criteria(
    of values: [Double],
    runs: [String],
    beyond: Int,
    rule: RegressionRule,
    probability: Double
  ) -> [Criterion] {
    let value = values[values.count - 1]
    let tonight = [runs[runs.count - 1]]
    let unit = Criterion.Unit(metric.unit)
    let side = sign > 0 ? "above" : "below"
    var criteria = baselineCriteria(unit)
    criteria += [
      Criterion(
        id: CriterionID.prediction,
        text: "tonight's median \(side) the 99.9 % prediction limit",
        value: value,
        limit: prediction,
        isMet: isBeyond(value, prediction),
        n: baseline.keptCount,
        unit: unit,
        runs: tonight
      ),
      Criterion(
        id: CriterionID.twoOfThree,
        text: "tonight and one of the two nights before \(side) the robust limit",
        value: value,
        limit: robust,
        isMet: beyond >= 2 && isBeyond(value, robust),
        n: beyond,
        unit: unit,
        runs: runs
      ),
    ]
    criteria += effectCriteria(value, rule: rule, runs: tonight)
    criteria.append(
      Criterion(
        id: CriterionID.probability,
        text: "p-value if nothing changed",
        value: probability,
        isMet: probability <= DetectionLimits.falseDiscoveries,
        n: values.count,
        unit: .probability,
        runs: runs
      )
    )
    return criteria
  }

  private func baselineCriteria(_ unit: Criterion.Unit) -> [Criterion] {
    func part(_ id: String, _ text: String, _ value: Double, _ runs: [String]) -> Criterion {
      Criterion(
        id: id,
        text: text,
        value: value,
        n: runs.count,
        unit: unit,
        runs: runs
      )
    }
    let kept = baseline.keptRuns
    return [
      part(CriterionID.baselineMedian, "baseline median", baseline.median, baseline.runs),
      part(
        CriterionID.baselineMAD,
        "baseline median absolute deviation",
        baseline.medianAbsoluteDeviation,
        baseline.runs
      ),
      part(CriterionID.baselineMean, "baseline mean without outliers", baseline.mean, kept),
      part(
        CriterionID.baselineDeviation,
        "baseline standard deviation without outliers",
        baseline.standardDeviation,
        kept
      ),
    ]
  }

  private func effectCriteria(_ value: Double, rule: RegressionRule, runs: [String]) -> [Criterion]
  {
    var criteria: [Criterion] = []
    let change = value - baseline.median
    if baseline.median != 0 {
      criteria.append(
        Criterion(
          id: CriterionID.effect,
          text: "relative change from the baseline median",
          value: change / abs(baseline.median),
          limit: sign * rule.effect,
          isMet: sign * change > rule.effect * abs(baseline.median),
          unit: .share,
          runs: runs
        )
      )
    }
    let floor = baseline.median == 0 ? abs(margin) : rule.floor(of: metric)
    if floor > 0 {
      criteria.append(
        Criterion(
          id: CriterionID.floor,
          text: "change from the baseline median",
          value: change,
          limit: sign * floor,
          isMet: sign * change > floor,
          unit: Criterion.Unit(metric.unit),
          runs: runs
        )
      )
    }
    return criteria
  }
}
