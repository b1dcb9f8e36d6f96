import Foundation
import GRDB
package import LaunchCore

extension Store {
  /// Reads the history of a scenario as one value per night.
  ///
  /// Only stored summaries of plain launches are read, of complete runs for the purposes `night`
  /// and `imported`. The cost grows with the number of values, whatever the number of launches; but for
  /// `slow_share` the launches of the newest nights are read, as ``SeriesPoint/launches`` has them.
  ///
  /// - Parameters:
  ///   - scenario: The name of the scenario.
  ///   - metrics: The metrics to read.
  ///   - choice: Of which nights; machines of one kind are in one series unless they are told apart
  ///     here.
  ///   - includesLeftOut: Whether the runs are read too that somebody excluded or removed.
  /// - Returns: One series per target, state, metric and host that has a value. They are in the
  ///   order of the arms of the newest night, then of those that it lacks, then of `metrics`; of
  ///   two hosts the newest first.
  /// - Throws: ``StoreError``.
  package func series(
    scenario: String,
    metrics: [Metric],
    of choice: NightChoice = .all,
    includesLeftOut: Bool = false
  ) throws -> [Series] {
    guard !metrics.isEmpty else { return [] }
    let counted = includesLeftOut ? "" : " AND run.key NOT IN \(Self.leftOut)"
    let names = metrics.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    // The joins are crossed, so that SQLite goes from the index of nights to their summaries, and
    // never through the summaries of every scenario.
    let sql = """
      SELECT run.key, summary.metric, summary.n, summary.median, summary.mad, summary.ci_low,
        summary.ci_high, arm.number, arm.target, arm.state, run.id, run.started_at, run.fingerprint
      FROM run
      CROSS JOIN arm ON arm.run = run.key AND arm.kind = 'plain'
      CROSS JOIN summary ON summary.run = arm.run AND summary.arm = arm.number
        AND summary.metric IN (\(names))
      WHERE \(choice.condition) AND run.status = 'complete' AND run.purpose IN \(Self.nightly)\(counted)
      ORDER BY run.started_at, run.id
      """
    return try read { db in
      var collector = SeriesCollector(scenario: scenario, metrics: metrics, store: self)
      let rows = try StoredRow.fetchCursor(
        db,
        sql: sql,
        arguments: choice.arguments(scenario: scenario)
      )
      while let row = try rows.next() { try collector.add(row) }
      let series = collector.series
      return metrics.contains(.slowShare)
        ? Self.merged(series, try launches(db, scenario: scenario, of: choice, counted)) : series
    }
  }

  /// The most nights whose launches are read: those of the largest usual baseline, and older ones for the
  /// chart.
  private static let nightsOfLaunches = 100

  /// One series of `slow_share` per target, state and host with the launches of its newest nights.
  ///
  /// Launches count as in the summaries, and so do those that never became ready.
  private func launches(
    _ db: Database,
    scenario: String,
    of choice: NightChoice,
    _ counted: String
  ) throws -> [Series] {
    let sql = """
      SELECT night.key, '\(Metric.slowShare.rawValue)', 1, launch_ns, NULL, NULL, NULL, arm.number,
        arm.target, arm.state, night.id, night.started_at, night.fingerprint
      FROM (
        SELECT key, id, started_at, fingerprint FROM run
        WHERE \(choice.condition) AND status = 'complete' AND purpose = 'night'\(counted)
        ORDER BY started_at DESC, id DESC LIMIT \(Self.nightsOfLaunches)) AS night
      CROSS JOIN launch ON launch.run = night.key
      CROSS JOIN arm ON arm.run = night.key AND arm.number = launch.arm AND arm.kind = 'plain'
      WHERE (outcome != 'ready' OR state_reached != 'not-reached')
        AND NOT EXISTS (SELECT 1 FROM disturbance WHERE disturbance.run = launch.run
          AND disturbance.block = launch.block AND disturbance.position = launch.position)
      ORDER BY night.started_at, night.id
      """
    var collector = SeriesCollector(scenario: scenario, metrics: [.slowShare], store: self)
    let arguments = choice.arguments(scenario: scenario)
    let rows = try StoredRow.fetchCursor(db, sql: sql, arguments: arguments)
    while let row = try rows.next() { try collector.addLaunch(row) }
    return collector.series.compactMap { series in
      var series = series
      series.points.removeAll { point in
        point.launches?.contains { $0 < SeriesPoint.never } != true
      }
      return series.points.isEmpty ? nil : series
    }
  }

  /// Series with further ones behind the others of their arms.
  private static func merged(_ series: [Series], _ more: [Series]) -> [Series] {
    var merged = series
    for one in more {
      let last = merged.lastIndex { series in
        series.key.target == one.key.target && series.key.state == one.key.state
      }
      merged.insert(one, at: last.map { $0 + 1 } ?? merged.endIndex)
    }
    return merged
  }
}

