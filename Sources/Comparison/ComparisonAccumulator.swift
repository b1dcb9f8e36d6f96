import Foundation
package import LaunchCore
package import LaunchStatistics
package import Measuring

/// Takes in the launches of a run, and compares the targets of each pair.
package struct ComparisonAccumulator: Sendable {
  private let plan: Plan
  private let pairs: [ComparedPair]
  private let metrics: [Metric]

  /// Per pair and metric, in this order.
  private var launches: [LaunchPairs]

  /// - Parameters:
  ///   - plan: That of the run.
  ///   - pairs: Targets of the plan.
  ///   - metrics: What is compared.
  package init(plan: Plan, pairs: [ComparedPair], metrics: [Metric]) {
    self.plan = plan
    self.pairs = pairs
    self.metrics = metrics
    launches = pairs.flatMap { pair in
      metrics.map { metric in
        LaunchPairs(
          plan: plan,
          baseline: pair.baseline,
          candidate: pair.candidate,
          metric: metric
        )
      }
    }
  }

  /// Takes in one launch.
  ///
  /// - Parameter record: Its arm is one of the plan's.
  package mutating func add(_ record: LaunchRecord) {
    for index in launches.indices { launches[index].add(record) }
  }

  /// Whether every comparison has an answer: a verdict, or an interval that is narrow enough.
  ///
  /// - Parameters:
  ///   - rules: How the arms are judged.
  ///   - precision: The half-width of an interval that is narrow enough, as a share of the ratio.
  /// - Returns: False as long as one of them has no pair.
  package func isDecided(by rules: ComparisonRules, precision: Double) -> Bool {
    each { launches, pair, state, metric in
      guard let ratio = launches.ratio(in: state) else { return false }
      let rule = rules.rule(for: pair, in: state, of: metric, pairs: ratio.count)
      return PairedComparison(ratio, tail: launches.tail(in: state), rule: rule)
        .isDecided(precision: precision)
    }
    .allSatisfy(\.self)
  }

  /// What stands in the way of a verdict on the comparison that is furthest from one.
  ///
  /// - Parameters:
  ///   - rules: How the arms are judged.
  ///   - elapsed: How long the launches so far took.
  ///   - limit: How long all launches may take.
  ///   - most: How many pairs there may be.
  /// - Returns: Nil where every comparison may have a verdict by then.
  package func outlook(
    by rules: ComparisonRules,
    after elapsed: Nanoseconds,
    within limit: Nanoseconds,
    pairs most: Int
  ) -> ComparisonOutlook? {
    each { launches, pair, state, metric -> ComparisonOutlook? in
      guard let ratio = launches.ratio(in: state) else { return nil }
      let rule = rules.rule(for: pair, in: state, of: metric, pairs: ratio.count)
      let pace = Double(elapsed.count) / Double(ratio.count)
      let affordable = min(most, Int(clamping: Double(limit.count) / max(pace, 1)))
      // More time allows for more pairs in proportion, however fast they are.
      let planned = max(pace, Double(limit.count) / Double(most))
      return PairedComparison(ratio, tail: launches.tail(in: state), rule: rule)
        .outlook(pairs: max(ratio.count, affordable), pace: planned, limit: limit)
    }
    .compactMap(\.self).max { $0.pairsNeeded < $1.pairsNeeded }
  }

  /// Concludes from the launches so far.
  ///
  /// - Parameters:
  ///   - run: What is concluded of each arm by itself.
  ///   - rules: How the arms are judged.
  /// - Returns: Conclusions that are inconclusive throughout when too much of the run was disturbed.
  package func summary(
    of run: RunSummary,
    by rules: ComparisonRules
  ) -> ComparisonSummary {
    let arms = each { launches, pair, state, metric in
      var arm = ArmComparison(
        pair,
        in: state,
        of: metric,
        launches: launches,
        rule: rules.rule(
          for: pair,
          in: state,
          of: metric,
          pairs: launches.pairs(in: state).count
        )
      )
      if run.isTooDisturbed { arm.obstacle = .disturbed }
      return arm
    }
    return ComparisonSummary(run: run, arms: arms)
  }

  private func each<Result>(
    _ body: (LaunchPairs, ComparedPair, LaunchState, Metric) -> Result
  ) -> [Result] {
    pairs.indices.flatMap { pair in
      plan.scenario.states.flatMap { state in
        metrics.indices.map { metric in
          body(launches[pair * metrics.count + metric], pairs[pair], state, metrics[metric])
        }
      }
    }
  }
}

