package import LabModel

extension LaunchStages {
  /// Sums libraries and initializers that are too short to keep one by one.
  ///
  /// Those of one parent are summed to one stage that is flagged `folded` and named by their count,
  /// as dyld leaves out images below 0.1 % of the total. Stages that every launch has, marks and
  /// other programs are kept. Sums do not change.
  ///
  /// - Parameter minimumShare: The share of the launch that a kept stage takes at least; of a launch
  ///   that did not become ready, the share of what was seen of it.
  /// - Returns: The same stages with fewer children.
  package func folded(minimumShare: Double = 0.001) -> Self {
    let seen = launch.children.map { ($0.start ?? .zero) + ($0.duration ?? .zero) }
    guard let total = launch.duration ?? seen.max(), total > .zero else { return self }
    let minimum = Double(total.count) * minimumShare
    var folded = self
    folded.launch = launch.folded(below: minimum)
    for index in others.indices {
      folded.others[index].stages = others[index].stages.map { $0.folded(below: minimum) }
    }
    return folded
  }
}

extension Stage: FoldableStage {
  var length: Double? { duration.map { Double($0.count) } }

  static func folding(_ stages: [Stage]) -> Stage? {
    guard let first = stages.first, stages.count > 1 else { return stages.first }
    return Stage(
      name: "\(stages.count) shorter ones",
      kind: first.kind,
      duration: stages.reduce(.zero) { $0 + ($1.duration ?? .zero) },
      source: first.source,
      flags: [.folded]
    )
  }
}
