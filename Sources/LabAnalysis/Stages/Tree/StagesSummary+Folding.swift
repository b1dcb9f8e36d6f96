import LabModel

extension StagesSummary {
  /// Sums libraries and initializers that are too short to store or show one by one.
  ///
  /// It is done after the launches were summarised, because code that is near the limit would be
  /// folded in some launches and not in others, so that its median were one of the longer ones only.
  ///
  /// - Parameter minimumShare: The share of the median launch, or of what was seen of launches that
  ///   did not become ready, that a kept stage takes at least.
  /// - Returns: The same summary with fewer stages; the sum of medians stands for what is folded.
  package func folded(minimumShare: Double = 0.001) -> Self {
    let seen = launch.children.map { ($0.start ?? 0) + ($0.median ?? 0) }
    guard let total = launch.median ?? seen.max(), total > 0 else { return self }
    var folded = self
    folded.launch = launch.folded(below: total * minimumShare)
    folded.others = others.map { $0.folded(below: total * minimumShare) }
    return folded
  }
}

extension StageSummary: FoldableStage {
  var length: Double? { median }

  static func folding(_ stages: [StageSummary]) -> StageSummary? {
    guard let first = stages.first, stages.count > 1 else { return stages.first }
    let shares = stages.compactMap(\.share)
    let counts = stages.compactMap { $0.flags.contains(.folded) ? $0.foldedCount : 1 }
    let count = counts.count == stages.count ? counts.reduce(0, +) : nil
    return StageSummary(
      name: count.map { "\($0) shorter ones" } ?? "shorter ones",
      kind: first.kind,
      source: first.source,
      flags: [.folded],
      n: stages.map(\.n).max() ?? 0,
      median: stages.compactMap(\.median).reduce(0, +),
      share: shares.isEmpty ? nil : shares.reduce(0, +),
      foldedCount: count
    )
  }
}
