import LabModel
import LabStatistics

/// What is odd about the launch times of one arm, in words, without a place.
struct LaunchRemarks {
  private let sample: Sample

  /// - Parameter sample: In nanoseconds, in launch order.
  init(_ sample: Sample) { self.sample = sample }

  /// Of two modes the smaller one would look like outliers, so these are not told of as well.
  var all: [Diagnostic] {
    let modes = twoModes
    return [modes, drift, firstLaunch, modes == nil ? outliers : nil].compactMap(\.self)
  }

  private var twoModes: Diagnostic? {
    guard let modes = sample.twoModes else { return nil }
    let phrases = [modes.low, modes.high].map {
      "\(Wording.percent($0.share)) near \(Wording.time($0.center))"
    }
    return Diagnostic(
      .warning,
      id: "two-modes",
      problem: "the launches have two modes: \(phrases[0]), \(phrases[1]); something is different "
        + "from launch to launch, such as the core, its frequency, or a cache that is hit or not",
      remedy: "judge each mode by itself, and see with `launchlab export` what tells them apart"
    )
  }

  private var drift: Diagnostic? {
    guard let drift = sample.drift else { return nil }
    let direction = drift.change > 0 ? "slower" : "faster"
    return Diagnostic(
      .warning,
      id: "drift",
      problem: "from the first launch to the last they became "
        + "\(Wording.percent(abs(drift.share))) \(direction), by "
        + "\(Wording.time(abs(drift.change))); the machine may have heated up, or other work or "
        + "what the target itself stores may have changed",
      remedy: "run again once the machine is at rest, and compare arms within one run only"
    )
  }

  private var firstLaunch: Diagnostic? {
    guard let first = sample.firstValueEffect else { return nil }
    return Diagnostic(
      .warning,
      id: "first-launch",
      problem: "the first launch took \(Wording.time(first.value)), "
        + "\(Wording.multiple(first.multiple)) times the median of the others; something may have "
        + "been colder than before the others, or it may be chance",
      remedy: "read the median, which it hardly moves, and run again to see whether it comes back"
    )
  }

  private var outliers: Diagnostic? {
    let outliers = sample.outliers
    guard outliers.count > 0 else { return nil }
    return Diagnostic(
      .note,
      id: "outliers",
      problem: "\(Wording.launches(outliers.count, of: sample.count)) "
        + "\(outliers.count == 1 ? "is an outlier" : "are outliers") "
        + "(\(outliers.high) slow, \(outliers.low) fast); other work on the machine is the usual "
        + "cause, and none was dropped",
      remedy: "read the median and its interval, which outliers hardly move, not the mean"
    )
  }
}
