package import Foundation
import LaunchCore
import LaunchStatistics

/// Which alerts the rule of nights would have raised over a stored history, with other limits too.
///
/// Each night is judged only from the nights before it. The alerts are compared with the changes that the
/// segmentation of the whole history finds.
package struct Replay: Sendable {
  /// How many nights an alert may be off a change and still match it.
  package static let tolerance = 3

  private let history: TrendHistory
  private let since: Date?
  private let effects: [Double]

  /// - Parameters:
  ///   - history: Everything stored; its alerts are not looked at.
  ///   - since: Nights before it are history, and are not judged; nil for all.
  ///   - effects: The smallest changes that matter, as shares, each of which is tried in this order.
  package init(history: TrendHistory, since: Date? = nil, effects: [Double]) {
    var plain = history
    plain.alerts = []
    self.history = plain
    self.since = since
    self.effects = effects
  }

  /// What came of it, on the host of the newest complete night and those that it took over from.
  ///
  /// - Returns: Without series or nights for a history without any. Each rule takes O(n) per series.
  package var summary: ReplaySummary {
    let rule = history.scenario.regressionRule
    guard let newest = history.nights.last(where: { $0.status == .complete }) else {
      return ReplaySummary(scenario: history.scenario.name, since: since)
    }
    let chains = ChainBuilder(history, tonight: newest).chains().filter { chain in
      SeriesTrend.Role(chain.key.target) == .target && rule.metrics.contains(chain.key.metric)
    }
    let judged = JudgedNights(chains, nights: history.nights, since: since)
    let changes = chains.flatMap { placedChanges(of: $0, rule: rule) }
    let results = effects.map { effect in
      var rule = rule
      rule.effect = effect
      let alarms = ReplayedRule(rule, chains: chains).alarms(in: judged)
      return RuleReplay(effect: effect, alarms: alarms, changes: changes, in: judged)
    }
    return ReplaySummary(
      scenario: history.scenario.name,
      since: since,
      nights: judged.runs.count,
      series: chains.count,
      seriesMonths: judged.seriesMonths,
      changes: changes.map { $0.change },
      rules: results
    )
  }

  private func placedChanges(of chain: SeriesChain, rule: RegressionRule) -> [PlacedChange] {
    let trend = SeriesTrend(SeriesJudgement(chain, at: nil, rule: rule), releases: [])
    return trend.changes.compactMap { change in
      let point = chain.points[change.index]
      guard since.map({ point.startedAt >= $0 }) ?? true,
        let direction = Alert.Direction(
          from: change.before,
          to: change.after,
          metric: chain.key.metric
        )
      else { return nil }
      let replayed = ReplayedChange(
        series: chain.key,
        run: point.run,
        at: point.startedAt,
        direction: direction,
        before: change.before,
        after: change.after
      )
      return PlacedChange(index: change.index, change: replayed)
    }
  }
}

/// A change and its place in the chain of its series.
struct PlacedChange {
  let index: Int
  let change: ReplayedChange
}

/// The nights of a replay that are judged.
struct JudgedNights {
  /// Ascending.
  let runs: [String]

  /// Values in all, in months of 30 nights.
  let seriesMonths: Double

  private let places: [SeriesKey: [String: Int]]

  init(_ chains: [SeriesChain], nights: [Night], since: Date?) {
    let wanted = nights.filter { night in since.map { night.startedAt >= $0 } ?? true }
    let chosen = Set(wanted.map(\.run))
    places = Dictionary(
      uniqueKeysWithValues: chains.map { chain in
        let own = chain.points.enumerated().filter { chosen.contains($1.run) }
        return (chain.key, Dictionary(own.map { ($1.run, $0) }, uniquingKeysWith: { $1 }))
      }
    )
    let known = places
    runs = wanted.map(\.run).filter { run in known.values.contains { $0[run] != nil } }
    seriesMonths = Double(known.values.reduce(0) { $0 + $1.count }) / 30
  }

