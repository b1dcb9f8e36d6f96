import Foundation
import LaunchCore
import LaunchStatistics

// The share of slow launches, a series beside the launch time.
//
// A median does not see that a tenth of the launches takes twice as long. So slow launches are counted,
// relative to the median of their own night, and `SlowCount` says whether there are more of them than on the
// nights of the baseline. Such a suspicion is settled as any other: by a comparison of the builds.

extension SeriesPoint {
  /// The launches divided by their median; empty for a series of anything else.
  var ratios: [Double] {
    guard let launches,
      let median = (try? Sample(launches.filter { $0 < Self.never }))?.median, median > 0
    else { return [] }
    return launches.map { $0 / median }
  }
}

extension SeriesChain {
  /// The same chain with the share of slow launches as the value of each night.
  ///
  /// The limit is that of tonight's baseline for all nights, so that they can be compared.
  func counted(by rule: RegressionRule) -> Self {
    let end = isTonight ? points.count - 1 : points.count
    let nights = max(DetectionLimits.minNights, rule.nights)
    let baseline = BaselineNights(self, before: end, atMost: nights).chosen
    let limit = SlowCount.limit(of: baseline.map { points[$0].ratios })
    let shares = points.map { point in
      var counted = point
      let slow = point.ratios.count { $0 > limit }
      let interval = ShareInterval.exact(slow, of: point.n)
      counted.median = 100 * Double(slow) / Double(point.n)
      counted.intervalLow = 100 * interval.low
      counted.intervalHigh = 100 * interval.high
      return counted
    }
    return SeriesChain(
      key: key,
      points: shares,
      nights: self.nights,
      breaks: breaks,
      alerts: alerts,
      isTonight: isTonight
    )
  }
}

extension [SeriesPoint] {
  /// The share of slow launches of some nights together, in percent; nil for a series of anything else.
  var pooledShare: Double? {
    let launches = reduce(0) { $0 + $1.n }
    guard launches > 0, allSatisfy({ $0.launches != nil }) else { return nil }
    return reduce(0) { $0 + $1.median * Double($1.n) } / Double(launches)
  }
}

// MARK: - Suspicion

extension Suspicion {
  /// Judges the slow launches of one night: by their count, and not by levels.
  ///
  /// - Returns: A suspicion that never speaks for a change where the baseline has no launches.
  init(slowLaunchesOf chain: SeriesChain, at index: Int, from start: Int, baseline: Baseline) {
    let runs = Set(baseline.runs)
    let nights = chain.points.filter { runs.contains($0.run) }.map(\.ratios)
    let recent = Array(max(start, index - 2)...index)
    isBlind = false
    direction = .worse
    guard let count = SlowCount(baseline: nights) else {
      (isBeyondPrediction, isTwoOfThree, isBeyondMargin) = (false, false, false)
      (probability, onset, criteria) = (1, index, [])
      return
    }
    func tail(_ places: some Collection<Int>) -> Double {
      let slow = places.reduce(0) { $0 + count.count(of: chain.points[$1].ratios) }
      let launches = places.reduce(0) { $0 + chain.points[$1].n }
      return count.upperTail(slow, of: launches, nights: places.count)
    }
    func share(_ place: Int) -> Double {
      let ratios = chain.points[place].ratios
      return ratios.isEmpty ? 0 : Double(count.count(of: ratios)) / Double(ratios.count)
    }
    let limit = DetectionLimits.slowProbability
    let (tonight, together) = (tail([index]), tail(recent))
    isBeyondPrediction = tonight <= limit
    isTwoOfThree = recent.count == 3 && together <= limit
    isBeyondMargin = share(index) > count.share
    probability = min(1, 2 * min(tonight, recent.count == 3 ? together : 1))
    var first = index
    let oldest = max(start, index - DetectionLimits.memory)
    while first > oldest, share(first - 1) > count.share + count.deviation { first -= 1 }
    onset = first
    criteria = Self.criteria(
      count,
      share: share(index),
      tails: (tonight, together),
      nights: baseline.runs.count,
      runs: recent.map { chain.points[$0].run }
    )
  }

