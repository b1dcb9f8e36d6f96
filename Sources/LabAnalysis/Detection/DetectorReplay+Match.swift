import LabModel
import LabStatistics

extension DetectorReplay {
  /// Holds alerts against the changes of the whole history.
  ///
  /// An alert matches a change of its series and direction that begins at most 3 nights before or
  /// after its place; a change is found by the first alert that matches it, and later ones are not false.
  init(
    _ detector: Detector,
    alarms: [ReplayedDetector.Alarm],
    changes: [PlacedChange],
    in judged: JudgedNights
  ) {
    var found: Set<ReplayedChange> = []
    var delays: [Double] = []
    let alerts = alarms.map { alarm in
      let match = changes.filter { $0.isMatched(by: alarm) }.min { left, right in
        abs(left.index - alarm.place) < abs(right.index - alarm.place)
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
      detector: detector,
      alerts: alerts,
      missed: changes.map(\.change).filter { !found.contains($0) },
      falseAlarms: judged.seriesMonths > 0 ? Double(falseAlarms) / judged.seriesMonths : nil,
      delay: (try? Sample(delays))?.median
    )
  }
}

extension PlacedChange {
  fileprivate func isMatched(by alarm: ReplayedDetector.Alarm) -> Bool {
    change.series == alarm.series && change.direction == alarm.direction
      && abs(index - alarm.place) <= Replay.tolerance
  }
}