  /// The place of a night in the chain of a series; nil when it has no value.
  func index(of run: String, in key: SeriesKey) -> Int? { places[key]?[run] }
}

/// A rule on its way through the nights.
///
/// Nights in a row that it finds suspicious are one alert. When three of the last five nights were,
/// in one direction, the new level counts as the normal one from its first night on, as if somebody
/// had acknowledged it.
struct ReplayedRule {
  private let rule: RegressionRule

  /// By series.
  fileprivate var states: [State]

  /// How many nights without a suspicion end an alert.
  static let quietNights = 3

  /// Where a series stands.
  fileprivate struct State {
    var chain: SeriesChain

    /// Suspicious nights of the open alert; empty when there is none.
    var nights: [Int] = []
    var onset = 0
    var direction = Alert.Direction.worse
  }

  init(_ rule: RegressionRule, chains: [SeriesChain]) {
    self.rule = rule
    states = chains.map { State(chain: $0) }
  }

  /// An alert at the night that raised it.
  struct Alarm {
    let series: SeriesKey
    let point: SeriesPoint
    let index: Int
    let direction: Alert.Direction

    /// The first night of the new level, which is compared with the changes that there are.
    let onset: Int
  }

  /// Goes through the nights in order.
  consuming func alarms(in judged: JudgedNights) -> [Alarm] {
    var alarms: [Alarm] = []
    for run in judged.runs {
      let places = states.map { judged.index(of: run, in: $0.chain.key) }
      let findings = findings(at: places)
      for place in states.indices {
        guard let index = places[place] else { continue }
        if let alarm = states[place].take(findings[place], at: index) { alarms.append(alarm) }
      }
    }
    return alarms
  }

  /// A suspicious night: its direction and the first night of the new level.
  fileprivate typealias Finding = (direction: Alert.Direction, onset: Int)

  private func findings(at places: [Int?]) -> [Finding?] {
    zip(states, places)
      .map { state, index in SeriesJudgement(state.chain, at: index, rule: rule) }
      .controllingFalseDiscoveries()
      .map { judgement in
        guard judgement.isSuspicious else { return nil }
        return judgement.suspicion.map { ($0.direction, $0.onset) }
      }
  }
}

extension ReplayedRule.State {
  /// Takes in one night.
  ///
  /// - Parameters:
  ///   - finding: Nil for a quiet night.
  ///   - index: Of the night in the chain.
  /// - Returns: The alert that the night raises, if it does.
  fileprivate mutating func take(
    _ finding: ReplayedRule.Finding?,
    at index: Int
  ) -> ReplayedRule.Alarm? {
    if let last = nights.last, index - last > ReplayedRule.quietNights { nights = [] }
    guard let finding else { return nil }
    let isNew = nights.isEmpty || direction != finding.direction
    if isNew { (nights, onset, direction) = ([], finding.onset, finding.direction) }
    nights.append(index)
    let recent = nights.filter { $0 > index - 5 }
    if recent.count >= 3 {
      chain = chain.accepting(onset, direction)
      nights = []
    }
    guard isNew else { return nil }
    return ReplayedRule.Alarm(
      series: chain.key,
      point: chain.points[index],
      index: index,
      direction: finding.direction,
      onset: finding.onset
    )
  }
}

extension SeriesChain {
  /// The same nights, with the level since an onset as the normal one.
  fileprivate func accepting(_ onset: Int, _ direction: Alert.Direction) -> Self {
    let alert = Alert(
      number: alerts.count + 1,
      kind: .step,
      series: key,
      direction: direction,
      state: .acknowledged,
      cause: .unknown,
      onset: points[onset].run,
      lastGood: nil,
      before: 0,
      after: 0,
      events: []
    )
    return Self(
      key: key,
      points: points,
      nights: nights,
      breaks: breaks,
      alerts: alerts + [alert],
      isTonight: isTonight
    )
  }
}
