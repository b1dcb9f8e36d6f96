/// One thing that is measured against others: a target in one state.
package struct Arm: Hashable, Codable, Sendable {
  /// The name of the target, or ``Arm/emptyTarget`` for the floor.
  package var target: String

  package var state: LaunchState

  /// What the launches of this arm are for.
  package var kind: Kind

  package init(target: String, state: LaunchState, kind: Kind = .plain) {
    self.target = target
    self.state = state
    self.kind = kind
  }

  /// What the launches of an arm are for.
  package enum Kind: String, Codable, Sendable {
    /// Its times are the result.
    case plain

    /// It carries perf events, and its times are never mixed with plain ones.
    case counters
  }

  /// The target name of the floor; a scenario may not use it.
  package static let emptyTarget = "empty"
}

/// Everything about a run that is decided before its first launch.
package struct Plan: Hashable, Codable, Sendable {
  package var scenario: Scenario

  /// The seed that the order of every block was drawn from.
  package var seed: UInt64

  package var arms: [Arm]

  /// Per block the indices into `arms`, each at most once, in launch order.
  package var blocks: [[Int]]

  package init(scenario: Scenario, seed: UInt64, arms: [Arm], blocks: [[Int]]) {
    self.scenario = scenario
    self.seed = seed
    self.arms = arms
    self.blocks = blocks
  }

  /// How many launches the plan holds.
  package var launchCount: Int { blocks.reduce(0) { $0 + $1.count } }
}
