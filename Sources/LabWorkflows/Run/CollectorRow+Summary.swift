import LabAnalysis
import LabModel
import LabStatistics

extension CollectorRow {
  /// Raised when the same launches would give other rows.
  static let newestVersion = 1

  /// The rows of every collector of a run that saw a ready launch; none of a run that was disturbed
  /// too much.
  static func rows(of summary: RunSummary) -> [Self] {
    guard !summary.isTooDisturbed else { return [] }
    return summary.arms.filter { $0.arm.kind.collector != nil && !$0.isDoubtful }.flatMap { arm in
      arm.stages.compactMap { stages in
        guard stages.launches > 0, let launch = stages.launch.median else { return nil }
        return Self(
          arm: arm.arm,
          collector: stages.collector,
          version: newestVersion,
          launches: stages.launches,
          launch: launch,
          preMain: stages.preMain?.median,
          sum: stages.check?.sum,
          worstLaunch: stages.check?.worstLaunch,
          plain: stages.check?.plain,
          cost: stages.cost?.median,
          stages: stages.launch.children.flatMap { StageMedian.medians(of: $0, below: "") }
        )
      }
    }
  }
}

extension StageMedian {
  /// The stage and its parts, but for single functions, whose addresses change with every build.
  fileprivate static func medians(of stage: StageSummary, below parent: String) -> [Self] {
    guard stage.kind == .part, stage.place?.offset == nil else { return [] }
    let path = parent.isEmpty ? stage.name : "\(parent) > \(stage.name)"
    let own = stage.median.map { median in
      Self(
        path: path,
        n: stage.n,
        median: median,
        intervalLow: stage.interval?.low,
        intervalHigh: stage.interval?.high,
        share: stage.share
      )
    }
    return [own].compactMap(\.self) + stage.children.flatMap { medians(of: $0, below: path) }
  }
}
