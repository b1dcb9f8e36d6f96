import Foundation
import LabTestSupport

@testable import LaunchCore
@testable import LaunchStore

/// What is concluded from histories.
extension Sample {
  static let artifact = Artifact(path: "/src/é", digest: "00ff", bytes: .max)

  static let inventory = LaunchInventory(
    target: "server",
    things: [GateThing(kind: .library, name: "libfoo.so.1")],
    opened: ["libplug.so"],
    counts: [.relocations: .init(1204)]
  )

  static let series = SeriesKey.sample("redis", "server", "c0ffee")

  /// An alert whose every optional field has a value.
  static func alert(_ number: Int = 1, events: Int = 2) -> Alert {
    Alert(
      number: number,
      kind: .step,
      series: series,
      direction: .worse,
      state: events == 1 ? .suspected : .confirmed,
      cause: events == 1 ? .unknown : .code,
      onset: run().id,
      lastGood: "20261120T043000Z-1a2b",
      before: 2_500_000.1,
      after: 2_600_000.2,
      proof: proof,
      events: Array([suspicion, confirmation][..<events])
    )
  }

  static let explanation = AlertExplanation(
    run: "20261121T043000Z-0001",
    before: "server@0123",
    after: "server@4567",
    why: "scan_plugins (new): +0.34 of +0.46 ms (73 %)",
    markdown: "`scan_plugins` (new): +0.34 of +0.46 ms (73 %)",
    section: "### server@4567 is slower\n",
    text: "server@4567 is slower\n"
  )

  static let proof = Proof(
    run: "20261121T050000Z-1a2b",
    baseline: "server@good",
    candidate: "server@bad",
    good: "0123",
    bad: "4567",
    scope: .executable,
    pairs: 40,
    ratio: 1.08,
    low: 1.07,
    high: 1.09,
    confidence: 0.95,
    effectLimit: 0.02,
    verdict: .regression,
    smallestDetectable: 0.013
  )

  static let suspicion = AlertEvent(
    at: start,
    run: run().id,
    state: .suspected,
    cause: .unknown,
    reason: "one night is beyond the limit",
    criteria: [
      Criterion(
        id: "t-prediction",
        text: "tonight's median against the limit",
        value: 0.1 + 0.2,
        limit: .infinity,
        isMet: true,
        n: 12,
        unit: .nanoseconds,
        runs: [run().id]
      ),
      Criterion(id: "effect", text: "none", value: nil, isMet: false, unit: .share),
    ]
  )

  static let confirmation = AlertEvent(
    at: start.addingTimeInterval(60),
    state: .confirmed,
    cause: .code,
    reason: "the comparison \"agrees\""
  )

  /// A row of what a night came to, of one arm.
  static func row(
    of run: RunRecord,
    arm: Arm = arms[1],
    metric: Metric = .launch,
    median: Double
  ) -> MetricRow {
    MetricRow(
      run: run.id,
      arm: arm,
      metric: metric,
      version: 1,
      n: 40,
      mean: median + 1,
      variance: 4,
      median: median,
      medianAbsoluteDeviation: 1.5,
      minimum: median - 3,
      maximum: median + 3,
      p90: median + 2,
      p95: median + 2.5,
      intervalLow: median - 1,
      intervalHigh: median + 1
    )
  }
}

extension Store {
  /// Stores a complete run with one summary per given arm and metric.
  func addNight(_ run: RunRecord, _ rows: [MetricRow]) throws {
    var run = run
    if run.status == .unfinished { run.status = .complete }
    try add([FinishedRun(run: run, launches: [], summaries: rows)])
  }
}
