package import LaunchCore
package import Rendering

/// What is concluded of a scenario tonight, and of its history: the one value that the report, the
/// dashboard, the terminal and the JSON are made from.
package struct TrendSummary: Hashable, Sendable {
  package var scenario: Scenario

  /// The newest night.
  package var tonight: Night

  /// Every night on any host, failed ones included, ascending, `tonight` the last.
  package var nights: [Night]

  /// Nights that are not there, or that failed, ascending.
  package var missed: [MissedNight] = []

  /// The series of tonight's host, the worst first; those of the control and the floor last.
  package var series: [SeriesTrend]

  /// Alerts that are open or changed tonight, the gravest first.
  package var alerts: [Alert] = []

  /// Alerts that ended before tonight, the newest first.
  package var pastAlerts: [Alert] = []

  package var budgets: [BudgetCheck] = []

  /// What has changed in the counts of nights, the newest first.
  package var countedChanges: [CountedChange] = []

  /// Facts of the host that are not as in the night before on the same scenario.
  package var hostChanges: [HostChange] = []

  /// The host, the receipts and the times of tonight's run.
  package var run: RunRecord

  /// How many launches tonight's run has, and how many of them count for nothing.
  package var launches: Int
  package var disturbedLaunches: Int = 0

  /// What changed in the stages of tonight's run against those of the last good night, largest first.
  package var stageChanges: [StageChange] = []

  /// The stored summaries of the runs that open alerts speak of: their last good night, their onset
  /// and tonight; of plain arms, the oldest run first.
  package var summaries: [MetricRow] = []

  /// Flame graphs of what makes launches slower, as SVG, by the number of the alert.
  package var flameGraphs: [Int: String] = [:]

  /// The launches of the newest proof of an alert, by the number of the alert; none where no picture is
  /// drawn of them.
  package var distributions: [Int: LaunchDistributions] = [:]

  /// What the user saw tonight, above what they saw in the last good night; one for each filmed arm.
  package var films: [FilmStrip] = []

  /// What a reader must know before trusting the numbers.
  package var notes: [Diagnostic] = []

  /// Why tonight has no result, such as `app warm exited with status 1`; nil where it has one, or it is
  /// not known.
  package var failure: String?

  /// The path of the scenario file in the commands that are shown.
  package var scenarioFile = "scenario.yml"
}

/// A night without a result.
package struct MissedNight: Hashable, Sendable {
  /// When it should have been, to the day in UTC, such as `2026-11-20`.
  package var day: String

  /// Such as `no run`, or `run 20261120T020000Z-1a2b failed`.
  package var reason: String

  package init(day: String, reason: String) {
    self.day = day
    self.reason = reason
  }
}

/// A fact of the host that changed.
package struct HostChange: Hashable, Sendable {
  /// Such as `kernel`.
  package var fact: String
  package var before: String
  package var after: String

  package init(fact: String, before: String, after: String) {
    self.fact = fact
    self.before = before
    self.after = after
  }
}

/// A limit of the scenario against tonight's value.
package struct BudgetCheck: Hashable, Sendable {
  package var budget: Budget

  /// Tonight's median and the interval of it; nil when there is no value.
  package var median: Double?
  package var low: Double?
  package var high: Double?

  package var outcome: Budget.Outcome
}

/// How much one stage takes tonight against the last good night.
package struct StageChange: Hashable, Sendable {
  package var target: String
  package var state: LaunchState

  /// As in ``StageMedian/path``.
  package var path: String

  /// In nanoseconds; nil where the stage was not there.
  package var before: Double?
  package var after: Double?
}

extension TrendSummary {
  /// The exit code that the verdicts of the night ask for.
  ///
  /// A night without a result could not be measured. A red alert or a broken budget is a regression,
  /// unless somebody has acknowledged the budget's alert, and so is what was counted and is not allowed; a
  /// suspicion that nothing has settled, a budget that the interval reaches across, or a judged series
  /// without a value is inconclusive.
  package var exitCode: LabExitCode {
    switch tonight.status {
    case .complete: break
    case .interrupted: return .interrupted
    case .failed, .unfinished: return .couldNotMeasure
    }
    let budgets = budgets.map { check -> LabExitCode in
      switch check.outcome {
      case .broken: isAcknowledged(check.budget) ? .done : .regression
      case .undecided: .inconclusive
      case .kept, .unmeasured: .done
      }
    }
    let alerts = alerts.map { alert -> LabExitCode in
      if alert.isRed { return .regression }
      return alert.state == .suspected ? .inconclusive : .done
    }
    let series: [LabExitCode] =
      unexplained.isEmpty && unmeasured.isEmpty ? [] : [.inconclusive]
    let counts: [LabExitCode] = openChanges.isEmpty ? [] : [.regression]
    return (budgets + alerts + series + counts).max() ?? .done
  }

  /// Series that are suspicious tonight, and have no alert that says so.
  package var unexplained: [SeriesTrend] {
    series.filter { trend in
      trend.role == .target && trend.assessment.outcome == .suspected
        && !alerts.contains {
          $0.number == trend.assessment.alert || $0.series == trend.key && $0.state == .suspected
        }
    }
  }

  /// The judged series with nights on record that have no value tonight.
  package var unmeasured: [SeriesTrend] {
    tonight.status == .complete ? judged.filter { $0.assessment.outcome == .missing } : []
  }

  /// The series that verdicts are about, the worst first.
  package var judged: [SeriesTrend] {
    let metrics = scenario.regressionRule.metrics
    return series.filter { $0.role == .target && metrics.contains($0.key.metric) }
  }

  private func isAcknowledged(_ budget: Budget) -> Bool {
    alerts.contains { alert in
      alert.kind == .budget && alert.state == .acknowledged && budget.isOf(alert.series)
    }
  }
}

/// What becomes of alerts that no later night can settle, since the scenario asks for something else
/// now.
///
/// A red alert of a series that is no longer judged stays: that nobody looks at it does not make it
/// good, and a person may acknowledge it.
struct DroppedSeries {
  private let scenario: Scenario
  private let metrics: [Metric]

  /// - Parameter scenario: As it is tonight.
  init(_ scenario: Scenario) {
    self.scenario = scenario
    metrics = scenario.regressionRule.metrics
  }

  func apply(to ledger: inout AlertLedger) {
    for alert in ledger.alerts where alert.isOpen {
      if alert.kind == .budget, !(scenario.budgets ?? []).contains(where: { $0.isOf(alert.series) })
      {
        let reason = "the scenario no longer has this budget"
        ledger.change(alert.number, to: AlertChange(.recovered, alert.cause, reason, []))
      } else if alert.kind != .budget, alert.state == .suspected, !isJudged(alert.series) {
        let reason =
          "the scenario no longer judges \(alert.series.metric.rawValue) of "
          + "\(alert.series.target) in the state \(alert.series.state.rawValue)"
        ledger.change(alert.number, to: AlertChange(.refuted, alert.cause, reason, []))
      }
    }
  }

  private func isJudged(_ series: SeriesKey) -> Bool {
    metrics.contains(series.metric) && scenario.states.contains(series.state)
      && scenario.targets.contains { $0.name == series.target }
  }
}
