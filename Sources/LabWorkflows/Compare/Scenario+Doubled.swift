package import LabModel

extension Scenario {
  /// A scenario that launches every target twice in each block, and what is compared in it.
  ///
  /// The two targets of a name become `NAME@LABEL` each, the baseline before the candidate. Only
  /// their plain launches are of use, so that nothing else is launched, and nothing is built.
  ///
  /// - Parameters:
  ///   - baseline: The targets that the others are compared with.
  ///   - candidate: The targets that are judged; those without a baseline of the same name are left
  ///     out.
  ///   - labels: What tells the two apart, such as the first digits of their commits; not the same.
  /// - Returns: The scenario, and one pair per target that both have, in the order of `baseline`.
  package func doubled(
    baseline: [Target],
    candidate: [Target],
    labels: (String, String)
  ) -> (Scenario, [ComparedPair]) {
    var targets: [Target] = []
    var pairs: [ComparedPair] = []
    for first in baseline {
      guard let second = candidate.first(where: { $0.name == first.name }) else { continue }
      let pair = ComparedPair(
        name: first.name,
        baseline: "\(first.name)@\(labels.0)",
        candidate: "\(first.name)@\(labels.1)"
      )
      for (target, name) in [(first, pair.baseline), (second, pair.candidate)] {
        var target = target
        target.name = name
        targets.append(target)
      }
      pairs.append(pair)
    }
    return (comparing(targets), pairs)
  }

  /// The scenario with other targets, and with nothing in it that a comparison has no use for.
  func comparing(_ targets: [Target]) -> Scenario {
    var scenario = self
    scenario.targets = targets.map { target in
      var target = target
      target.counters = []
      return target
    }
    scenario.source = nil
    scenario.includesEmptyBaseline = false
    scenario.stages = nil
    scenario.budgets = nil
    scenario.control = nil
    scenario.notifiers = nil
    scenario.releases = nil
    scenario.artifactLimit = nil
    scenario.bisection = nil
    return scenario
  }
}
