import Foundation
package import LaunchCore
import LaunchStatistics

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
    guard points.count >= DetectionLimits.minNights,
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
      median: points.pooledShare ?? center,
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

extension MissedNight {
  /// How many of the newest nights tell how often there is one.
  private static let looked = 30

  /// The nights of a host that are not there, or that failed, among its last 30 up to tonight.
  ///
  /// The median distance of complete nights says how often there should be one. Only for nightly
  /// runs, 0.5 to 1.5 days apart, days without any run are missed; a failed, interrupted or
  /// unfinished run is always told of, unless another one of that day was complete.
  ///
  /// - Parameters:
  ///   - nights: Those of the scenario on any host, ascending by start.
  ///   - tonight: Whose host it is. Later nights are not looked at; neither is this one.
  ///   - leftOut: Runs that somebody took out of history; a removed one is not told of.
  /// - Returns: Ascending by day.
  package static func missed(
    in nights: [Night],
    before tonight: Night,
    leftOut: [LeftOutRun] = []
  ) -> [Self] {
    let host = HostNights(nights, of: tonight)
    let past = host.line
    let complete = Array(
      past.filter { $0.status == .complete || $0.run == tonight.run }.suffix(looked + 1)
    )
    guard let first = complete.first else { return [] }
    let failed = past.filter {
      $0.status != .complete && $0.run != tonight.run && $0.startedAt >= first.startedAt
    }
    let days = Set(complete.map { $0.startedAt.utcDay })
    var reasons: [String: String] = [:]
    for day in daysWithoutRun(between: complete) where !days.contains(day) {
      reasons[day] = "no run"
    }
    for night in failed where !days.contains(night.startedAt.utcDay) {
      reasons[night.startedAt.utcDay] = "run \(night.run) \(night.status.phrase)"
    }
    let wanted = leftOut.filter(host.wouldJoin)
    for gone in wanted where (first.startedAt...tonight.startedAt).contains(gone.startedAt) {
      let day = gone.startedAt.utcDay
      guard !days.contains(day) else { continue }
      let isHidden = gone.decision.standing == .removed
      reasons[day] = isHidden ? nil : "run \(gone.run) was excluded: \(gone.decision.reason)"
    }
    return reasons.sorted { $0.key < $1.key }.map { Self(day: $0.key, reason: $0.value) }
  }

  private static func daysWithoutRun(between nights: [Night]) -> [String] {
    let pairs = zip(nights, nights.dropFirst())
    let gaps = pairs.map { $1.startedAt.timeIntervalSince($0.startedAt) / DriftComparison.day }
    // Two runs on one day say nothing of how often there is one.
    guard let usual = (try? Sample(gaps.filter { $0 > 0.25 }))?.median, usual >= 0.5, usual <= 1.5
    else { return [] }
    return zip(pairs, gaps).flatMap { pair, gap in
      let count = Int(clamping: (gap / usual).rounded()) - 1
      return (1..<max(1, count + 1)).map {
        (pair.0.startedAt + Double($0) * usual * DriftComparison.day).utcDay
      }
    }
  }
}

extension RunRecord.Status {
  fileprivate var phrase: String {
    switch self {
    case .unfinished: "is not finished"
    case .complete: "is complete"
    case .failed: "failed"
    case .interrupted: "was interrupted"
    }
  }
}

extension NoiseProfile {
  /// The newest nights that are looked at.
  private static let nights = 100

  /// The fewest nights that tell a shape.
  private static let fewest = 20

  /// How the nights of the newest part scatter around the levels of their segments.
  ///
  /// Two modes, at the limits of `Sample.bimodality`, come before more than 3 % of outliers (at least
  /// two), and those before a skew: the 10 % quantile and the 90 % quantile are not equally far from
  /// the median, by a ratio of more than 2.
  init(_ chain: SeriesChain, segments: [Segment]) {
    let first = max(chain.partStart, chain.points.count - Self.nights)
    let ratios = segments.flatMap { segment in
      segment.range.filter { $0 >= first && segment.level > 0 }.map {
        chain.points[$0].median / segment.level
      }
    }
    guard ratios.count >= Self.fewest, let sample = try? Sample(ratios) else {
      self = .unknown
      return
    }
    let outliers = sample.outliers.count
    let below = sample.median - sample.quantile(0.1)
    let above = sample.quantile(0.9) - sample.median
    if sample.bimodality != nil {
      self = .modal
    } else if outliers >= 2, Double(outliers) > 0.03 * Double(sample.count) {
      self = .outliers
    } else {
      self = max(above, below) > 2 * min(above, below) ? .skewed : .ok
    }
  }
}

extension HostChange {
  /// The facts that are not the same on two nights, in the order of the facts.
  ///
  /// - Parameters:
  ///   - before: The host of the earlier night.
  ///   - after: That of the later one.
  /// - Returns: A fact that could not be read is called `unknown`; the fingerprint is no fact.
  package static func changes(from before: HostFacts, to after: HostFacts) -> [Self] {
    zip(facts(of: before), facts(of: after)).compactMap { old, new in
      guard old.value != new.value else { return nil }
      return Self(fact: old.name, before: old.value ?? "unknown", after: new.value ?? "unknown")
    }
  }

  private static func facts(of host: HostFacts) -> [(name: String, value: String?)] {
    [
      ("cpu", host.cpuModel),
      ("cpus", host.cpuCount.map(String.init)),
      ("memory", host.memoryBytes.map { "\($0) B" }),
      ("architecture", host.architecture),
      ("kernel", host.kernel),
      ("kernel build", host.kernelBuild),
      ("libc", host.libc),
      ("microcode", host.microcode),
      ("governor", host.governor),
      ("file system", host.fileSystem),
      ("device", host.device),
      ("storage", host.storage),
      ("read-ahead", host.readAheadKilobytes.map { "\($0) KiB" }),
      ("I/O scheduler", host.ioScheduler),
      ("proactive reclaim", host.proactiveReclaim),
      ("virtualization", host.virtualization),
    ]
  }
}
