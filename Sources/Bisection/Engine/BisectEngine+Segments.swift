import LaunchCore
import LaunchStatistics

extension BisectEngine {
  /// Begins to search a part of the range.
  mutating func begin(_ segment: BisectSegment) {
    self.segment = segment
    // A size of 0, as where the search is forced, would leave nothing to look for.
    self.segment.effect = max(segment.effect, parameters.minimumEffect / 2, 1e-4)
    phase = .search
    target = nil
    confirmFailures = 0
    vetoes = []
    update()
  }

  /// Computes levels and probabilities from all that was measured in the segment.
  mutating func update() {
    let levels = levels(of: segment.lower...segment.upper)
    noise = levels.scale
    let priors = gapPriors(levels)
    let posterior = ChangePosterior(
      levels,
      orientation: segment.orientation,
      priors: priors,
      effect: segment.effect,
      rules: rules
    )
    twoChanges = posterior.twoChanges
    jitterChances = posterior.jitters
    effect = posterior.effect
    chances = spread(posterior.gaps, levels, priors)
    doubt = rules.doubtfulPrior.map { prior in
      let other = posterior.reweighed(from: rules.jitterPrior, to: prior)
      return Doubt(chances: spread(other.gaps, levels, priors), jitterChances: other.jitters)
    }
    splitCandidate = nil
    guard twoChanges > rules.splitProbability, phase == .search else { return }
    guard let pair = posterior.likeliestPair else { return }
    split(pair, levels)
  }

  /// Computes again after builds were found to be equal.
  mutating func refresh() {
    let covered = range.revisions.reduce(0) { $0 + chances[$1] }
    if covered < 1 - 1e-9 { update() }
  }

  func levels(of segment: ClosedRange<Int>) -> BuildLevels {
    BuildLevels(batches, segment: segment, startScale: noise ?? 0.02, rules: rules)
  }

  /// How likely a change is between builds beforehand.
  private func gapPriors(_ levels: BuildLevels) -> [Double] {
    zip(levels.revisions, levels.revisions.dropFirst()).map { lower, upper in
      range.weights[(lower + 1)...upper].reduce(0, +)
    }
  }

  /// Gives the probability of each gap to its revisions, by their weights.
  private func spread(
    _ gaps: [Double],
    _ levels: BuildLevels,
    _ priors: [Double]
  ) -> [Double] {
    var chances = [Double](repeating: 0, count: self.chances.count)
    for (gap, chance) in gaps.enumerated() where priors[gap] > 0 {
      for revision in (levels.revisions[gap] + 1)...levels.revisions[gap + 1] {
        chances[revision] = chance * range.weights[revision] / priors[gap]
      }
    }
    for veto in vetoes {
      for revision in veto { chances[revision] *= 1e-4 }
    }
    let sum = chances.reduce(0, +)
    return sum > 0 ? chances.map { $0 / sum } : chances
  }

  // MARK: - Two changes

  /// Divides the segment at the best measured build between two changes, or asks to measure it.
  private mutating func split(_ pair: ChangePosterior.Pair, _ levels: BuildLevels) {
    let builds = levels.revisions
    let count = builds.count
    var middle = pair.first + 1
    for place in (pair.first + 1)...pair.second
    where levels.information[place * count + place]
      > levels.information[middle * count + middle]
    {
      middle = place
    }
    let build = builds[middle]
    guard range.isBuilt(build) else { return }
    guard rounds[build] >= rules.splitRounds else {
      splitCandidate = build
      return
    }
    splits.append(build)
    var parts = [
      BisectSegment(
        lower: segment.lower,
        upper: build,
        effect: pair.firstEffect,
        orientation: segment.orientation
      ),
      BisectSegment(
        lower: build,
        upper: segment.upper,
        effect: pair.secondEffect,
        orientation: segment.orientation
      ),
    ]
    if parts[1].effect > parts[0].effect { parts.swapAt(0, 1) }
    let least = parameters.minimumEffect / 2
    if parts[1].effect > least {
      pending.append(parts[1])
    } else if parts[1].effect < -least, parameters.findsAll {
      parts[1].effect.negate()
      parts[1].orientation.negate()
      pending.append(parts[1])
    }
    begin(parts[0])
  }

  /// Notes a change in the other direction, and looks for its revision where that can be done.
  mutating func takeOpposite(_ side: BisectSegment, _ interval: LogInterval, limit: Double) {
    opposites.append(OppositeChange(side.lower, side.upper, interval))
    let estimate = abs(interval.estimate)
    guard estimate > limit else { return }
    pending.append(
      BisectSegment(
        lower: side.lower,
        upper: side.upper,
        effect: estimate,
        orientation: -orientation
      )
    )
  }

  // MARK: - Classes

  /// The likeliest revisions that cannot be told apart.
  var bestClass: (revisions: ClosedRange<Int>, probability: Double) {
    var best = (revisions: range.last...range.last, probability: -1.0)
    for revisions in range.classes {
      let probability = chances[revisions].reduce(0, +)
      if probability > best.probability { best = (revisions, probability) }
    }
    return best
  }

  /// The smallest range around the likeliest revision that holds the change with a probability.
  func credible(_ mass: Double) -> ClosedRange<Int> {
    let revisions = range.revisions
    let chances = doubt?.chances ?? chances
    var first = 1
    for place in 1..<max(2, revisions.count)
    where chances[revisions[place]] > chances[revisions[first]] {
      first = place
    }
    var last = first
    var total = chances[revisions[first]]
    while total < mass, first > 1 || last < revisions.count - 1 {
      let left = first > 1 ? chances[revisions[first - 1]] : -1
      let right = last < revisions.count - 1 ? chances[revisions[last + 1]] : -1
      if left >= right {
        first -= 1
        total += left
      } else {
        last += 1
        total += right
      }
    }
    return range.change(at: revisions[first])...range.change(at: revisions[last])
  }

  // MARK: - Tests of two builds

  func test(_ first: Int, _ second: Int, limit: Double? = nil, looks: [Int]? = nil) -> PairTest {
    PairTest(
      pairs[PairOfBuilds(first, second)] ?? [],
      looks: looks ?? allowedLooks,
      limit: limit ?? parameters.minimumEffect,
      alpha: parameters.alpha,
      isExact: parameters.isExact
    )
  }

  /// The looks that take at most their share of all launches; the first one is always made.
  private var allowedLooks: [Int] {
    let most = rules.pairShare * Double(parameters.limits.launches)
    return rules.looks.filter { $0 <= rules.looks[0] || Double(2 * $0) <= most }
  }

  /// The scale of one launch, by the differences of pairs.
  func scale(of ratios: [Double]) -> Double {
    guard !ratios.isEmpty else { return 0.02 }
    let scale = StudentScale(
      ratios,
      degreesOfFreedom: rules.degreesOfFreedom,
      floor: rules.scaleFloor
    )
    return scale.scale / 2.0.squareRoot()
  }
}
