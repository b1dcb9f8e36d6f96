import LabModel

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
