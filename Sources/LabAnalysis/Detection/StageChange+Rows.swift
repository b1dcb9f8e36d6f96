package import LabModel

extension StageChange {
  /// How much each stage takes more or less than on another night, the largest change first.
  ///
  /// Of each target and state, the first collector is taken that both nights have in the same
  /// version, since times of different collectors are not comparable.
  ///
  /// - Parameters:
  ///   - before: The rows of the last good night.
  ///   - after: Those of tonight.
  /// - Returns: One change per stage that either night has; of equals in the order of the stages.
  package static func changes(from before: [CollectorRow], to after: [CollectorRow]) -> [Self] {
    var seen: Set<Place> = []
    var changes: [Self] = []
    for new in after {
      let place = Place(target: new.arm.target, state: new.arm.state)
      guard !seen.contains(place), let old = before.first(where: { $0.isComparable(to: new) })
      else { continue }
      seen.insert(place)
      changes += self.changes(from: old, to: new)
    }
    let ranked = changes.enumerated().sorted { left, right in
      left.element.size == right.element.size
        ? left.offset < right.offset : left.element.size > right.element.size
    }
    return ranked.map(\.element)
  }

  private static func changes(from old: CollectorRow, to new: CollectorRow) -> [Self] {
    let pairs = PathPair.pairs(
      from: old.stages.map { ($0.path, $0.median) },
      to: new.stages.map { ($0.path, $0.median) }
    )
    return pairs.map { pair in
      Self(
        target: new.arm.target,
        state: new.arm.state,
        path: pair.path,
        before: pair.before,
        after: pair.after
      )
    }
  }

  /// In nanoseconds; what was not there took nothing.
  private var size: Double { abs((after ?? 0) - (before ?? 0)) }
}

private struct Place: Hashable {
  let target: String
  let state: LaunchState
}

extension CollectorRow {
  fileprivate func isComparable(to other: Self) -> Bool {
    arm.target == other.arm.target && arm.state == other.arm.state && collector == other.collector
      && version == other.version
  }
}
