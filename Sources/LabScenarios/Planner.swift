package import LabModel

/// Decides what a scenario launches, and how often.
package enum Planner {
  /// Plans the run of a scenario.
  ///
  /// Arms are the targets in their order, each in every state, then the empty program in every
  /// state where it is asked for, then the counter launches of targets that have counters, then the
  /// collector launches, which the control has none of. The order of each block follows from the seed; see
  /// ``Plan/order(ofBlock:)``.
  ///
  /// - Parameters:
  ///   - scenario: What is asked for.
  ///   - seed: Decides the order of the launches. The same seed gives the same order.
  /// - Returns: A plan with as many blocks as each arm gets launches at most.
  package static func plan(_ scenario: Scenario, seed: UInt64) -> Plan {
    var names = scenario.targets.map(\.name)
    if scenario.includesEmptyBaseline { names.append(Arm.emptyTarget) }
    let plain = names.flatMap { name in
      scenario.states.map { Arm(target: name, state: $0) }
    }
    let counting = scenario.targets.filter { !$0.counters.isEmpty }.flatMap { target in
      scenario.states.map { Arm(target: target.name, state: $0, kind: .counters) }
    }
    let collected = scenario.targets.filter { $0.name != Arm.controlTarget }
    let collecting = collected.flatMap { target in
      scenario.states.flatMap { state in
        (scenario.stages?.arms ?? []).map { collector in
          Arm(target: target.name, state: state, kind: Arm.Kind(collector))
        }
      }
    }
    return Plan(
      scenario: scenario,
      seed: seed,
      arms: plain + counting + collecting,
      blockCount: max(scenario.launches, scenario.adaptive?.most ?? 0)
    )
  }
}
