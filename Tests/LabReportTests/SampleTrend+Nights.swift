import Foundation

@testable import History
@testable import LaunchCore

/// Whole nights, each with something to tell.
extension SampleTrend {
  /// A commit made one arm slower; another change is the machine's, and a third is suspected.
  static var red: TrendSummary { SampleTrend(missing: [38, 45]).redNight }

  static var hostile: TrendSummary {
    let name = "a|b`c`</summary><script>alert(1)</script>\n# *x* ]( \u{202E}evil -->"
    var sample = SampleTrend(missing: [38, 45])
    sample.scenarioName = name
    sample.target = name
    sample.subject = name
    return sample.redNight
  }

  static var quiet: TrendSummary {
    let sample = SampleTrend()
    return sample.summary(
      sample.quietTrends + [sample.control()],
      budgets: [sample.budget(.kept, maximum: 500e6)]
    )
  }

  /// There is nothing to compare with.
  static var first: TrendSummary {
    let sample = SampleTrend(count: 1)
    return sample.summary([sample.trend(sample.key(), sample.values(412e6, seed: 1))])
  }

  /// The run of a night with an open alert failed.
  static var broken: TrendSummary {
    var summary = red
    summary.tonight.status = .failed
    summary.nights[summary.nights.count - 1].status = .failed
    summary.failure = "app warm exited with status 1"
    summary.series = summary.series.map(unmeasured)
    for index in summary.alerts.indices {
      summary.alerts[index].events.removeAll { $0.run == summary.tonight.run }
    }
    summary.alerts.removeAll { $0.events.isEmpty }
    return summary
  }

  /// One series of a quiet night has no value.
  static var incomplete: TrendSummary {
    var summary = judged
    summary.series[0] = unmeasured(summary.series[0])
    return summary
  }

  /// The history speaks for a change, and no alert does.
  static var suspicious: TrendSummary {
    var summary = judged
    summary.series[0].assessment.outcome = .suspected
    summary.series[0].assessment.direction = .worse
    return summary
  }

  /// A quiet night with launch times.
  private static var judged: TrendSummary {
    let sample = SampleTrend()
    let launch = sample.trend(sample.key(), sample.values(412e6, seed: 1))
    return sample.summary([launch] + sample.quietTrends + [sample.control()])
  }

  private static func unmeasured(_ trend: SeriesTrend) -> SeriesTrend {
    var trend = trend
    trend.points.removeLast()
    trend.assessment = SeriesAssessment(tonight: nil, outcome: .missing)
    return trend
  }

  static var many: TrendSummary {
    var sample = SampleTrend(count: 3_000)
    sample.missing = [2_000, 2_990]
    return sample.summary(sample.quietTrends + [sample.control()])
  }

  /// The level went back, a person took another one as normal, and a limit is not kept.
  static var settled: TrendSummary {
    let sample = SampleTrend()
    let slow = sample.trend(
      sample.key(),
      sample.values(412e6, seed: 1, step: (51, 1.082)),
      change: 51,
      outcome: .acknowledged,
      alert: 3
    )
    var alert = sample.alert(3, .acknowledged, .code, slow.key, (412e6, 446e6))
    alert.events.append(
      AlertEvent(
        at: sample.date(58),
        state: .acknowledged,
        cause: .code,
        reason: "the new fonts are worth it"
      )
    )
    let cold = sample.key(.launch, .rebootCold)
    var recovered = sample.alert(4, .recovered, .unknown, cold, (902e6, 951e6))
    recovered.events[0].run = sample.run(59)
    recovered.events[0].reason = "tonight is inside the limits of the old level"
    return sample.summary(
      [slow, sample.trend(cold, sample.values(902e6, seed: 2)), sample.control()],
      alerts: [alert, recovered],
      budgets: [sample.budget(.broken, maximum: 440e6)]
    )
  }

  /// A commit made an arm slower, and later the machine became half as fast.
  static var moved: TrendSummary {
    let sample = SampleTrend(count: 70)
    func slower(_ values: [Double]) -> [Double] {
      values.enumerated().map { $0.offset < 60 ? $0.element : 2 * $0.element }
    }
    var app = sample.trend(
      sample.key(),
      slower(sample.values(412e6, seed: 1, step: (51, 1.124))),
      change: 60,
      outcome: .regression,
      alert: 17
    )
    app.changes[0].alert = nil
    let control = sample.trend(
      sample.key(target: Arm.controlTarget),
      slower(sample.values(205e6, seed: 30)),
      change: 60
    )
    return sample.summary(
      [app, control],
      alerts: [sample.codeAlert(app.key)],
      budgets: [sample.budget(.kept, maximum: 20e9)]
    )
  }

  // MARK: - Pieces