/// Sorts rows of summaries, ascending by night, into series.
private struct SeriesCollector {
  private let scenario: String
  private let metrics: [Metric]
  private let store: Store
  private var found: [Found] = []
  private var indices: [Key: Int] = [:]
  private var night: (key: Int64, number: Int, id: String, startedAt: Date, fingerprint: String)?

  init(scenario: String, metrics: [Metric], store: Store) {
    self.scenario = scenario
    self.metrics = metrics
    self.store = store
  }

  mutating func add(_ row: StoredRow) throws {
    let night = try night(of: row)
    let arm: Int = try row[7]
    let index = try index(of: row, in: night.fingerprint)
    found[index].lastArm = arm
    found[index].lastNight = night.number
    found[index].series.points.append(
      try SeriesPoint(
        run: night.id,
        startedAt: night.startedAt,
        n: row[2],
        median: row[3],
        medianAbsoluteDeviation: row[4],
        intervalLow: row[5],
        intervalHigh: row[6]
      )
    )
  }

  /// Adds one launch to the point of its night.
  mutating func addLaunch(_ row: StoredRow) throws {
    let night = try night(of: row)
    let index = try index(of: row, in: night.fingerprint)
    found[index].lastArm = try row[7] as Int
    found[index].lastNight = night.number
    let time = (try row[3] as Int64?).map(Double.init) ?? SeriesPoint.never
    let last = found[index].series.points.count - 1
    guard last >= 0, found[index].series.points[last].run == night.id else {
      let point = SeriesPoint(
        run: night.id,
        startedAt: night.startedAt,
        n: 1,
        median: 0,
        launches: [time]
      )
      return found[index].series.points.append(point)
    }
    found[index].series.points[last].n += 1
    found[index].series.points[last].launches?.append(time)
  }

  /// The night of a row; what many rows have in common is read once.
  private mutating func night(
    of row: StoredRow
  ) throws -> (number: Int, id: String, startedAt: Date, fingerprint: String) {
    let key: Int64 = try row[0]
    if let night, night.key == key {
      return (night.number, night.id, night.startedAt, night.fingerprint)
    }
    let fresh = (
      number: (night?.number ?? -1) + 1, id: try row[10] as String,
      startedAt: try store.date(row[11]), fingerprint: try row[12] as String
    )
    night = (key, fresh.number, fresh.id, fresh.startedAt, fresh.fingerprint)
    return fresh
  }

  private mutating func index(of row: StoredRow, in fingerprint: String) throws -> Int {
    let key = try Key(target: row[8], state: row[9], metric: row[1], fingerprint: fingerprint)
    if let known = indices[key] { return known }
    let series = SeriesKey(
      scenario: scenario,
      target: key.target,
      state: try store.known(LaunchState(rawValue: key.state), "state \"\(key.state)\""),
      metric: try store.known(Metric(rawValue: key.metric), "metric \"\(key.metric)\""),
      fingerprint: fingerprint
    )
    found.append(Found(series: Series(key: series, points: [])))
    indices[key] = found.count - 1
    return found.count - 1
  }

  /// In the order that ``Store/series(scenario:metrics:)`` promises.
  var series: [Series] {
    let newest = night?.number ?? 0
    func place(_ found: Found) -> [Int] {
      let metric = metrics.firstIndex(of: found.series.key.metric) ?? 0
      let isGone = lastNight(ofArmOf: found) < newest ? 1 : 0
      return [isGone, lastArm(ofArmOf: found), metric, -found.lastNight]
    }
    return found.map { (place: place($0), series: $0.series) }
      .sorted { left, right in
        if left.place != right.place { return left.place.lexicographicallyPrecedes(right.place) }
        return left.series.key.target < right.series.key.target
      }
      .map(\.series)
  }

  private func sameArm(_ found: Found) -> [Found] {
    self.found.filter {
      $0.series.key.target == found.series.key.target
        && $0.series.key.state == found.series.key.state
    }
  }

  private func lastNight(ofArmOf found: Found) -> Int {
    sameArm(found).map(\.lastNight).max() ?? found.lastNight
  }

  private func lastArm(ofArmOf found: Found) -> Int {
    sameArm(found).max { $0.lastNight < $1.lastNight }?.lastArm ?? found.lastArm
  }

  private struct Found {
    var series: Series

    /// The number of the arm in the last night of the series, and the number of that night.
    var lastArm = 0
    var lastNight = 0
  }

  private struct Key: Hashable {
    var target: String
    var state: String
    var metric: String
    var fingerprint: String
  }
}
