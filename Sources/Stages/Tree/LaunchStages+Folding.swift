package import LaunchCore

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

/// A stage of one launch, or of several, whose short parts can be summed.
protocol FoldableStage {
  var kind: Stage.Kind { get }
  var flags: [StageFlag] { get }
  var place: CodePlace? { get }
  var children: [Self] { get set }

  /// In nanoseconds; nil when it is not known.
  var length: Double? { get }

  /// One stage for several of one kind; the stage itself where there is only one.
  static func folding(_ stages: [Self]) -> Self?
}

extension FoldableStage {
  /// Sums the children that are shorter than a time in nanoseconds, parts and details apart.
  func folded(below minimum: Double) -> Self {
    var folded = self
    folded.children = []
    var parts: [Self] = []
    var details: [Self] = []
    for child in children {
      if child.isShorter(than: minimum) {
        if child.kind == .part { parts.append(child) } else { details.append(child) }
      } else {
        folded.children.append(child.folded(below: minimum))
      }
    }
    folded.children += [parts, details].compactMap(Self.folding)
    return folded
  }

  /// Whether the stage is code that took less than a time, and nothing within it took longer.
  private func isShorter(than minimum: Double) -> Bool {
    guard let length, place != nil || flags.contains(.folded), kind != .excluded else {
      return false
    }
    return length < minimum && children.allSatisfy { $0.isShorter(than: minimum) }
  }
}

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