extension PairedComparison {
  /// What stands in the way of a verdict by some number of pairs.
  ///
  /// - Parameters:
  ///   - pairs: How many there will be, at least as many as there are.
  ///   - pace: How long a pair takes or is given, in nanoseconds.
  ///   - limit: How long all of them may take.
  /// - Returns: Nil where the interval may be narrow enough, or lie beyond the limit. What is known of
  ///   the scatter by few pairs is as uncertain as a factor of two.
  fileprivate func outlook(
    pairs: Int,
    pace: Double,
    limit: Nanoseconds
  ) -> ComparisonOutlook? {
    guard verdict == .inconclusive, let pairsNeeded, let interval, pairsNeeded > 2 * pairs,
      let detectable = smallestDetectable(pairs: pairs)
    else { return nil }
    let half =
      log(interval.high / interval.low) / 2
      * (Double(count) / Double(pairs)).squareRoot()
    guard abs(log(ratio)) - log1p(rule.effectLimit) < half else { return nil }
    return ComparisonOutlook(
      time: limit,
      pairs: pairs,
      detectable: detectable,
      effectLimit: rule.effectLimit,
      pairsNeeded: pairsNeeded,
      timeNeeded: Nanoseconds(Int64(clamping: min(1e18, pace * Double(pairsNeeded))))
    )
  }
}

/// What is concluded from a run whose targets were launched to be compared.
package struct ComparisonSummary: Hashable, Sendable {
  package var run: RunSummary

  /// By pair, then by state in the order of the plan, then by metric as they were asked for.
  package var arms: [ArmComparison]

  /// The same as every comparison is shown.
  package var findings: [ComparisonFinding] { arms.map(\.finding) }

  /// That of the deciding arm: a regression before inconclusive before an improvement before same.
  package var verdict: Verdict { findings.verdict }

  /// The code that the comparison ends with; that of the run where it is graver.
  package var exitCode: LabExitCode { max(run.exitCode, verdict.exitCode) }
}

/// How the arms of one comparison are judged: by one rule, with what is known of the host's noise.
package struct ComparisonRules: Hashable, Sendable {
  /// With the confidence that all looks together have.
  package var base: ComparisonRule

  /// How often the launches are looked at, at least 1.
  package var looks: Int

  /// What self-tests have found of the host, the newest of each state and command.
  package var noise: [HostNoise]

  /// The command of each target, by name.
  package var commands: [String: [String]]

  package init(
    base: ComparisonRule,
    looks: Int = 1,
    noise: [HostNoise] = [],
    commands: [String: [String]] = [:]
  ) {
    self.base = base
    self.looks = looks
    self.noise = noise
    self.commands = commands
  }

  /// The rule of one comparison.
  ///
  /// The confidence is that of each look. The noise floor is that of launch times only, which is what
  /// self-tests measure: the larger one where both commands were tested, and nil where none was.
  ///
  /// - Parameters:
  ///   - pair: What is compared.
  ///   - state: The state of the launches.
  ///   - metric: What is compared of them.
  ///   - pairs: How many pairs of launches there are.
  /// - Returns: The base rule with these three set.
  package func rule(
    for pair: ComparedPair,
    in state: LaunchState,
    of metric: Metric,
    pairs: Int
  ) -> ComparisonRule {
    var rule = base
    rule.looks = looks
    // Slow launches are of times.
    if metric.unit != .nanoseconds { rule.tailLimit = nil }
    let confidence =
      rule.tailLimit == nil
      ? base.confidence : 1 - ComparisonRule.typicalShare * (1 - base.confidence)
    rule.confidence = BonferroniCorrection.confidence(confidence, looks: looks)
    rule.direction = metric.direction
    rule.noiseFloor =
      metric == .launch
      ? [pair.baseline, pair.candidate].compactMap { floor(of: $0, in: state, pairs: pairs) }.max()
      : nil
    return rule
  }

  private func floor(of target: String, in state: LaunchState, pairs: Int) -> Double? {
    guard let command = commands[target] else { return nil }
    return noise.first { $0.state == state && $0.command == command }?
      .floor(pairs: pairs, limit: ComparisonRule().effectLimit)
  }
}

