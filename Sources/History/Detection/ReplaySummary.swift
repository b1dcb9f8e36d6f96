package import Foundation
package import LaunchCore
import LaunchStatistics

/// Which alerts a rule would have raised over a stored history.
package struct ReplaySummary: Hashable, Sendable {
  package var scenario: String

  /// Nights before it were not judged; nil for all.
  package var since: Date?

  /// How many nights were judged, and how many series.
  package var nights: Int = 0
  package var series: Int = 0

  /// The judged values of all series together, in months of 30 nights.
  package var seriesMonths: Double = 0

  /// What the segmentation of the whole history finds, by series and then ascending.
  package var changes: [ReplayedChange] = []

  /// In the order asked for.
  package var rules: [RuleReplay] = []
}

/// A change of level that the segmentation of the whole history finds.
package struct ReplayedChange: Hashable, Sendable {
  package var series: SeriesKey

  /// The first night of the new level.
  package var run: String
  package var at: Date

  package var direction: Alert.Direction

  /// The medians of the segments on both sides, in the unit of the metric.
  package var before: Double
  package var after: Double
}

/// Which alerts one rule would have raised.
package struct RuleReplay: Hashable, Sendable {
  /// The smallest change that matters to it, as a share.
  package var effect: Double

  /// Ascending by night, then in the order of the series.
  package var alerts: [ReplayedAlert]

  /// Changes that no alert matches.
  package var missed: [ReplayedChange]

  /// How many alerts match no change, per series and month of 30 nights; nil without nights.
  package var falseAlarms: Double?

  /// The median delay of the changes that were found, in nights; nil for none.
  package var delay: Double?
}

/// One alert that a rule would have raised.
package struct ReplayedAlert: Hashable, Sendable {
  package var series: SeriesKey

  /// The night that raised it.
  package var run: String
  package var at: Date

  package var direction: Alert.Direction

  /// The first night of the change that it matches; nil for a false alarm.
  package var change: String?

  /// How many nights of the series after that one; below 0 when it came before.
  package var delay: Int?
}

extension RuleReplay {
  /// Holds alerts against the changes of the whole history.
  ///
  /// An alert matches a change of its series and direction that begins at most 3 nights before or
  /// after its first night; a change is found by the first alert that matches it, and later ones are
  /// not false.
  init(
    effect: Double,
    alarms: [ReplayedRule.Alarm],
    changes: [PlacedChange],
    in judged: JudgedNights
  ) {
    var found: Set<ReplayedChange> = []
    var delays: [Double] = []
    let alerts = alarms.map { alarm in
      let match = changes.filter { $0.isMatched(by: alarm) }.min { left, right in
        abs(left.index - alarm.onset) < abs(right.index - alarm.onset)
      }
      if let match, found.insert(match.change).inserted {
        delays.append(Double(alarm.index - match.index))
      }
      return ReplayedAlert(
        series: alarm.series,
        run: alarm.point.run,
        at: alarm.point.startedAt,
        direction: alarm.direction,
        change: match?.change.run,
        delay: match.map { alarm.index - $0.index }
      )
    }
    let falseAlarms = alerts.count { $0.change == nil }
    self.init(
      effect: effect,
      alerts: alerts,
      missed: changes.map(\.change).filter { !found.contains($0) },
      falseAlarms: judged.seriesMonths > 0 ? Double(falseAlarms) / judged.seriesMonths : nil,
      delay: (try? Sample(delays))?.median
    )
  }
}

extension PlacedChange {
  fileprivate func isMatched(by alarm: ReplayedRule.Alarm) -> Bool {
    change.series == alarm.series && change.direction == alarm.direction
      && abs(index - alarm.onset) <= Replay.tolerance
  }
}
