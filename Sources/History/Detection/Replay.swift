package import Foundation
import LaunchCore
import LaunchStatistics

/// What detectors would have said of a stored history, night by night.
///
/// Each night is judged from the nights before it alone, as if they were all there is. What a
/// detector says is held against the changes that the segmentation of the whole history finds.
package struct Replay: Sendable {
  /// How many nights an alert may be off a change and still match it.
  package static let tolerance = 3

  private let history: TrendHistory
  private let since: Date?
  private let detectors: [Detector]

  /// - Parameters:
  ///   - history: Everything stored; its alerts are not looked at.
  ///   - since: Nights before it are history, and are not judged; nil for all.
  ///   - detectors: Those to run, in this order.
  package init(history: TrendHistory, since: Date? = nil, detectors: [Detector]) {
    var plain = history
    plain.alerts = []
    self.history = plain
    self.since = since
    self.detectors = detectors
  }

  /// What came of it, on the host of the newest complete night and those that it took over from.
  ///
  /// - Returns: Without series or nights for a history without any. Each detector takes O(n) per
  ///   series, but `potts` O(n) segmentations.
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
    let results = detectors.map { detector in
      let alarms = ReplayedDetector(detector, chains: chains, rule: rule).alarms(in: judged)
      return DetectorReplay(detector, alarms: alarms, changes: changes, in: judged)
    }
    return ReplaySummary(
      scenario: history.scenario.name,
      since: since,
      nights: judged.runs.count,
      series: chains.count,
      seriesMonths: judged.seriesMonths,
      changes: changes.map { $0.change },
      detectors: results
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

/// A detector on its way through the nights.
///
/// Nights in a row that it finds suspicious are one alert. When three of the last five nights were,
/// in one direction, the new level counts as the normal one from its first night on, as if somebody
/// had acknowledged it.
struct ReplayedDetector {
  private let detector: Detector
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

  init(_ detector: Detector, chains: [SeriesChain], rule: RegressionRule) {
    self.detector = detector
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
    switch detector {
    case .nightly, .prediction, .twoOfThree: suspicions(at: places)
    case .potts: zip(states, places).map { state, index in index.flatMap { step(state, $0) } }
    case .windows: zip(states, places).map { state, index in index.flatMap { change(state, $0) } }
    case .threshold:
      zip(states, places).map { state, index in index.flatMap { threshold(state, $0) } }
    }
  }

  private func suspicions(at places: [Int?]) -> [Finding?] {
    let judgements = zip(states, places).map { state, index in
      SeriesJudgement(state.chain, at: index, rule: rule)
    }
    let controlled = detector == .nightly ? judgements.controllingFalseDiscoveries() : judgements
    return controlled.map { judgement in
      guard let suspicion = judgement.suspicion, isFound(suspicion, in: judgement) else {
        return nil
      }
      return (suspicion.direction, suspicion.onset)
    }
  }

  private func isFound(_ suspicion: Suspicion, in judgement: SeriesJudgement) -> Bool {
    switch detector {
    case .prediction: suspicion.isBeyondPrediction && suspicion.isBeyondMargin
    case .twoOfThree: suspicion.isTwoOfThree && suspicion.isBeyondMargin
    default: judgement.isSuspicious
    }
  }

  /// The step to the newest segment of the nights so far, while it is new.
  private func step(_ state: State, _ index: Int) -> Finding? {
    let start = BaselineNights(state.chain, before: index, atMost: rule.nights).start
    let first = max(start, index + 1 - DetectionLimits.segmentedNights)
    let segments = PottsSegmentation.levels(
      of: state.chain.values(first..<index + 1),
      minimumLength: DetectionLimits.nightsOfStep
    )
    guard segments.count > 1 else { return nil }
    let (old, new) = (segments[segments.count - 2], segments[segments.count - 1])
    let change = abs(new.level - old.level)
    let metric = state.chain.key.metric
    guard new.range.count <= DetectionLimits.memory,
      change > rule.margin(at: old.level, of: metric), change >= max(old.error, new.error),
      let direction = Alert.Direction(from: old.level, to: new.level, metric: metric)
    else { return nil }
    return (direction, first + new.range.lowerBound)
  }

  /// The change that the newest night completes the window after.
  private func change(_ state: State, _ index: Int) -> Finding? {
    let start = BaselineNights(state.chain, before: index, atMost: rule.nights).start
    let first = max(start, index + 1 - DetectionLimits.segmentedNights)
    let values = state.chain.values(first..<index + 1)
    guard let place = WindowTest.changes(in: values).last, place + WindowTest.after == values.count
    else { return nil }
    let old = try? Sample(Array(values[..<place].suffix(WindowTest.before.upperBound)))
    let new = try? Sample(Array(values[place...]))
    let metric = state.chain.key.metric
    guard let before = old?.median, let after = new?.median,
      abs(after - before) > rule.margin(at: before, of: metric),
      let direction = Alert.Direction(from: before, to: after, metric: metric)
    else { return nil }
    return (direction, first + place)
  }

  private func threshold(_ state: State, _ index: Int) -> Finding? {
    let start = BaselineNights(state.chain, before: index, atMost: rule.nights).start
    guard index > start else { return nil }
    let (before, after) = (state.chain.points[index - 1].median, state.chain.points[index].median)
    guard abs(after - before) > 0.1 * abs(before),
      let direction = Alert.Direction(from: before, to: after, metric: state.chain.key.metric)
    else { return nil }
    return (direction, index)
  }
}

extension ReplayedDetector.State {
  /// Takes in one night.
  ///
  /// - Parameters:
  ///   - finding: Nil for a quiet night.
  ///   - index: Of the night in the chain.
  /// - Returns: The alert that the night raises, if it does.
  fileprivate mutating func take(
    _ finding: ReplayedDetector.Finding?,
    at index: Int
  ) -> ReplayedDetector.Alarm? {
    if let last = nights.last, index - last > ReplayedDetector.quietNights { nights = [] }
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
    return ReplayedDetector.Alarm(
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
