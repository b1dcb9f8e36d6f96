package import LaunchCore
import LaunchHost

/// How many launches were disturbed so far, and whether one may be repeated.
///
/// Repeats, and launches that are disturbed or unsettled, are each at most the tolerated share of
/// the launches that are planned; beyond that the run is inconclusive anyway.
package struct RetryBudget: Hashable, Sendable {
  /// How many launches were made because one before was disturbed.
  package private(set) var repeated = 0

  private let tolerated: Double?
  private let plan: Plan
  private var doubtful = 0
  private var launched = 0

  package init(plan: Plan) {
    self.plan = plan
    tolerated = plan.tolerableShare.map { $0 * Double(plan.launchCount) }
  }

  /// Takes in a launch that has ended, or one that was stored before a run was cut off.
  package mutating func add(_ record: LaunchRecord) {
    launched += 1
    if plan.isRepeat(record) { repeated += 1 }
    if record.isDoubtful { doubtful += 1 }
  }

  /// Whether nothing is repeated any more, because too many launches were disturbed or unsettled.
  package var isHopeless: Bool { tolerated.map { Double(doubtful) > $0 } ?? false }

  /// Whether nothing could be concluded from the launches so far alone.
  package var isTooDisturbed: Bool {
    guard let share = plan.tolerableShare else { return false }
    return Double(doubtful) > share * Double(launched - repeated)
  }

  /// Whether another launch may be repeated.
  ///
  /// - Parameter pending: How many of this block will be repeated already.
  /// - Returns: False also for a run that nothing is watched in.
  package func allowsRepeat(pending: Int) -> Bool {
    guard let tolerated, !isHopeless else { return false }
    return Double(repeated + pending) < tolerated
  }
}

extension LaunchLaboratory {
  /// Does something that takes launches, and does it again from its beginning when the spawner was
  /// lost meanwhile: a cold state is gone then, and nothing is known of the target.
  ///
  /// - Parameter body: What is done, such as to prepare a launch and to make it.
  /// - Returns: What `body` returns, and how often the spawner was lost before.
  /// - Throws: What `body` throws, and `HostError.spawnerLost` when that happened
  ///   `Spawner.toleratedLosses` times in a row.
  package mutating func repeatingLost<Result>(
    _ body: (inout Self) throws -> Result
  ) throws -> (result: Result, losses: Int) {
    var losses = 0
    while true {
      do {
        return (try body(&self), losses)
      } catch HostError.spawnerLost(let status, _) {
        losses += 1
        guard losses < Spawner.toleratedLosses else {
          throw HostError.spawnerLost(status: status, times: losses)
        }
      }
    }
  }
}
