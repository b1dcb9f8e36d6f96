/// One stored launch: what was asked for, what was reached, and what was seen.
package struct LaunchRecord: Hashable, Sendable {
  /// The number of the block, from 0.
  package var block: Int

  /// The place within the block, from 0.
  package var position: Int

  /// The index of the arm in the run's plan.
  package var arm: Int

  /// When the launch began, on the monotonic clock, since the run began.
  package var startedAt: Nanoseconds

  package var preparation: Preparation

  package var result: LaunchResult

  /// Whether the state that the arm asks for was reached, judged after the launch.
  package var stateReached: StateReached

  /// How the launch was spent, of collector launches.
  package var stages: LaunchStages?

  package init(
    block: Int,
    position: Int,
    arm: Int,
    startedAt: Nanoseconds,
    preparation: Preparation,
    result: LaunchResult,
    stateReached: StateReached,
    stages: LaunchStages? = nil
  ) {
    self.block = block
    self.position = position
    self.arm = arm
    self.startedAt = startedAt
    self.preparation = preparation
    self.result = result
    self.stateReached = stateReached
    self.stages = stages
  }
}

/// Whether a launch had the state it was asked to have.
package enum StateReached: Hashable, Codable, Sendable {
  case reached

  case notReached(reason: String)

  /// It cannot be told, for want of a right.
  case notVerified(reason: String)
}

extension StateReached {
  /// The name used in JSON, the store and reports.
  package var name: String {
    switch self {
    case .reached: "reached"
    case .notReached: "not-reached"
    case .notVerified: "not-verified"
    }
  }
}
