import Gate
import LaunchCore
import Rendering

extension TrendSummary {
  /// What the first line of the report says, such as `red`, as in JSON.
  package var verdict: String { TrendLead(self).colour.rawValue }
}

/// Whether a night is red, and which alert its answer speaks of.
struct TrendLead {
  let summary: TrendSummary

  init(_ summary: TrendSummary) { self.summary = summary }

  /// What the first line says; the raw value is the name used in JSON.
  enum Colour: String, CaseIterable {
    /// The night has no result.
    case failed

    /// A confirmed regression of the code, a broken budget, or something counted that is not allowed.
    case red

    /// A suspicion that nothing has settled, or an undecided budget.
    case unsettled

    /// Too few nights for any verdict.
    case unjudged

    /// All that was judged is as before, or better.
    case green
  }

  var colour: Colour {
    if summary.tonight.status != .complete { return .failed }
    if summary.alerts.contains(where: \.isRed) || !brokenBudgets.isEmpty
      || !summary.openChanges.isEmpty
    {
      return .red
    }
    let isOpen =
      summary.alerts.contains { $0.state == .suspected }
      || summary.series.contains { $0.role == .target && $0.assessment.outcome == .suspected }
    if isOpen || !undecidedBudgets.isEmpty || !summary.unmeasured.isEmpty { return .unsettled }
    return isJudged ? .green : .unjudged
  }

  var symbol: String {
    switch colour {
    case .failed: "❌"
    case .red: "🔴"
    case .unsettled: "🟠"
    case .unjudged: "⚪"
    case .green: "🟢"
    }
  }

  private var isJudged: Bool {
    summary.series.contains { $0.role == .target && $0.assessment.baseline != nil }
  }

  /// What there is tonight, then what was known before, such as
  /// `1 confirmed regression; known: 2 suspected regressions`.
  var counts: String {
    let grown = known.count { secondStep(of: $0) != nil }
    let steps = grown > 0 ? ", \(Quantity.count(grown, "second step"))" : ""
    let parts = [tonightText, known.isEmpty ? nil : "known: \(Self.titles(of: known))\(steps)"]
    return parts.compactMap(\.self).joined(separator: "; ")
  }

  /// What is open beside a green verdict, with a semicolon before it; empty for other verdicts.
  var openText: String {
    let open = former.filter(\.isOpen)
    return colour == .green && !open.isEmpty ? "; still open: \(Self.titles(of: open))" : ""
  }

  private var tonightText: String? {
    if let end = statusText { return end }
    let broken = brokenBudgets.count
    let undecided = undecidedBudgets.count
    let missing = summary.unmeasured.count
    let new = summary.openChanges.count { $0.finding.verdict == .needsApproval }
    let over = summary.openChanges.count - new
    let unproved = summary.unexplained.count
    let parts = [
      told.isEmpty ? nil : Self.titles(of: told),
      unproved > 0
        ? Quantity.count(unproved, "suspected change", plural: "suspected changes") : nil,
      broken > 0 ? Quantity.count(broken, "broken budget") : nil,
      over > 0 ? "\(Quantity.count(over, "rule")) broken" : nil,
      new > 0 ? "\(new) to be approved" : nil,
      undecided > 0 ? Quantity.count(undecided, "undecided budget") : nil,
      missing > 0
        ? Quantity.count(missing, "series not measured", plural: "series not measured") : nil,
    ].compactMap(\.self)
    if !parts.isEmpty { return parts.joined(separator: ", ") }
    if !known.isEmpty { return "nothing new" }
    if isJudged { return "nothing changed" }
    let moved: Set<SeriesAssessment.Outcome> = [.acknowledged, .machine, .improvement]
    if summary.series.contains(where: { moved.contains($0.assessment.outcome) }) {
      return "no verdict yet: the new level needs 5 nights"
    }
    let night = summary.hostNights.own.count { $0.status == .complete }
    return "no verdict yet: night \(night), needs 5 earlier nights"
  }

  /// How a night without a result ended; nil for one with a result.
  var statusText: String? {
    switch summary.tonight.status {
    case .complete: nil
    case .failed: "the run has no result"
    case .interrupted: "the run was interrupted and has no result"
    case .unfinished: "the run was cut off, or is not finished, and has no result"
    }
  }

  private static func titles(of alerts: [Alert]) -> String {
    var titles: [String] = []
    var numbers: [String: Int] = [:]
    for alert in alerts {
      let title = TrendWords.title(alert)
      if numbers[title] == nil { titles.append(title) }
      numbers[title, default: 0] += 1
    }
    return titles.map { title in
      Quantity.count(numbers[title] ?? 0, title, plural: TrendWords.plural(title))
    }.joined(separator: ", ")
  }

  /// The alerts that are new or changed tonight, the most severe first.
  var news: [Alert] { summary.alerts.filter(isChanged) }

  /// Those of them that say something: a suspicion that came to nothing does not.
  private var told: [Alert] { news.filter { $0.state != .refuted } }

  /// The other open alerts, those of former nights.
  var former: [Alert] { summary.alerts.filter { !isChanged($0) } }

  /// The alerts of former nights that still ask for something.
  var known: [Alert] { former.filter { $0.isRed || $0.state == .suspected } }

