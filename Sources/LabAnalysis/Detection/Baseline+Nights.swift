import LabModel
import LabStatistics

/// What a series offers to hold tonight against.
struct BaselineNights {
  /// The index of the first night that counts.
  let start: Int

  /// The newest nights that may enter a baseline, ascending, without tonight.
  let clean: [Int]

  private let end: Int
  private let nights: Int

  /// - Parameters:
  ///   - chain: The nights of the series.
  ///   - end: The index of the night that is judged; later ones are not looked at.
  ///   - nights: How many a baseline has at most.
  init(_ chain: SeriesChain, before end: Int, atMost nights: Int) {
    var start = chain.breaks.last { $0.index <= end }?.index ?? 0
    var unclean: [Range<Int>] = []
    for alert in chain.alerts where alert.kind == .step {
      guard let onset = chain.index(of: alert.onset), onset <= end else { continue }
      if alert.movesBaseline {
        start = max(start, onset)
      } else if alert.isPending {
        unclean.append(onset..<max(onset, end))
      } else if let run = alert.endRun, let back = chain.index(of: run), back > onset {
        unclean.append(onset..<back)
      }
    }
    self.start = start
    self.end = end
    self.nights = nights
    var clean: [Int] = []
    var index = end - 1
    while index >= start, clean.count < nights + DetectionLimits.leftOut {
      if let range = unclean.first(where: { $0.contains(index) }) {
        index = range.lowerBound
      } else {
        clean.append(index)
      }
      index -= 1
    }
    self.clean = clean.reversed()
  }

  /// The nights that enter: the newest, but for the last ones where enough remain.
  var chosen: [Int] {
    let spare = clean.count - DetectionLimits.fewestAfterLeavingOut
    let recent = clean.count { $0 >= end - DetectionLimits.leftOut }
    let leftOut = min(recent, max(0, spare))
    return Array(clean.dropLast(leftOut).suffix(nights))
  }
}

extension Baseline {
  /// The baseline of some nights of a chain; nil for fewer than 5.
  init?(_ points: [SeriesPoint]) {
    guard points.count >= DetectionLimits.fewestNights,
      let sample = try? Sample(points.map(\.median))
    else { return nil }
    let center = sample.median
    let deviation = sample.medianAbsoluteDeviation
    let unit =
      deviation > 0
      ? DetectionLimits.normalScale * deviation : 1.253314 * sample.meanAbsoluteDeviation
    let limit = DetectionLimits.outlierScore * unit
    var outliers = points.filter { abs($0.median - center) > limit }
    if Double(outliers.count) > DetectionLimits.outlierShare * Double(points.count) {
      outliers = []
    }
    let left = Set(outliers.map(\.run))
    let kept = try? Sample(points.filter { !left.contains($0.run) }.map(\.median))
    self.init(
      runs: points.map(\.run),
      median: center,
      mean: kept?.mean ?? center,
      standardDeviation: kept?.standardDeviation ?? 0,
      medianAbsoluteDeviation: deviation,
      outliers: outliers.map(\.run)
    )
  }

  /// How many nights mean and standard deviation rest on.
  var keptCount: Int { runs.count - outliers.count }

  /// The runs that mean and standard deviation rest on, ascending.
  var keptRuns: [String] {
    let left = Set(outliers)
    return runs.filter { !left.contains($0) }
  }
}