  private var redNight: TrendSummary {
    let slow = trend(
      key(),
      values(412e6, seed: 1, step: (51, 1.124)),
      change: 51,
      outcome: .regression,
      alert: 17
    )
    var cold = trend(
      key(.launch, .rebootCold),
      values(902e6, seed: 2, step: (59, 1.06)),
      outcome: .suspected,
      alert: 18
    )
    cold.noise = .modal
    var memory = values(48.5e6, seed: 3, step: (40, 1.031))
    memory[20] *= 1.6
    var machine = trend(key(.peakRSS), memory, change: 40, outcome: .machine, alert: 12)
    let start = machine.changes[0].index
    machine.changes = []
    machine.breaks = [
      SeriesBreak(index: start, reason: .machine, text: "kernel 6.1.0-40 → 6.1.0-41")
    ]
    slowly(&machine)
    let alerts = [
      codeAlert(slow.key), alert(18, .suspected, .unknown, cold.key, (902e6, 956e6), onset: 59),
      alert(12, .confirmed, .machine, machine.key, (48.5e6, 50e6), onset: 40),
    ]
    var summary = summary([slow, cold, machine] + quietTrends + [control()], alerts: alerts)
    summary.stageChanges = [
      StageChange(target: target, state: .warm, path: "load", before: 120e6, after: 166e6),
      StageChange(
        target: target,
        state: .warm,
        path: "load > libfonts.so",
        before: nil,
        after: 44e6
      ),
      StageChange(target: target, state: .warm, path: "exec", before: 4e6, after: 3.9e6),
    ]
    summary.hostChanges = [HostChange(fact: "microcode", before: "0x1a", after: "0x1b")]
    summary.summaries = [50, 51, 59].map { row($0, $0 < 51 ? 412e6 : 463e6) }
    summary.pastAlerts = [pastAlert]
    summary.notes = [
      Diagnostic(
        .warning,
        id: "disturbed",
        problem: "4 launches were disturbed",
        remedy: "see `launchlab stability`"
      )
    ]
    return summary
  }

  private var pastAlert: Alert {
    var alert = alert(5, .fixed, .code, key(), (400e6, 440e6), onset: 10)
    alert.events[0].reason = "a build with the old level came back"
    return alert
  }

  private func slowly(_ trend: inout SeriesTrend) {
    trend.drifts = [
      DriftCheck(
        against: "release 2.1",
        before: 47e6,
        now: 50e6,
        low: 1.05,
        high: 1.08,
        unexplained: 1.034,
        isBeyond: true,
        reference: run(2)
      )
    ]
  }

  private func codeAlert(_ key: SeriesKey) -> Alert {
    var alert = alert(17, .confirmed, .code, key, (412e6, 463.1e6))
    alert.proof = Proof(
      run: "p1",
      baseline: "\(target)@good",
      candidate: "\(target)@bad",
      good: commit(50),
      bad: commit(51),
      scope: .build,
      pairs: 40,
      ratio: 1.124,
      low: 1.108,
      high: 1.141,
      confidence: 0.95,
      effectLimit: 0.02,
      verdict: .regression
    )
    alert.events[0].reason = "the new build is slower, launched in turn with the old one"
    alert.events[0].criteria = [
      Criterion(
        id: "t-prediction",
        text: "tonight's median against the t-prediction limit",
        value: 463.1e6,
        limit: 431e6,
        isMet: true,
        n: 28,
        unit: .nanoseconds
      ),
      Criterion(
        id: "proof",
        text: "the lower bound of the ratio against the effect limit",
        value: 1.108,
        limit: 1.02,
        isMet: true,
        n: 40,
        unit: .ratio
      ),
    ]
    return alert
  }

  func alert(
    _ number: Int,
    _ state: Alert.State,
    _ cause: Alert.Cause,
    _ key: SeriesKey,
    _ step: (Double, Double),
    onset: Int = 51
  ) -> Alert {
    Alert(
      number: number,
      kind: .step,
      series: key,
      direction: .worse,
      state: state,
      cause: cause,
      onset: run(onset),
      lastGood: run(onset - 1),
      before: step.0,
      after: step.1,
      events: [
        AlertEvent(
          at: date(onset),
          run: run(onset),
          state: state,
          cause: cause,
          reason: "two of the last three nights lie beyond the limit"
        )
      ]
    )
  }

  private var quietTrends: [SeriesTrend] {
    [(Metric.minorFaults, 2_310.0), (.userTime, 301e6), (.systemTime, 77e6)].enumerated()
      .map { number, item in
        trend(key(item.0), values(item.1, seed: UInt64(10 + number)))
      }
  }

  func control() -> SeriesTrend {
    trend(key(target: Arm.controlTarget), values(205e6, seed: 30))
  }

  func budget(_ outcome: Budget.Outcome, maximum: Double) -> BudgetCheck {
    BudgetCheck(
      budget: Budget(target: target, state: .warm, metric: .launch, maximum: maximum),
      median: 446e6,
      low: 443e6,
      high: 449e6,
      outcome: outcome
    )
  }
}
