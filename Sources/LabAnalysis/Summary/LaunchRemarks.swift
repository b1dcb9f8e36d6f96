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
      problem: "bimodal: \(phrases[0]), \(phrases[1]); something differs "
        + "from launch to launch, such as the core, its frequency, or a cache that is hit or not",
      remedy: "judge each mode by itself; `launchlab export` shows what distinguishes them"
    )
  }

  private var drift: Diagnostic? {
    guard let drift = sample.drift else { return nil }
    let direction = drift.change > 0 ? "slower" : "faster"
    return Diagnostic(
      .warning,
      id: "drift",
      problem: "launches became "
        + "\(Wording.percent(abs(drift.share))) \(direction) during the run, by "
        + "\(Wording.time(abs(drift.change))); the machine may have heated up, or other work on it or "
        + "what the target stores may have changed",
      remedy: "run again on an idle machine, and compare only arms of the same run"
    )
  }

  private var firstLaunch: Diagnostic? {
    guard let first = sample.firstValueEffect else { return nil }
    return Diagnostic(
      .warning,
      id: "first-launch",
      problem: "the first launch took \(Wording.time(first.value)), "
        + "\(Wording.multiple(first.multiple)) times the median of the others: something was probably "
        + "colder, or it is chance",
      remedy: "use the median, and run again to see whether it recurs"
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
        + "(\(outliers.high) slow, \(outliers.low) fast), usually due to other work on the machine; "
        + "none was dropped",
      remedy: "use the median and its interval rather than the mean"
    )
  }
}
