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
    let minimum = Nanoseconds(Int64((Double(total.count) * minimumShare).rounded(.up)))
    var folded = self
    folded.launch = launch.folded(below: minimum)
    for index in others.indices {
      folded.others[index].stages = others[index].stages.map { $0.folded(below: minimum) }
    }
    return folded
  }
}

extension Stage {
  fileprivate func folded(below minimum: Nanoseconds) -> Self {
    var folded = self
    folded.children = []
    var parts: [Stage] = []
    var details: [Stage] = []
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
  private func isShorter(than minimum: Nanoseconds) -> Bool {
    guard let duration, place != nil || flags.contains(.folded), kind != .excluded else {
      return false
    }
    return duration < minimum && children.allSatisfy { $0.isShorter(than: minimum) }
  }

  /// One stage for several of one kind; the stage itself where there is only one.
  private static func folding(_ stages: [Stage]) -> Stage? {
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
