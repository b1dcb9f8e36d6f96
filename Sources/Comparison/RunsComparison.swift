import Foundation
package import LaunchCore
package import LaunchStatistics

/// What is concluded of two targets that were launched in two runs, of one state and metric.
///
/// Their launches were not interleaved, so that whatever was different in the machine between the
/// two runs is in the ratio. How much that is, only the scatter of many nights tells: without it
/// nothing can be concluded.
package struct RunsComparison: Hashable, Sendable {
  /// One side: a run and what is known of how its nights scatter.
  package struct Side: Hashable, Sendable {
    /// The summary of the arm in the run.
    package var row: MetricRow

    /// The medians of other nights of the same series, in the unit of the metric, the oldest first.
    package var nights: [Double]

    package init(row: MetricRow, nights: [Double]) {
      self.row = row
      self.nights = nights
    }
  }

  /// The fewest nights that tell a scatter.
  package static let minNights = 5

  package var pair: ComparedPair
  package var state: LaunchState
  package var metric: Metric
  package var baseline: Side
  package var candidate: Side
  package var rule: ComparisonRule

  /// What forbids a verdict, whatever the numbers; nil when nothing does.
  package var obstacle: PairedComparison.Doubt?

  /// The number of nights that the scatter of the less known side is taken from.
  package var nights: Int { min(baseline.nights.count, candidate.nights.count) }

  /// The ratio of the medians; nil where one of them is not above 0.
  package var ratio: Double? {
    guard baseline.row.median > 0, candidate.row.median > 0 else { return nil }
    return candidate.row.median / baseline.row.median
  }

  /// The interval of the ratio; nil when it cannot be had.
  ///
  /// With v the variance of the logarithm of a median within its run, and s² that of the logarithms
  /// of the medians of other nights, its half-width on the logarithmic scale is
  /// t · √(v₁ + v₂ + s₁² + s₂²), where t is Student's quantile for one degree of freedom less than
  /// nights. The nights' own error is in s² once more, so that the interval is rather too wide.
  package var interval: Interval? { interval(confidence: rule.confidence) }

  private func interval(confidence: Double) -> Interval? {
    guard let ratio, let error = standardError else { return nil }
    let reach = quantile(for: confidence) * error
    return Interval(low: ratio * exp(-reach), high: ratio * exp(reach))
  }

  /// The smallest effect that two runs like these tell apart in 80 % of cases; nil where there is no
  /// interval.
  package var smallestDetectable: Double? {
    standardError.map {
      expm1(log1p(rule.effectLimit) + (quantile(for: rule.confidence) + Self.normalOfPower) * $0)
    }
  }

  /// The same as every comparison is shown.
  package var finding: ComparisonFinding {
    let judged = judgement
    return ComparisonFinding(
      pair: pair,
      state: state,
      metric: metric,
      baselineMedian: baseline.row.median,
      candidateMedian: candidate.row.median,
      ratio: ratio,
      interval: interval,
      interval95: interval(confidence: 0.95),
      verdict: judged.verdict,
      doubt: judged.doubt,
      count: min(baseline.row.n, candidate.row.n),
      smallestDetectable: smallestDetectable,
      rule: rule
    )
  }

  private var judgement: (verdict: Verdict, doubt: PairedComparison.Doubt?) {
    if let obstacle { return (.inconclusive, obstacle) }
    guard nights >= Self.minNights else { return (.inconclusive, .notInterleaved) }
    guard let ratio, interval != nil else { return (.inconclusive, .fewPairs) }
    return rule.judged(ratio, interval)
  }
}

// MARK: - Scatter

extension RunsComparison {
  /// The quantile of the normal distribution at the power that detection asks for.
  private static let normalOfPower = 0.8416

  private func quantile(for confidence: Double) -> Double {
    StudentT.quantile((1 + confidence) / 2, degreesOfFreedom: Double(nights - 1))
  }

  /// The standard error of the logarithm of the ratio.
  private var standardError: Double? {
    guard nights >= Self.minNights,
      let first = Self.variance(within: baseline.row),
      let second = Self.variance(within: candidate.row),
      let third = Self.variance(between: baseline.nights),
      let fourth = Self.variance(between: candidate.nights)
    else { return nil }
    return (first + second + third + fourth).squareRoot()
  }

  /// That of the logarithm of the median, from its 95 % interval.
  private static func variance(within row: MetricRow) -> Double? {
    guard let low = row.intervalLow, let high = row.intervalHigh, low > 0 else { return nil }
    let width = (log(high) - log(low)) / (2 * 1.960)
    return width * width
  }

  private static func variance(between nights: [Double]) -> Double? {
    let logs = nights.filter { $0 > 0 }.map { log($0) }
    return (try? Sample(logs))?.variance
  }
}

