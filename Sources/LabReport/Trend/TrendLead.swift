import LabAnalysis
import LabModel

/// Whether a night is red, and which alert its answer speaks of.
struct TrendLead {
  let summary: TrendSummary

  init(_ summary: TrendSummary) { self.summary = summary }

  enum Colour: String {
    case red
    case unsettled
    case green
  }

  var colour: Colour {
    if summary.alerts.contains(where: \.isRed) || !brokenBudgets.isEmpty { return .red }
    let isOpen = summary.alerts.contains { $0.state == .suspected }
    return isOpen || !undecidedBudgets.isEmpty ? .unsettled : .green
  }

  var symbol: String {
    switch colour {
    case .red: "🔴"
    case .unsettled: "🟠"
    case .green: "🟢"
    }
  }

  /// The counts of what there is, such as `1 confirmed regression, 1 suspected regression`.
  var counts: String {
    var titles: [String] = []
    var numbers: [String: Int] = [:]
    for alert in summary.alerts {
      let title = TrendWords.title(alert)
      if numbers[title] == nil { titles.append(title) }
      numbers[title, default: 0] += 1
    }
    let alerts = titles.map { title in
      Quantity.count(numbers[title] ?? 0, title, plural: TrendWords.plural(title))
    }
    let broken = brokenBudgets.count
    let undecided = undecidedBudgets.count
    let budgets =
      (broken > 0 ? [Quantity.count(broken, "broken budget")] : [])
      + (undecided > 0 ? [Quantity.count(undecided, "undecided budget")] : [])
    let all = alerts + budgets
    guard all.isEmpty else { return all.joined(separator: ", ") }
    let isJudged = summary.series.contains { $0.assessment.baseline != nil }
    return isJudged ? "nothing changed" : "no verdict yet"
  }

  /// The alert that the answer speaks of; nil when there is none, or a budget without an alert is
  /// what makes the night red.
  var main: Alert? {
    let red = summary.alerts.first(where: \.isRed)
    return colour == .red ? red : summary.alerts.first
  }

  /// How many nights the alert has stood, tonight's included.
  func age(of alert: Alert) -> Int {
    let onset = summary.nights.lastIndex { $0.run == alert.onset } ?? 0
    return summary.nights[onset...].filter { $0.status == .complete }.count
  }

  /// Whether tonight brought an event of the alert.
  func isChanged(_ alert: Alert) -> Bool {
    alert.events.last?.run == summary.tonight.run
  }

  func trend(of alert: Alert) -> SeriesTrend? {
    let key = alert.series
    return summary.series.first {
      $0.key.target == key.target && $0.key.state == key.state && $0.key.metric == key.metric
    }
  }

  /// The builds that the change of an alert lies between.
  func range(of alert: Alert) -> AlertRange { AlertRange(alert, nights: summary.nights) }

  /// The day of the first night of an alert; its run where that night is not known.
  func day(ofOnset alert: Alert) -> String {
    night(alert.onset).map { TrendWords.day($0.startedAt) } ?? alert.onset
  }

  func night(_ run: String?) -> Night? { summary.nights.first { $0.run == run } }

  /// Budgets that are broken and have no alert.
  var brokenBudgets: [BudgetCheck] { budgets(.broken) }

  var undecidedBudgets: [BudgetCheck] { budgets(.undecided) }

  private func budgets(_ outcome: BudgetCheck.Outcome) -> [BudgetCheck] {
    summary.budgets.filter { check in
      check.outcome == outcome
        && !summary.alerts.contains { alert in
          alert.kind == .budget && alert.series.target == check.budget.target
            && alert.series.state == check.budget.state
            && alert.series.metric == check.budget.metric
        }
    }
  }

  /// The nights since the one before tonight that are not there.
  var justMissed: [MissedNight] {
    guard summary.nights.count > 1 else { return [] }
    let last = TrendWords.day(summary.nights[summary.nights.count - 2].startedAt)
    return summary.missed.filter { $0.day >= last }
  }

  // MARK: - What did not change

  /// The series of the control, of the metric that an alert is about or else of launches.
  func controls(for metric: Metric = .launch) -> [SeriesTrend] {
    let controls = summary.series.filter { $0.role == .control }
    let same = controls.filter { $0.key.metric == metric }
    return same.isEmpty ? controls : same
  }

  /// For how many nights in a row the fingerprint of the host is tonight's.
  var nightsOnHost: Int {
    summary.nights.reversed().prefix { $0.fingerprint == summary.tonight.fingerprint }.count
  }

  /// The series of targets that are as before, the largest change first.
  var unchanged: [SeriesTrend] {
    summary.series.filter { $0.role == .target && Self.isUnchanged($0) }
  }

  /// The other series of targets, in the order of the summary.
  var notable: [SeriesTrend] {
    summary.series.filter { $0.role == .target && !Self.isUnchanged($0) }
  }

  private static func isUnchanged(_ trend: SeriesTrend) -> Bool {
    trend.assessment.outcome == .quiet && trend.assessment.alert == nil
  }

  /// The largest distance from a baseline among some series, as a ratio; nil without a baseline.
  static func largestChange(_ trends: [SeriesTrend]) -> (trend: SeriesTrend, ratio: Double)? {
    let ratios = trends.compactMap { trend in trend.assessment.ratio.map { (trend, $0) } }
    return ratios.max { abs($0.1 - 1) < abs($1.1 - 1) }.map { (trend: $0.0, ratio: $0.1) }
  }

  /// The stages of the arm of an alert that take most of the change, at most 2.
  func stages(of alert: Alert) -> [StageChange] {
    guard alert.series.metric == .launch else { return [] }
    let changes = summary.stageChanges.filter { change in
      change.target == alert.series.target && change.state == alert.series.state
        && !change.path.contains(" > ") && change.difference != nil
    }
    let largest = changes.compactMap(\.difference).map(abs).max() ?? 0
    return Array(changes.filter { abs($0.difference ?? 0) > largest / 4 }.prefix(2))
  }
}

extension StageChange {
  /// After less before, in nanoseconds; a stage that was not there took no time.
  var difference: Double? {
    before == nil && after == nil ? nil : (after ?? 0) - (before ?? 0)
  }
}
