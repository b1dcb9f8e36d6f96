package import LabModel
import LabStatistics

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
      return PairedComparison(ratio, rule: rule).isDecided(precision: precision)
    }
    .allSatisfy(\.self)
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
        ),
        seed: plan.seed
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
