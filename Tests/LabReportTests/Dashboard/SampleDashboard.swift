import Foundation

@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

/// Trends of made-up series, for the dashboard.
///
/// The first series has a regression in its last tenth, the second an improvement and a break, the
/// third is noisy and suspected, and the others are quiet. Some nights are missing or have failed.
struct SampleDashboard {
  var nights = 120
  var series = 6
  var names = ["server", "größe|日本 <b>", "cli"]
  var subject = "lazy-load \"fonts\" & <icons>"

  static let hostile = [
    "</script><script>document.title='broken'</script>", "<!-- <script>", "\"'`${1}\u{2028}&amp;",
  ]

  private var start: Date { Date(timeIntervalSince1970: 1_795_219_200 - Double(nights) * 86_400) }

  private func run(_ number: Int) -> String { "night-\(number)" }

  /// Every 31st night is not there, and every 47th failed.
  private func isMissing(_ number: Int) -> Bool { number % 31 == 30 && number != nights - 1 }

  private func isFailed(_ number: Int) -> Bool { number % 47 == 40 && number != nights - 1 }

  private func date(_ number: Int) -> Date { start.addingTimeInterval(Double(number) * 86_400) }

  var allNights: [Night] {
    (0..<nights).filter { !isMissing($0) }.map { number in
      Night(
        run: run(number),
        startedAt: date(number),
        status: isFailed(number) ? .failed : .complete,
        fingerprint: "3fa21b90c4d1e8a7",
        build: Night.Build(
          commit: "\(String(format: "%07x", 0x4c1f9e2 + number / 3))0000000000",
          subject: number / 3 == nights * 9 / 10 / 3 ? subject : "change \(number / 3)",
          tree: "tree-\(number / 3)"
        )
      )
    }
  }

  var summary: TrendSummary {
    let targets = names.map { Target(name: $0, command: ["/bin/true"], directory: "/home/ada/lab") }
    let scenario = Scenario(
      name: names[0],
      targets: targets,
      states: [.warm, .reinstallCold],
      launches: 40,
      directory: "/home/ada/lab"
    )
    let nights = allNights
    return TrendSummary(
      scenario: scenario,
      tonight: nights[nights.count - 1],
      nights: nights,
      missed: (0..<self.nights).filter(isMissing).map {
        MissedNight(day: String(date($0).formatted(.iso8601).prefix(10)), reason: "no run")
      },
      series: (0..<series).map(trend),
      alerts: [alert(0), alert(2)],
      budgets: [
        BudgetCheck(
          budget: Budget(target: names[0], state: .warm, metric: .launch, maximum: 40_000_000),
          median: 43_200_000,
          low: 43_000_000,
          high: 43_400_000,
          outcome: .broken
        )
      ],
      hostChanges: [HostChange(fact: "kernel", before: "6.1.0-40", after: "6.1.0-41")],
      run: RunRecord(
        id: nights[nights.count - 1].run,
        startedAt: nights[nights.count - 1].startedAt,
        status: .complete,
        plan: Plan(scenario: scenario, seed: 1, arms: [], blockCount: 40),
        host: SampleRun.host,
        tool: "0.1.0"
      ),
      launches: 240,
      disturbedLaunches: 3,
      notes: SampleRun.warnings
    )
  }

  func key(_ number: Int) -> SeriesKey {
    SeriesKey(
      scenario: names[0],
      target: names[number / 2 % names.count],
      state: number.isMultiple(of: 2) ? .warm : .reinstallCold,
      metric: [.launch, .peakRSS, .minorFaults][number / 6 % 3],
      fingerprint: "3fa21b90c4d1e8a7"
    )
  }

  private func alert(_ number: Int) -> Alert {
    let isSuspected = number == 2
    return Alert(
      number: 17 + number,
      kind: .step,
      series: key(number),
      direction: .worse,
      state: isSuspected ? .suspected : .confirmed,
      cause: isSuspected ? .unknown : .code,
      onset: run(isSuspected ? nights - 1 : step),
      lastGood: run(step - 1),
      before: 40_000_000,
      after: 43_200_000,
      events: SampleAlerts.confirmed.events
    )
  }

  /// The first night of the new level: neither missing nor failed.
  private var step: Int {
    (nights * 9 / 10..<nights).first { !isMissing($0) && !isFailed($0) } ?? nights - 1
  }

  private func trend(_ number: Int) -> SeriesTrend {
    var generator = SplitMix64(seed: 7, part: number)
    let there = (0..<nights).filter { !isMissing($0) && !isFailed($0) }
    let at = there.firstIndex(of: step) ?? there.count / 2
    let factor = number == 0 ? 1.08 : number == 1 ? 0.93 : 1
    let size = 40_000_000 / Double(1 + number / 2)
    let points = there.enumerated().map { index, night in
      let noise = (0..<4).reduce(0) { sum, _ in sum + Double(generator.next(below: 1_000)) / 1_000 }
      let wild = number == 2 && index % 17 == 3 ? 1.05 : 1
      let median = size * (index < at ? 1 : factor) * (1 + (noise - 2) * 0.01) * wild
      return SeriesPoint(
        run: run(night),
        startedAt: date(night),
        n: 40,
        median: median.rounded(),
        medianAbsoluteDeviation: median * 0.01,
        intervalLow: median * 0.994,
        intervalHigh: median * 1.005
      )
    }
    return trend(number, points: points, at: at, levels: (size, size * factor))
  }

  private func trend(
    _ number: Int,
    points: [SeriesPoint],
    at: Int,
    levels: (before: Double, after: Double)
  ) -> SeriesTrend {
    let outcomes: [SeriesAssessment.Outcome] = [.regression, .improvement, .suspected]
    let isStep = number < 2
    let segments =
      isStep
      ? [
        Segment(range: 0..<at, level: levels.before, error: 1),
        Segment(range: at..<points.count, level: levels.after, error: 1),
      ] : [Segment(range: 0..<points.count, level: levels.before, error: 1)]
    let change = LevelChange(
      index: at,
      before: levels.before,
      after: levels.after,
      alert: number == 0 ? 17 : nil
    )
    return SeriesTrend(
      key: key(number),
      points: points,
      breaks: number == 1
        ? [SeriesBreak(index: points.count / 2, reason: .host, text: "kernel 6.1.0-40 → 6.1.0-41")]
        : [],
      segments: segments,
      changes: isStep ? [change] : [],
      assessment: SeriesAssessment(
        tonight: points.last,
        baseline: Baseline(
          runs: points.prefix(5).map(\.run),
          median: levels.before,
          mean: levels.before,
          standardDeviation: 1,
          medianAbsoluteDeviation: 1
        ),
        outcome: number < outcomes.count ? outcomes[number] : .quiet,
        overOneNight: 1.002,
        overSevenNights: 1.001,
        overThirtyNights: isStep ? levels.after / levels.before : 0.999
      )
    )
  }
}
