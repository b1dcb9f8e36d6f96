import LabAnalysis
import LabHost
import LabModel

/// Tells what changed in the stages of a launch between a culprit and its parent.
struct CulpritStages {
  let start: BisectStart

  /// The two builds, as they were launched.
  let parent: Target
  let culprit: Target

  /// How long a launch takes, in seconds.
  let launchSeconds: Double

  /// How often each of the two is launched: more often where that takes seconds only.
  var launches: Int { min(40, max(7, Int(5 / max(launchSeconds, 1e-3)))) }

  /// Launches both under the probe, in the same blocks.
  ///
  /// - Parameters:
  ///   - session: The lab; it ends with these launches.
  ///   - interrupt: Ends them when it is set.
  /// - Returns: What differs beyond the noise, the largest first; nil when too few launches were
  ///   seen to tell.
  /// - Throws: a ``LabError`` when the launches cannot be made.
  func differences(
    in session: LabSession,
    interrupt: InterruptFlag
  ) async throws -> [StageDifference]? {
    var scenario = start.scenario.comparing([parent, culprit])
    scenario.targets[0].name = "parent"
    scenario.targets[1].name = "culprit"
    scenario.stages = StagePlan(launches: launches)
    scenario.launches = launches
    let result = try await StagesWorkflow(scenario: scenario)
      .run(in: session, interrupt: interrupt) { _ in }
    func stages(of target: String) -> [LaunchStages] {
      result.launches.filter { $0.arm.target == target }.map(\.stages)
    }
    let (before, after) = (stages(of: "parent"), stages(of: "culprit"))
    guard min(before.count, after.count) >= StageDifference.fewestLaunches else { return nil }
    return StageDifference.differences(from: before, to: after)
  }
}
