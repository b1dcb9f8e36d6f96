import LaunchStatistics

/// How much time it takes a launch to record an event of its timeline.
///
/// The collector measures it on calls that are repeated thousands of times, which find all they need
/// in the caches; in a launch it can be twice as much. Where the launches of one program have many
/// more events than those of the other, they say themselves what an event costs.
struct EventCost {
  /// What the collector measured, in nanoseconds; 0 where it takes the cost off itself.
  var calibrated: Double

  /// What recording the launches of a block added to B beyond what it added to A.
  struct Block {
    /// In nanoseconds of the processors.
    var time: Double
    var events: Double
  }

  /// The estimate stays within these shares of what was calibrated: where it would not, the launches
  /// differ in something else than the number of events.
  private static let bounds = 0.5...3

  /// Combines what was calibrated with what the launches say, each by how exact it is.
  ///
  /// The estimate is the mean of two normal distributions multiplied: the prior has the calibrated
  /// cost as its mean and as its standard deviation; the likelihood is that of the median time over
  /// the median events, with the robust deviation of the times over √n and π/2 for a median.
  /// (Gelman et al., Bayesian Data Analysis, 3rd edition, section 2.5.)
  ///
  /// - Parameter blocks: Fewer than four say nothing.
  /// - Returns: Nanoseconds, from a half to three times what was calibrated.
  func corrected(by blocks: [Block]) -> Double {
    guard calibrated > 0, blocks.count >= 4, let times = try? Sample(blocks.map(\.time)),
      let events = try? Sample(blocks.map(\.events))
    else { return calibrated }
    let variance =
      Double.pi / 2 * times.robustDeviation * times.robustDeviation / Double(blocks.count)
    guard variance > 0 else { return calibrated }
    let prior = 1 / (calibrated * calibrated)
    let seen = events.median * events.median / variance
    let mean = (calibrated * prior + times.median * events.median / variance) / (prior + seen)
    return min(max(mean, calibrated * Self.bounds.lowerBound), calibrated * Self.bounds.upperBound)
  }
}
