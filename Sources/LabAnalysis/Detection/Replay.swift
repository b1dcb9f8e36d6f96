package import Foundation
import LabModel

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
    let rule = history.scenario.regression ?? RegressionRule()
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
