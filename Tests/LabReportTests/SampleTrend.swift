import Foundation

@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

/// Nights with fixed figures, for snapshots of trends.
struct SampleTrend {
  static let fingerprint = SampleRun.host.fingerprint

  /// How many nights there are, tonight included.
  var count = 60

  /// The indices of nights that are not there.
  var missing: Set<Int> = []

  /// The index of the first night with the kernel of tonight; nil for the same one all the time.
  var hostChange: Int?

  /// The name of the scenario and of its first target.
  var scenarioName = "shop"
  var target = "app"
  var subject = "load fonts when they are needed"

  func run(_ night: Int) -> String { "n\(10_000 + night)" }

  func date(_ night: Int) -> Date {
    Date(timeIntervalSince1970: 1_795_226_400 - Double(count - 1 - night) * 86_400)
  }

  func commit(_ night: Int) -> String {
    let digits = "0123456789abcdef".map(String.init)
    return (0..<40).map { digits[(night * 7 + $0 * 5 + night * $0) % 16] }.joined()
  }

  /// Per night but the missing ones.
  var nights: [Night] {
    (0..<count).filter { !missing.contains($0) }.map { night in
      Night(
        run: run(night),
        startedAt: date(night),
        finishedAt: date(night).addingTimeInterval(300),
        fingerprint: hostChange.map { night < $0 } ?? false ? "0ld0ld0ld0ld0ld0" : Self.fingerprint,
        build: Night.Build(
          commit: commit(night),
          subject: night == 51 ? subject : "change \(night)",
          tree: "tree\(night)"
        )
      )
    }
  }

  var missed: [MissedNight] {
    missing.sorted().map { MissedNight(day: day($0), reason: "no run") }
  }

  func day(_ night: Int) -> String { date(night).formatted(.iso8601.year().month().day()) }

  func key(
    _ metric: Metric = .launch,
    _ state: LaunchState = .warm,
    target: String? = nil
  ) -> SeriesKey {
    SeriesKey(
      scenario: scenarioName,
      target: target ?? self.target,
      state: state,
      metric: metric,
      fingerprint: Self.fingerprint
    )
  }

  /// The values of a level with 1 % of noise, the same on every machine.
  func values(_ level: Double, seed: UInt64, step: (at: Int, ratio: Double)? = nil) -> [Double] {
    var generator = SplitMix64(seed: seed, part: 0)
    return (0..<count).map { night in
      let sum = (0..<4).reduce(0.0) { sum, _ in sum + Double(generator.next(below: 1_000)) / 999 }
      let factor = step.map { night >= $0.at ? $0.ratio : 1 } ?? 1
      return (level * factor * (1 + (sum - 2) * 0.012)).rounded()
    }
  }

  func points(_ values: [Double]) -> [SeriesPoint] {
    (0..<count).filter { !missing.contains($0) }.map { night in
      SeriesPoint(
        run: run(night),
        startedAt: date(night),
        n: 40,
        median: values[night],
        medianAbsoluteDeviation: values[night] * 0.011,
        intervalLow: values[night] * 0.992,
        intervalHigh: values[night] * 1.009
      )
    }
  }

  /// The trend of values, with a level before and after a night, if there is one.
  func trend(
    _ key: SeriesKey,
    _ values: [Double],
    change night: Int? = nil,
    outcome: SeriesAssessment.Outcome = .quiet,
    alert: Int? = nil
  ) -> SeriesTrend {
    let points = points(values)
    let start = night.flatMap { night in points.firstIndex { $0.run == run(night) } }
    let ranges = start.map { [0..<$0, $0..<points.count] } ?? [0..<points.count]
    let segments = ranges.map { range in
      Segment(range: range, level: median(points[range].map(\.median)), error: 1e6)
    }
    let changes = start.map { start in
      [
        LevelChange(
          index: start,
          before: segments[0].level,
          after: segments[1].level,
          alert: alert
        )
      ]
    }
    return SeriesTrend(
      key: key,
      points: points,
      segments: segments,
      changes: changes ?? [],
      assessment: assessment(points, before: start, outcome: outcome, alert: alert)
    )
  }

  private func assessment(
    _ points: [SeriesPoint],
    before start: Int?,
    outcome: SeriesAssessment.Outcome,
    alert: Int?
  ) -> SeriesAssessment {
    let end = start ?? max(0, points.count - 3)
    let base = points[max(0, end - 28)..<end]
    func over(_ nights: Int) -> Double? {
      let index = points.count - 1 - nights
      return index < 0 ? nil : points[points.count - 1].median / points[index].median
    }
    return SeriesAssessment(
      tonight: points.last,
      baseline: base.count < 5 ? nil : baseline(base),
      outcome: points.count < 6 ? .new : outcome,
      alert: alert,
      overOneNight: over(1),
      overSevenNights: over(7),
      overThirtyNights: over(30)
    )
  }

  private func baseline(_ points: ArraySlice<SeriesPoint>) -> Baseline {
    let values = points.map(\.median)
    let mean = values.reduce(0, +) / Double(values.count)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let middle = median(values)
    return Baseline(
      runs: points.map(\.run),
      median: middle,
      mean: mean,
      standardDeviation: (squares / Double(values.count - 1)).squareRoot(),
      medianAbsoluteDeviation: median(values.map { abs($0 - middle) })
    )
  }

  private func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let half = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  }
}
