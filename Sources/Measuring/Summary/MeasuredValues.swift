package import LaunchCore
import LaunchStatistics
import Rendering

/// The values of every metric and counter of some launches of one arm.
///
/// A launch without a value of a metric adds none, so arrays may differ in length.
struct MeasuredValues: Sendable {
  private let counters: [String]
  private let planned: Int
  private var launches = 0
  private var metricValues: [Metric: [Int64]] = [:]
  private var counterValues: [String: [Int64]] = [:]
  private var reasons: [String: String] = [:]

  /// Whether user and system time of a launch were only sampled: then those of the others, in which
  /// ticks fell into both, would be a selection.
  private var hasSampledSplit = false

  /// The most values that room is made for at once, whatever a plan claims.
  private static let mostReserved = 131_072

  init(counters: [String], planned: Int) {
    self.counters = counters
    self.planned = min(planned, Self.mostReserved)
  }

  var isEmpty: Bool { launches == 0 }

  mutating func add(_ result: LaunchResult) {
    launches += 1
    let planned = planned
    for metric in Metric.allCases {
      if let value = result.reliableValue(of: metric) {
        metricValues[metric, default: Self.room(for: planned)].append(value)
      } else {
        reasons[metric.rawValue] = result.missingReason(of: metric) ?? reasons[metric.rawValue]
      }
    }
    if result.figures.isSplitSampled { hasSampledSplit = true }
    for counter in counters {
      if let value = result.figures.counters[counter] {
        counterValues[counter, default: Self.room(for: planned)].append(value)
      } else {
        reasons[counter] = result.figures.missing[counter] ?? reasons[counter]
      }
    }
  }

  mutating func removeAll() { self = Self(counters: counters, planned: planned) }

  /// Per metric that has a value, in the order of `Metric.allCases`.
  func metricSummaries(withRemarks: Bool) -> [MetricSummary] {
    Metric.allCases.compactMap { metric in
      guard let values = values(of: metric), let sample = try? Sample(values.map(Double.init))
      else { return nil }
      let remarks = withRemarks && metric == .launch ? LaunchRemarks(sample).all : []
      return MetricSummary(
        metric: metric,
        values: values,
        estimates: sample.estimates,
        remarks: remarks
      )
    }
  }

  private func values(of metric: Metric) -> [Int64]? {
    let isSplit = metric == .userTime || metric == .systemTime
    return isSplit && hasSampledSplit ? nil : metricValues[metric]
  }

  /// Why a metric has no value in any launch, by its JSON name; the last reason seen.
  var missingMetrics: [String: String] {
    Metric.allCases.reduce(into: [:]) { missing, metric in
      if values(of: metric) == nil { missing[metric.rawValue] = reasons[metric.rawValue] }
    }
  }

  /// Per counter that was asked for; none before the first launch.
  func counterSummaries() -> [String: CounterSummary] {
    guard !isEmpty else { return [:] }
    return counters.reduce(into: [:]) { summaries, counter in
      if let sample = try? Sample(counterValues[counter, default: []].map(Double.init)) {
        summaries[counter] = .estimated(sample.estimates)
      } else {
        let reason = reasons[counter] ?? "no launch has a value"
        summaries[counter] = .missing(reason: reason)
      }
    }
  }

  private static func room(for count: Int) -> [Int64] {
    var values: [Int64] = []
    values.reserveCapacity(count)
    return values
  }
}

/// What is odd about the launch times of one arm, in words, without a place.
struct LaunchRemarks {
  private let sample: Sample

  /// - Parameter sample: In nanoseconds, in launch order.
  init(_ sample: Sample) { self.sample = sample }

  /// Of two modes the smaller one would look like outliers, so these are not told of as well.
  var all: [Diagnostic] {
    let modes = twoModes ?? twoGroups
    return [modes, drift, firstLaunch, modes == nil ? outliers : nil].compactMap(\.self)
  }

  private var twoModes: Diagnostic? {
    guard let modes = sample.bimodality else { return nil }
    return Diagnostic(
      .warning,
      id: "two-modes",
      problem: "bimodal: \(Self.phrase(modes)); something differs "
        + "from launch to launch, such as the core, its frequency, or a cache that is hit or not",
      remedy: "judge each mode by itself; `launchlab explain --slow` says why one is slower"
    )
  }

  /// Of too few launches to be sure of two modes.
  private var twoGroups: Diagnostic? {
    guard let groups = sample.groupsAcrossMedian else { return nil }
    return Diagnostic(
      .warning,
      id: "two-modes",
      problem: "the median may be in either of two groups, which its interval reaches between: "
        + Self.phrase(groups),
      remedy: "launch more often to see which is usual; `launchlab export` shows every launch"
    )
  }

