import Foundation
import GRDB
package import LaunchCore

extension Store {
  /// Reads the history of a scenario as one value per night.
  ///
  /// Only stored summaries of plain launches are read, of complete runs for the purposes `night`
  /// and `imported`. The cost grows with the number of values, whatever the number of launches.
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
      return collector.series
    }
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
