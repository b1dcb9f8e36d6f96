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

  /// The seed that the order of every block is drawn from.
  package var seed: UInt64

  package var arms: [Arm]

  /// How many blocks there are; each launches every plain arm once.
  package var blockCount: Int

  package init(scenario: Scenario, seed: UInt64, arms: [Arm], blockCount: Int) {
    self.scenario = scenario
    self.seed = seed
    self.arms = arms
    self.blockCount = blockCount
  }

  /// The launches of each counter arm: those asked for, or one per block if there are fewer blocks.
  package var counterLaunches: Int { min(max(0, scenario.counterLaunches), blockCount) }

  /// How many launches the plan holds.
  package var launchCount: Int {
    arms.reduce(0) { $0 + ($1.kind == .plain ? blockCount : counterLaunches) }
  }

  /// The arms of a block in launch order.
  ///
  /// It depends on nothing but the seed, the arms and the number of the block, so no order is
  /// stored and a resumed run goes on with the same one. Every order is equally likely
  /// (Fisher and Yates).
  ///
  /// - Parameter block: From 0 to below ``blockCount``.
  /// - Returns: Indices into ``arms``, each at most once.
  package func order(ofBlock block: Int) -> [Int] {
    var order = arms.indices.filter { arms[$0].kind == .plain || hasCounterLaunches(block) }
    var generator = SplitMix64(seed: seed, part: block)
    for last in order.indices.dropFirst().reversed() {
      order.swapAt(last, generator.next(below: last + 1))
    }
    return order
  }

  /// Whether the counter arms are launched in a block; those blocks are spread evenly.
  private func hasCounterLaunches(_ block: Int) -> Bool {
    func launches(before block: Int) -> Int {
      (2 * block * counterLaunches + blockCount) / (2 * blockCount)
    }
    return launches(before: block + 1) > launches(before: block)
  }
}
