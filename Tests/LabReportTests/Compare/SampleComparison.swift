import Foundation

@testable import Comparison
@testable import LaunchCore
@testable import LaunchStatistics
@testable import Measuring

/// Comparisons with fixed figures, for snapshots.
enum SampleComparison {
  /// One verdict of each kind, without an interval that is computed.
  struct Shape {
    var candidate = "B"
    var state = LaunchState.warm
    var metric = Metric.launch
    var ratio: Double
    var spread = 0.012
    var pairs = 50
    var obstacle: PairedComparison.Doubt?
    var rule = ComparisonRule()

    /// Every so many launches of the candidate, or of the baseline, take this many times as long.
    var slow: (every: Int, times: Double, isCandidate: Bool)?

    /// The launches that count for slow ones; nil where the rule has no limit for them.
    var tail: PairedTail? {
      guard rule.tailLimit != nil else { return nil }
      return try? PairedTail(
        (0..<pairs).map { index in
          let base = 2.61e6 * (1 + 0.002 * Double(index % 5))
          let times = slow.map { index.isMultiple(of: $0.every) ? $0.times : 1 } ?? 1
          let isCandidate = slow?.isCandidate ?? true
          return (base * (isCandidate ? 1 : times), base * ratio * (isCandidate ? times : 1))
        }
      )
    }
  }

  static func summary(
    _ shapes: [Shape],
    status: RunRecord.Status = .complete
  ) throws -> ComparisonSummary {
    let names = ["A"] + Set(shapes.map(\.candidate)).sorted()
    let targets = names.map { name in
      Target(name: name, command: ["perl", "-e", "sleep \(name)"], directory: "/home/ada/lab")
    }
    let states = LaunchState.allCases.filter { state in shapes.contains { $0.state == state } }
    let plain = names.flatMap { name in
      states.map { state in
        ArmSummary(
          arm: Arm(target: name, state: state),
          launches: 50,
          outcomes: ["ready": 50],
          state: StateTally(reached: 50),
          metrics: []
        )
      }
    }
    let run = SampleRun.run(plain, targets: targets, status: status, blocks: 50)
    let warning = Diagnostic(
      .note,
      id: "proactive-reclaim",
      problem: "this machine drops idle pages from memory by itself (DAMON pageout)"
    )
    return ComparisonSummary(
      run: RunSummary(run: run, arms: plain, warnings: [warning]),
      arms: try shapes.map(arm)
    )
  }

  private static func arm(_ shape: Shape) throws -> ArmComparison {
    let logs = (0..<shape.pairs).map { index in
      log(shape.ratio) + shape.spread * (Double(index * 7 % 11) - 5)
    }
    let comparison =
      shape.pairs > 0
      ? PairedComparison(
        PairedRatio(logRatios: try Sample(logs)),
        tail: shape.tail,
        rule: shape.rule
      ) : nil
    let median = shape.metric == .launch ? 2.61e6 : 5.2e6
    return ArmComparison(
      pair: ComparedPair(name: shape.candidate, baseline: "A", candidate: shape.candidate),
      state: shape.state,
      metric: shape.metric,
      comparison: comparison,
      unpaired: max(0, 50 - shape.pairs),
      smallestDetectable: comparison?.smallestDetectable,
      baselineMedian: comparison.map { _ in median },
      candidateMedian: comparison.map { median * $0.ratio },
      rule: shape.rule,
      obstacle: shape.obstacle
    )
  }

  /// Two runs of the same scenario, with as many nights beside them.
  static func stored(nights: Int) -> StoredComparison {
    let arm = ArmSummary(
      arm: Arm(target: "server", state: .warm),
      launches: 40,
      outcomes: ["ready": 40],
      state: StateTally(reached: 40),
      metrics: []
    )
    let baseline = SampleRun.run([arm], targets: [SampleRun.server])
    var candidate = baseline
    candidate.id = "20261122T043000Z-77aa"
    candidate.startedAt += 86_400
    let values = (0..<nights).map { 40e6 + 2e5 * Double($0 % 3) }
    let rows = [(baseline.id, 40e6), (candidate.id, 43e6)].map { id, median in
      MetricRow(
        run: id,
        arm: arm.arm,
        metric: .launch,
        version: 1,
        n: 40,
        mean: median,
        median: median,
        medianAbsoluteDeviation: 1e5,
        minimum: median,
        maximum: median,
        p90: median,
        p95: median,
        intervalLow: median * 0.996,
        intervalHigh: median * 1.004
      )
    }
    let comparison = RunsComparison(
      pair: ComparedPair(name: "server", baseline: "server", candidate: "server"),
      state: .warm,
      metric: .launch,
      baseline: .init(row: rows[0], nights: values),
      candidate: .init(row: rows[1], nights: values),
      rule: ComparisonRule()
    )
    return StoredComparison(
      baseline: baseline,
      candidate: candidate,
      arms: [comparison],
      warnings: []
    )
  }
}
