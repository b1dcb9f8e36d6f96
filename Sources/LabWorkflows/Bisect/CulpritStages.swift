import LabAnalysis
import LabHost
import LabModel

/// Tells what changed in the stages of a launch between culprits and their parents.
struct CulpritStages {
  let start: BisectStart

  /// The builds of each culprit and its parent, at least one pair.
  let pairs: [LaunchedPair]

  /// How long a launch takes, in seconds.
  let launchSeconds: Double

  /// How often each build is launched: more often where that takes seconds only.
  var launches: Int {
    min(40, max(7, Int(5 / max(launchSeconds, 1e-3)) / max(1, pairs.count)))
  }

  /// Launches all of them under the probe, in the same blocks.
  ///
  /// - Parameters:
  ///   - session: The lab; it ends with these launches.
  ///   - interrupt: Ends them when it is set.
  /// - Returns: For each pair what differs beyond the noise, the largest first; nil when too few
  ///   launches were seen to tell.
  /// - Throws: a ``LabError`` when the launches cannot be made.
  func differences(
    in session: LabSession,
    interrupt: InterruptFlag
  ) async throws -> [[StageDifference]?] {
    var scenario = start.scenario.comparing(pairs.flatMap { [$0.parent, $0.culprit] })
    for index in scenario.targets.indices { scenario.targets[index].name = "build-\(index)" }
    scenario.stages = StagePlan(launches: launches)
    scenario.launches = launches
    let result = try await StagesWorkflow(scenario: scenario)
      .run(in: session, interrupt: interrupt) { _ in }
    func stages(of index: Int) -> [LaunchStages] {
      result.launches.filter { $0.arm.target == "build-\(index)" }.map(\.stages)
    }
    return pairs.indices.map { pair in
      let (before, after) = (stages(of: 2 * pair), stages(of: 2 * pair + 1))
      guard min(before.count, after.count) >= StageDifference.fewestLaunches else { return nil }
      return StageDifference.differences(from: before, to: after)
    }
  }
}
