import LabModel

/// The nights of one series up to tonight, in one line, and where they may not be compared.
struct SeriesChain: Sendable {
  /// That of tonight's host.
  let key: SeriesKey

  /// Ascending, none after tonight.
  let points: [SeriesPoint]

  /// The nights of the points.
  let nights: [Night]

  let breaks: [SeriesBreak]

  /// Alerts of the series on any host whose onset is among the points, ascending by number.
  let alerts: [Alert]

  /// Whether the last point is tonight's.
  let isTonight: Bool

  /// The medians of a range of the points.
  func values(_ places: Range<Int>) -> [Double] { points[places].map(\.median) }

  /// The index of the first point that may be compared with the newest one.
  var partStart: Int { breaks.last?.index ?? 0 }

  /// The ranges between breaks, ascending; none for no points.
  var parts: [Range<Int>] {
    let bounds = [0] + breaks.map(\.index) + [points.count]
    return zip(bounds, bounds.dropFirst()).compactMap { $0 < $1 ? $0..<$1 : nil }
  }

  func index(of run: String) -> Int? { points.lastIndex { $0.run == run } }
}

extension SeriesKey {
  /// Whether two series are the same but for the host.
  func isSameArm(as other: Self) -> Bool {
    target == other.target && state == other.state && metric == other.metric
  }
}