  private static func phrase(_ modes: Bimodality) -> String {
    [modes.low, modes.high].map {
      "\(Quantity.percent($0.share)) near \(Wording.time($0.center))"
    }.joined(separator: ", ")
  }

  private var drift: Diagnostic? {
    guard let drift = sample.drift else { return nil }
    let verb = drift.change > 0 ? "slowed" : "sped up"
    return Diagnostic(
      .warning,
      id: "drift",
      problem: "launches \(verb) by \(Quantity.percent(abs(drift.share))) "
        + "(\(Wording.time(abs(drift.change)))) during the run; the machine may have heated up, or "
        + "other work on it or what the target stores may have changed",
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
      problem: "\(Quantity.launches(outliers.count, of: sample.count)) "
        + "\(outliers.count == 1 ? "is an outlier" : "are outliers") "
        + "(\(outliers.high) slow, \(outliers.low) fast), due to other work on the machine or to the program; "
        + "none was dropped",
      remedy: outliers.high >= 5
        ? "`launchlab explain --slow` says why some are slow"
        : "use the median and its interval rather than the mean"
    )
  }
}

extension StateReached {
  /// Judges whether a launch had the state that was asked for.
  ///
  /// Before a cold launch at least a share of its own files' pages must not be resident, and what it
  /// brings in must have come from storage; a warm one may have few major faults, as
  /// `Preparation.isWarm` has it. After a launch that had to be killed a target may recover first,
  /// unless it always has to be killed.
  ///
  /// - Parameters:
  ///   - state: What was asked for.
  ///   - preparation: What was done before the launch, with the residency read last.
  ///   - result: What the launch gave.
  ///   - coldShare: The share that must not be resident, from 0 to 1; nil means
  ///     `Scenario.defaultColdShare`.
  /// - Returns: The judgement, with the reason when the state was not reached or not verified.
  package static func judged(
    _ state: LaunchState,
    preparation: Preparation,
    result: LaunchResult,
    coldShare: Double? = nil
  ) -> StateReached {
    if result.flags.contains(.afterKill), !result.flags.contains(.killed) {
      return .notReached(
        reason: "the launch before had to be killed, so this one may have recovered"
      )
    }
    if state.isCold {
      return judgedCold(preparation, result, share: coldShare ?? Scenario.defaultColdShare)
    }
    switch Preparation.isWarm(result.figures, watching: preparation.residency) {
    case true?: return .reached
    case false?: return .notReached(reason: preparation.failure ?? "the launch had major faults")
    case nil:
      let reason = result.figures.missing[Metric.majorFaults.rawValue] ?? "the launch did not end"
      return .notVerified(reason: "major faults are not known: \(reason)")
    }
  }

  private static func judgedCold(
    _ preparation: Preparation,
    _ result: LaunchResult,
    share: Double
  ) -> StateReached {
    if let failure = preparation.failure { return .notReached(reason: failure) }
    if let unverified = preparation.unverified { return .notVerified(reason: unverified) }
    let own = preparation.residency.filter(\.isOwn)
    let total = own.reduce(0) { $0 + $1.totalPages }
    let resident = own.reduce(0) { $0 + $1.residentPages }
    if Double(total - resident) < share * Double(total),
      let worst = own.max(by: { $0.residentPages < $1.residentPages })
    {
      let cause = worst.pinnedBy.map { " (\($0))" } ?? ""
      return .notReached(reason: "pages of \(worst.path) stayed\(cause)")
    }
    if let readIn = result.readIn, readIn.isFromElsewhere {
      return .notReached(
        reason: "\(mebibytes(readIn.ownBytes)) of its files came in, but the machine read only "
          + "\(mebibytes(readIn.machineBytes)) from storage: something else holds them"
      )
    }
    return .reached
  }

  /// Such as `44.6 MiB`.
  private static func mebibytes(_ bytes: Int64) -> String {
    let tenths = (bytes * 10 + 1 << 19) >> 20
    return "\(tenths / 10).\(tenths % 10) MiB"
  }
}

extension ReadIn {
  /// Whether what came in cannot have been read from storage.
  ///
  /// A compressed file system reads down to a tenth of what it gives; what is below 1 MiB is too
  /// little to be told from rounding.
  fileprivate var isFromElsewhere: Bool {
    ownBytes >= 1 << 20 && machineBytes < ownBytes / 10
  }
}