  /// Everything that was looked at, in the order of the rule.
  private static func criteria(
    _ count: SlowCount,
    share: Double,
    tails: (tonight: Double, together: Double),
    nights: Int,
    runs: [String]
  ) -> [Criterion] {
    let limit = DetectionLimits.slowProbability
    let tonight = [runs[runs.count - 1]]
    return [
      Criterion(
        id: CriterionID.slowLimit,
        text: "a slow launch / the night's median",
        value: count.limit,
        n: nights,
        unit: .ratio
      ),
      Criterion(
        id: CriterionID.slowBaseline,
        text: "share of slow launches of the baseline",
        value: count.share,
        n: nights,
        unit: .share
      ),
      Criterion(
        id: CriterionID.slowCorrelation,
        text: "how much more the count scatters from night to night than by chance (ρ)",
        value: count.correlation,
        n: nights,
        unit: .share
      ),
      Criterion(
        id: CriterionID.slowShare,
        text: "tonight's share of slow launches",
        value: share,
        limit: count.share,
        isMet: share > count.share,
        n: 1,
        unit: .share,
        runs: tonight
      ),
      Criterion(
        id: CriterionID.slowTonight,
        text: "p-value of tonight's count if nothing changed",
        value: tails.tonight,
        limit: limit,
        isMet: tails.tonight <= limit,
        n: 1,
        unit: .probability,
        runs: tonight
      ),
      Criterion(
        id: CriterionID.slowTogether,
        text: "p-value of the count of the last three nights together if nothing changed",
        value: tails.together,
        limit: limit,
        isMet: runs.count == 3 && tails.together <= limit,
        n: runs.count,
        unit: .probability,
        runs: runs
      ),
    ]
  }
}

// MARK: - Budget

extension BudgetCheck {
  /// How many of the newest nights of a build are counted together at most, and how many of any build.
  private static let mostNights = 28
  private static let nightsOfAnyBuild = 7

  /// Holds the share of slow launches against its limit, by the exact interval of nights together.
  ///
  /// A night has too few launches to keep a limit by itself. The nights of tonight's build decide; where
  /// they are too few, the last seven do, unless tonight's build by itself is on the other side of the
  /// limit.
  ///
  /// - Parameters:
  ///   - budget: That of slow launches.
  ///   - points: Those that may be compared with tonight, ascending, tonight the last; none without a
  ///     value tonight.
  ///   - nights: By run, those that tell builds apart.
  init(_ budget: Budget, slowLaunchesOf points: [SeriesPoint], nights: [String: Night]) {
    let tonight = points.last.flatMap { nights[$0.run] }
    let own = points.suffix(Self.mostNights).reversed().prefix { point in
      guard let tonight, let night = nights[point.run] else { return point.run == points.last?.run }
      return night.run == tonight.run || night.isSameBuild(as: tonight, of: budget.target)
    }
    let check = Self(budget, pooled: Array(own))
    let wider = Self(budget, pooled: Array(points.suffix(Self.nightsOfAnyBuild)))
    let agrees = (wider.outcome == .broken) == ((check.median ?? 0) > budget.maximum)
    self =
      check.outcome == .undecided && own.count < Self.nightsOfAnyBuild && agrees ? wider : check
  }

  private init(_ budget: Budget, pooled points: [SeriesPoint]) {
    let launches = points.reduce(0) { $0 + $1.n }
    let slow = points.reduce(0) { $0 + $1.slowLaunches(over: budget.over) }
    guard launches > 0 else {
      self.init(budget: budget, median: nil, low: nil, high: nil, outcome: .unmeasured)
      return
    }
    let share = 100 * Double(slow) / Double(launches)
    let interval = ShareInterval.exact(slow, of: launches)
    let (low, high) = (100 * interval.low, 100 * interval.high)
    self.init(
      budget: budget,
      median: share,
      low: low,
      high: high,
      outcome: budget.outcome(share, interval: (low, high))
    )
  }
}

extension SeriesPoint {
  /// How many launches take longer; without a time, how many of the share are slow.
  fileprivate func slowLaunches(over time: Nanoseconds?) -> Int {
    guard let time else { return Int((median * Double(n) / 100).rounded()) }
    return launches?.count { $0 > Double(time.count) } ?? 0
  }
}
