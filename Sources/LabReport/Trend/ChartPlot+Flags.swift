import LabModel

/// A place of a chart that a line stands at, and what is written above it.
struct ChartFlag {
  var point: Int
  var text: String
  var kind: Kind

  /// Whether the chart is drawn for it.
  var isOwn = false

  enum Kind {
    case worse
    case better
    case broken
  }
}

extension ChartPlot {
  private static let lines = [41.0, 55.0, 69.0]

  /// A vertical line per flag, and its text on the first of three lines where it has room.
  ///
  /// That of the alert itself is placed first, then the newest ones; where no line has room, the
  /// first sign of the text stands alone.
  func flags(_ flags: [ChartFlag]) -> [String] {
    let places = flags.compactMap { flag in
      window.slot(of: flag.point).map { (flag: flag, x: edge($0)) }
    }
    let order = places.indices.sorted { one, other in
      let (left, right) = (places[one], places[other])
      if left.flag.isOwn != right.flag.isOwn { return left.flag.isOwn }
      return (left.x, left.flag.point) > (right.x, right.flag.point)
    }
    var taken = [[ClosedRange<Double>]](repeating: [], count: Self.lines.count)
    var texts: [String] = []
    for index in order {
      let (flag, x) = places[index]
      texts.append(label(flag, at: x, taken: &taken))
    }
    return places.map { upright($0.flag, at: $0.x) } + texts
  }

  private func label(
    _ flag: ChartFlag,
    at x: Double,
    taken: inout [[ClosedRange<Double>]]
  ) -> String {
    let width = Double(flag.text.count) * 6.4
    let isEnd = x + 5 + width > Self.right
    let range = isEnd ? x - 5 - width...x : x...x + 5 + width
    let free = taken.firstIndex { $0.allSatisfy { !$0.overlaps(range) } }
    if let free { taken[free].append(range) }
    let shown = free == nil ? String(flag.text.prefix(1)) : flag.text
    let line = Self.lines[free ?? Self.lines.count - 1]
    return text(x + (isEnd ? -5 : 5), line, shown, colour(flag.kind), isEnd: isEnd)
  }

  private func upright(_ flag: ChartFlag, at x: Double) -> String {
    let attributes =
      flag.kind == .broken
      ? #" stroke-dasharray="5 4""# : flag.isOwn ? #" stroke-width="2""# : ""
    return line(x, Self.lines[0] - 9, x, Self.bottom, colour(flag.kind), attributes)
  }

  private func colour(_ kind: ChartFlag.Kind) -> String {
    switch kind {
    case .worse: theme.worse
    case .better: theme.better
    case .broken: theme.broken
    }
  }
}
