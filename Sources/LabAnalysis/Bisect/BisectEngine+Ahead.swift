extension BisectEngine {
  /// Revisions that are not built and likely to be needed after one that is built now.
  ///
  /// They are the middles of the parts that it leaves, the likeliest part first, then of theirs.
  ///
  /// - Parameters:
  ///   - revision: The one that is built now.
  ///   - count: The most that are given.
  /// - Returns: Revisions, the likeliest first, without `revision`.
  package func ahead(of revision: Int, count: Int) -> [Int] {
    var result = [0, range.last].filter { $0 != revision && range.status[$0] == .unknown }
    let unknown = range.revisions.filter {
      range.status[$0] == .unknown && chances[$0] > 0 && $0 != 0 && $0 != range.last
    }
    // The revisions strictly between two builds, with the chance that the change is there.
    var parts = parts(of: unknown, at: revision)
    while result.count < count {
      guard let index = parts.indices.max(by: { chance(parts[$0]) < chance(parts[$1]) }) else {
        break
      }
      let part = parts.remove(at: index)
      guard let middle = middle(of: part) else { continue }
      result.append(middle)
      parts += self.parts(of: part, at: middle)
    }
    return Array(result.prefix(max(0, count)))
  }

  private func parts(of revisions: [Int], at middle: Int) -> [[Int]] {
    var parts: [[Int]] = [[]]
    for revision in revisions {
      if revision == middle {
        parts.append([])
        continue
      }
      // Builds divide what is not built.
      if let last = parts[parts.count - 1].last,
        range.between(last, revision).contains(where: { $0 == middle || range.isBuilt($0) })
      {
        parts.append([])
      }
      parts[parts.count - 1].append(revision)
    }
    return parts.filter { !$0.isEmpty }
  }

  private func chance(_ revisions: [Int]) -> Double { revisions.reduce(0) { $0 + chances[$1] } }

  /// The revision at which half of the chance of a part is reached.
  private func middle(of revisions: [Int]) -> Int? {
    let half = chance(revisions) / 2
    var sum = 0.0
    return revisions.first { revision in
      sum += chances[revision]
      return sum >= half
    }
  }
}