/// When two arms are called different.
package struct ComparisonRule: Hashable, Sendable {
  /// What an effect must exceed, as a share: 0.02 stands for a ratio of 1.02, or of 1 / 1.02.
  package var effectLimit: Double

  /// How many more launches may be slow for two to be the same, as a share; nil where only the typical
  /// launch is judged.
  package var tailLimit: Double?

  /// The confidence of the interval of one look, from 0 to 1, both excluded.
  package var confidence: Double

  /// How often the pairs are looked at.
  package var looks = 1

  /// The smallest effect that this host tells apart from its own noise; nil when it is not known.
  package var noiseFloor: Double?

  /// Which way the compared metric is better.
  package var direction: Metric.Direction

  package init(
    effectLimit: Double = 0.02,
    tailLimit: Double? = nil,
    confidence: Double = 0.95,
    noiseFloor: Double? = nil,
    direction: Metric.Direction = .lowerIsBetter
  ) {
    self.effectLimit = effectLimit
    self.tailLimit = tailLimit
    self.confidence = confidence
    self.noiseFloor = noiseFloor
    self.direction = direction
  }

  /// The confidence of the verdicts of all looks together.
  package var overallConfidence: Double {
    1 - Double(looks) * (1 - confidence) / (tailLimit == nil ? 1 : Self.typicalShare)
  }

  /// The same rule with another limit.
  package func limited(to effectLimit: Double) -> Self {
    var rule = self
    rule.effectLimit = effectLimit
    return rule
  }

  /// The same rule with an interval of another confidence.
  package func confident(by confidence: Double) -> Self {
    var rule = self
    rule.confidence = confidence
    return rule
  }

  /// Judges a ratio by its interval, and the slow launches beside it.
  ///
  /// More slow launches are a regression whatever the typical launch does. "Same" and "improvement" ask
  /// that more slow launches than the limit can be excluded.
  ///
  /// - Parameters:
  ///   - ratio: Candidate / baseline of the typical launch.
  ///   - interval: That of the ratio; nil when there are too few values for one.
  ///   - tail: Nil for too few pairs.
  /// - Returns: The verdict, and what stands in its way if it is inconclusive.
  func judged(
    _ ratio: Double,
    _ interval: Interval?,
    _ tail: TailComparison?
  ) -> (verdict: Verdict, doubt: PairedComparison.Doubt?) {
    let typical = judged(ratio, interval)
    guard tailLimit != nil, typical.verdict != .regression else { return typical }
    guard let tail else {
      return typical.verdict == .inconclusive ? typical : (.inconclusive, .slowLaunches)
    }
    if tail.isWorse { return (.regression, nil) }
    let limits = (low: 1 / (1 + effectLimit), high: 1 + effectLimit)
    guard let interval,
      direction == .lowerIsBetter ? interval.high <= limits.high : interval.low >= limits.low
    else { return typical }
    guard tail.isNotWorse else { return (.inconclusive, .slowLaunches) }
    if typical.verdict == .improvement || tail.isBetter { return (.improvement, nil) }
    guard typical.verdict == .same else { return typical }
    return tail.isNotBetter ? typical : (.inconclusive, .slowLaunches)
  }

  /// Judges a ratio by its interval: the whole interval decides, never the ratio alone.
  ///
  /// - Parameters:
  ///   - ratio: Candidate / baseline.
  ///   - interval: That of the ratio; nil when there are too few values for one.
  /// - Returns: The verdict, and what stands in its way if it is inconclusive.
  package func judged(
    _ ratio: Double,
    _ interval: Interval?
  ) -> (verdict: Verdict, doubt: PairedComparison.Doubt?) {
    guard let interval else { return (.inconclusive, .fewPairs) }
    let upper = 1 + effectLimit
    let isLarger = interval.low > upper
    guard isLarger || interval.high < 1 / upper else {
      let isWithin = interval.low >= 1 / upper && interval.high <= upper
      return isWithin ? (.same, nil) : (.inconclusive, .wideInterval)
    }
    if let noiseFloor, PairedComparison.effect(of: ratio) < noiseFloor {
      return (.inconclusive, .belowNoiseFloor)
    }
    return (isLarger == (direction == .lowerIsBetter) ? .regression : .improvement, nil)
  }
}