  /// The alert that the answer speaks of: tonight's before those of former nights, open ones before
  /// those that ended; nil when there is none, or a budget without an alert or a count is what makes the
  /// night red.
  var main: Alert? {
    if colour == .red, !summary.alerts.contains(where: \.isRed) { return nil }
    let open = news.filter(\.isOpen)
    return open.first(where: \.isRed) ?? open.first { $0.state == .suspected } ?? known.first
      ?? told.first
  }

  /// How many nights the alert has stood, tonight's included.
  func age(of alert: Alert) -> Int { summary.nightCount(since: alert) }

  /// Whether tonight brought an event of the alert.
  func isChanged(_ alert: Alert) -> Bool {
    alert.events.last?.run == summary.tonight.run
  }

  /// The level that a red alert has fallen back to in part: better than when it was confirmed, and
  /// still beyond the effect limit.
  ///
  /// - Returns: The level of the newest nights in the metric's unit; nil where it is as it was.
  func partialLevel(of alert: Alert) -> Double? {
    guard alert.isRed, alert.kind == .step, let trend = trend(of: alert),
      let first = laterStart(of: alert, in: trend),
      let change = trend.changes.last(where: { $0.index >= first })
    else { return nil }
    let effect = summary.scenario.regressionRule.effect
    let sign = alert.after > alert.before ? 1.0 : -1
    let isBetter = sign * (alert.after - change.after) > effect * abs(alert.before)
    let isStillOff = sign * (change.after - alert.before) > effect * abs(alert.before)
    return isBetter && isStillOff ? change.after : nil
  }

  /// The step that a red alert was followed by: the level got worse once more, beyond the effect limit
  /// and the scatter, and the control did not move.
  func secondStep(of alert: Alert) -> LevelChange? {
    guard alert.isRed, alert.kind == .step, let trend = trend(of: alert),
      let first = laterStart(of: alert, in: trend),
      let change = trend.worseLevel(summary.scenario.regressionRule, from: first),
      controlMove(since: alert) == nil
    else { return nil }
    return change
  }

  /// The first night whose change is not that of an alert.
  private func laterStart(of alert: Alert, in trend: SeriesTrend) -> Int? {
    trend.points.firstIndex { $0.run == alert.onset }.map { $0 + 3 }
  }

  /// The series of an alert; nil where tonight's host has none that its first night is part of.
  func trend(of alert: Alert) -> SeriesTrend? {
    summary.series.first { trend in
      trend.key.isSameArm(as: alert.series)
        && (trend.key.fingerprint == alert.series.fingerprint
          || trend.points.contains { $0.run == alert.onset })
    }
  }

  /// The builds that the change of an alert lies between.
  func range(of alert: Alert) -> AlertRange {
    AlertRange(alert, nights: summary.nights, source: summary.scenario.source)
  }

  /// The day of the first night of an alert; its run where that night is not known.
  func day(ofOnset alert: Alert) -> String {
    night(alert.onset).map { $0.startedAt.utcDay } ?? alert.onset
  }

  func night(_ run: String?) -> Night? { summary.nights.first { $0.run == run } }

  /// The first night of the first change that was counted and is not allowed.
  var firstOpenChange: Night? { night(summary.openChanges.first?.run) }

  /// Budgets that are broken and have no alert.
  var brokenBudgets: [BudgetCheck] { budgets(.broken) }

  var undecidedBudgets: [BudgetCheck] { budgets(.undecided) }

  private func budgets(_ outcome: Budget.Outcome) -> [BudgetCheck] {
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
    guard let last = summary.hostNights.line.dropLast().last else { return [] }
    return summary.missed.filter { $0.day >= last.startedAt.utcDay }
  }

  /// The series of targets that no verdict is about, and that have no value tonight.
  var gone: [SeriesTrend] {
    summary.tonight.status == .complete
      ? summary.series.filter { trend in
        trend.role == .target && trend.assessment.outcome == .missing
          && !summary.unmeasured.contains { $0.key == trend.key }
      } : []
  }

  // MARK: - What did not change

  /// The series of the control, of the metric that an alert is about or else of launches.
  func controls(for metric: Metric = .launch) -> [SeriesTrend] {
    let controls = summary.series.filter { $0.role == .control }
    let same = controls.filter { $0.key.metric == metric }
    return same.isEmpty ? controls : same
  }

  /// The series of targets that are as before, the largest change first.
  var unchanged: [SeriesTrend] {
    summary.series.filter {
      $0.role == .target && Self.isUnchanged($0) && !Self.isWithoutSlowLaunches($0)
    }
  }

  /// The other series of targets, in the order of the summary.
  var notable: [SeriesTrend] {
    summary.series.filter {
      $0.role == .target && !Self.isUnchanged($0) && !Self.isWithoutSlowLaunches($0)
    }
  }

  /// Whether it is the share of slow launches of an arm that has none, which needs no row.
  private static func isWithoutSlowLaunches(_ trend: SeriesTrend) -> Bool {
    trend.key.metric == .slowShare && trend.assessment.alert == nil
      && (trend.assessment.outcome == .quiet || trend.assessment.outcome == .new)
      && trend.assessment.tonight?.median == 0
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
