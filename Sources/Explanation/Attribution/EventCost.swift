import LaunchStatistics

/// How much time it takes a launch to record an event of its timeline.
///
/// The collector measures it on calls that are repeated thousands of times, which find all they need
/// in the caches; in a launch it can be twice as much. Where the launches of one program have many
/// more events than those of the other, they say themselves what an event costs.
struct EventCost {
  /// What is known without them, in nanoseconds: the cost and how wrong it may be, as a standard
  /// deviation.
  private let prior: (mean: Double, deviation: Double)

  /// Where the estimate would not stay within these, the launches differ in something else than the
  /// number of events.
  private let bounds: ClosedRange<Double>

  /// - Parameter calibrated: What the collector measured, in nanoseconds.
  init(calibrated: Double) {
    prior = (calibrated, calibrated)
    bounds = 0.5 * calibrated...3 * calibrated
  }

  private init(_ prior: (mean: Double, deviation: Double), within bounds: ClosedRange<Double>) {
    (self.prior, self.bounds) = (prior, bounds)
  }

  /// What is left of the cost of stops that the collector took off itself: in a launch they are less
  /// alike than where it measured them, most of all with threads, whose stops wake another processor.
  static let ofStops = Self((0, 1_000), within: 0...20_000)

  /// What recording the launches of a block added to B beyond what it added to A.
  struct Block {
    /// In nanoseconds.
    var time: Double
    var events: Double
  }

  /// Combines what is known with what the launches say, each by how exact it is.
  ///
  /// The estimate is the mean of two normal distributions multiplied: the prior, and the likelihood,
  /// which is that of the median time over the median events, with the robust deviation of the times
  /// over √n and π/2 for a median. (Gelman et al., Bayesian Data Analysis, 3rd edition, section 2.5.)
  ///
  /// - Parameter blocks: Fewer than four say nothing.
  /// - Returns: Nanoseconds.
  func corrected(by blocks: [Block]) -> Double {
    guard prior.deviation > 0, blocks.count >= 4, let times = try? Sample(blocks.map(\.time)),
      let events = try? Sample(blocks.map(\.events))
    else { return prior.mean }
    let variance =
      Double.pi / 2 * times.robustDeviation * times.robustDeviation / Double(blocks.count)
    guard variance > 0 else { return prior.mean }
    let known = 1 / (prior.deviation * prior.deviation)
    let seen = events.median * events.median / variance
    let mean = (prior.mean * known + times.median * events.median / variance) / (known + seen)
    return min(max(mean, bounds.lowerBound), bounds.upperBound)
  }
}
