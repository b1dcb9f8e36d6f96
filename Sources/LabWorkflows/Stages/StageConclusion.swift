import LabAnalysis
import LabModel

/// Concludes how a collector launch was spent.
struct StageConclusion {
  /// The stages of a launch.
  ///
  /// - Parameters:
  ///   - result: The launch.
  ///   - collector: What its arm asked for.
  /// - Returns: The stages, all of them; nil when nothing was collected.
  func stages(of result: LaunchResult, by collector: StageCollector) -> LaunchStages? {
    var stages: LaunchStages?
    switch collector {
    case .probe, .breakpoints, .marks: stages = StageTree.stages(of: result)
    case .statistics, .text: stages = nil
    }
    stages?.pageIns = result.pageIns
    return stages
  }
}
