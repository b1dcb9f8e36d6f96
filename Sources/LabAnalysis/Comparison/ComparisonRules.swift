package import LabModel
import LabStatistics

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
    rule.confidence = LookConfidence.confidence(base.confidence, looks: looks)
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
