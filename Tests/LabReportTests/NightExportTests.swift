import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore

@Suite struct NightExportTests {
  private let full = NightRow(
    scenario: "größe, \"x\"",
    startedAt: SampleRun.startedAt,
    status: .complete,
    purpose: .night,
    fingerprint: "3fa21b90c4d1e8a7",
    commit: "e83c5163316f89bfbde7d9ab23ca2e25604af290",
    summary: MetricRow(
      run: "20261121T043000Z-3fa2",
      arm: Arm(target: "app", state: .warm),
      metric: .launch,
      version: 1,
      n: 40,
      mean: 0.1 + 0.2,
      variance: 1.0 / 3,
      median: 2_600_000.5,
      medianAbsoluteDeviation: 12,
      minimum: 1,
      maximum: 1e300,
      p90: 2,
      p95: 3,
      intervalLow: 4.25,
      intervalHigh: 5
    )
  )

  /// One launch without a build.
  private var bare: NightRow {
    var row = full
    row.purpose = .imported
    row.commit = nil
    row.summary.n = 1
    row.summary.variance = nil
    row.summary.intervalLow = nil
    row.summary.intervalHigh = nil
    return row
  }

  @Test func `writes nights as JSON lines`() throws {
    let text = [full, bare].map(NightLines().line).joined()
    try expectSnapshot(text, named: "nights", suite: "NightExport")
  }

  @Test func `writes nights as CSV`() throws {
    let text = NightCSV.header + [full, bare].map(NightCSV().line).joined()
    try expectSnapshot(text, named: "nights-csv", suite: "NightExport")
  }

  @Test func `writes numbers that read back as the same`() throws {
    struct Line: Decodable { var mean, variance, median, max: Double }
    let line = try JSONDecoder().decode(Line.self, from: Data(NightLines().line(for: full).utf8))
    #expect([line.mean, line.variance] == [0.1 + 0.2, 1.0 / 3])
    #expect([line.median, line.max] == [2_600_000.5, 1e300])
    let fields = NightCSV().line(for: full).split(separator: ",").map { Double($0) }
    #expect(fields.contains(0.1 + 0.2) && fields.contains(1.0 / 3))
  }
}

@Suite struct AlertLinesTests {
  @Test func `writes everything of an alert`() throws {
    let event = AlertEvent(
      at: SampleRun.startedAt,
      run: "20261121T043000Z-3fa2",
      state: .confirmed,
      cause: .code,
      reason: "the comparison agrees",
      criteria: [
        Criterion(
          id: "t-prediction",
          text: "tonight's median against the limit",
          value: 0.1 + 0.2,
          limit: 0.25,
          isMet: true,
          n: 12,
          unit: .nanoseconds,
          runs: ["a", "b"]
        ),
        Criterion(id: "effect", text: "not known", value: nil, isMet: false, unit: .share),
      ]
    )
    let series = SeriesKey.sample("app", "server", "c0ffee")
    let proof = Proof(
      run: "20261121T050000Z-1a2b",
      baseline: "server@good",
      candidate: "server@bad",
      good: "0123",
      bad: "4567",
      scope: .build,
      pairs: 4,
      ratio: 1.08,
      low: nil,
      high: nil,
      confidence: 0.95,
      effectLimit: 0.02,
      verdict: .regression
    )
    let alert = Alert(
      number: 17,
      kind: .step,
      series: series,
      direction: .worse,
      state: .confirmed,
      cause: .code,
      onset: "20261121T043000Z-3fa2",
      lastGood: nil,
      before: 2.5,
      after: 3,
      proof: proof,
      events: [event]
    )
    let delivery = Delivery(
      alert: 17,
      event: 0,
      notifier: "email dev@example.org",
      at: SampleRun.startedAt,
      failure: "sendmail is missing"
    )
    let text = AlertLines().line(for: alert, deliveries: [delivery])
    try expectSnapshot(text, named: "alert", suite: "AlertLines")
    _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
  }
}

@Suite struct ImportTextTests {
  @Test(arguments: [0, 1, 3])
  func `tells what was imported`(count: Int) throws {
    let runs = (0..<count).map { day in
      var run = HistoryTests.runs[0]
      run.startedAt += Double(day) * 86_400
      return run
    }
    let summary = ImportSummary(
      scenario: "app",
      store: "/data/lab.sqlite",
      runs: runs,
      skipped: 2 - count / 2,
      warnings: []
    )
    try expectSnapshot(ImportText(summary).rendered(), named: "\(count)-runs", suite: "ImportText")
  }
}