/// What is concluded from two stored runs.
package struct StoredComparison: Hashable, Sendable {
  package var baseline: RunRecord
  package var candidate: RunRecord

  /// By target and state in the order of the baseline, then by metric as they were asked for.
  package var arms: [RunsComparison]

  /// The launches of each arm; empty where they were not asked for.
  package var launches: [ComparedLaunches] = []

  /// What a reader must know, the gravest first.
  package var warnings: [Diagnostic]

  /// The same as every comparison is shown.
  package var findings: [ComparisonFinding] { arms.map(\.finding) }

  /// That of the deciding arm: a regression before inconclusive before an improvement before same.
  package var verdict: Verdict { findings.verdict }

  package var exitCode: LabExitCode { verdict.exitCode }
}

/// What two stored runs have in common, and what not.
package struct RunLikeness {
  private let baseline: RunRecord
  private let candidate: RunRecord

  package init(_ baseline: RunRecord, _ candidate: RunRecord) {
    self.baseline = baseline
    self.candidate = candidate
  }

  /// What forbids every verdict on the two runs; nil when nothing does.
  package var obstacle: PairedComparison.Doubt? {
    if baseline.host.isOther(than: candidate.host) { return .differentHosts }
    return differentControls.isEmpty ? nil : .differentControls
  }

  /// What a reader must know before believing a comparison of the two, the gravest first.
  package var warnings: [Diagnostic] {
    [hosts, controls, reclaim, status].compactMap(\.self)
  }

  private var hosts: Diagnostic? {
    guard baseline.host.isOther(than: candidate.host) else { return nil }
    return Diagnostic(
      .warning,
      id: "different-hosts",
      problem: "the runs were made on different hosts: \(differentFacts)",
      place: place,
      remedy: Self.remedy
    )
  }

  private var controls: Diagnostic? {
    let names = differentControls
    guard !names.isEmpty else { return nil }
    return Diagnostic(
      .warning,
      id: "different-controls",
      problem:
        "the runs had different controls: \(names.joined(separator: ", "))",
      place: place,
      remedy: Self.remedy
    )
  }

  private var reclaim: Diagnostic? {
    guard baseline.host.proactiveReclaim != candidate.host.proactiveReclaim else { return nil }
    let agents = [baseline, candidate].map { $0.host.proactiveReclaim ?? "nothing" }
    return Diagnostic(
      .warning,
      id: "different-reclaim",
      problem: "idle pages were dropped by \(agents[0]) in the one run and by \(agents[1]) in the "
        + "other, which moves warm launches",
      place: place,
      remedy: Self.remedy
    )
  }

  private var status: Diagnostic? {
    let runs = [baseline, candidate].filter { $0.status != .complete }
    guard !runs.isEmpty else { return nil }
    let names = runs.map { "\($0.id) is \($0.status.rawValue)" }
    return Diagnostic(
      .warning,
      id: "incomplete-run",
      problem: "not every block was launched: \(names.joined(separator: ", "))",
      remedy: "compare complete runs, as `launchlab history` lists them"
    )
  }

  private var place: String { "\(baseline.id), \(candidate.id)" }

  private static let remedy =
    "compare the two programs interleaved, with `launchlab compare \"CMD A\" \"CMD B\"` or "
    + "`launchlab compare --revisions A..B scenario.yml`"

  /// What the hosts are called, where both are known by name.
  private var names: [String]? {
    let names = [baseline, candidate].compactMap(\.host.name)
    return names.count == 2 ? names : nil
  }

  /// The facts that are not the same, such as `kernel 6.1 and 6.18`.
  private var differentFacts: String {
    let facts: [(String, (HostFacts) -> String?)] = [
      ("cpu", \.cpuModel), ("cpus", { $0.cpuCount.map(String.init) }),
      ("memory", { $0.memoryBytes.map(String.init) }), ("architecture", \.architecture),
      ("kernel", \.kernel), ("libc", \.libc), ("microcode", \.microcode),
      ("governor", \.governor), ("file system", \.fileSystem), ("storage", \.storage),
      ("read-ahead", { $0.readAheadKilobytes.map(String.init) }),
      ("I/O scheduler", \.ioScheduler), ("proactive reclaim", \.proactiveReclaim),
      ("virtualization", \.virtualization),
    ]
    let different = facts.compactMap { name, fact -> String? in
      let values = [fact(baseline.host), fact(candidate.host)]
      guard values[0] != values[1] else { return nil }
      return "\(name) \(values[0] ?? "unknown") and \(values[1] ?? "unknown")"
    }
    if different.isEmpty, let names { return "\(names[0]) and \(names[1]), which are alike" }
    return different.isEmpty ? "their fingerprints differ" : different.joined(separator: "; ")
  }

  /// The controls that were in force in one of the two only, or otherwise, in the order of both.
  private var differentControls: [String] {
    let first = inForce(baseline)
    let second = inForce(candidate)
    return ControlName.allCases.map(\.rawValue).filter { first[$0] != second[$0] }
  }

  /// What was applied, by control.
  private func inForce(_ run: RunRecord) -> [String: String] {
    run.controls.reduce(into: [:]) { applied, receipt in
      guard receipt.status == .applied else { return }
      applied[receipt.name] = receipt.wanted ?? receipt.after ?? ""
    }
  }
}
