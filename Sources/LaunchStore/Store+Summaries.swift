import GRDB
package import LaunchCore

extension Store {
  /// Replaces the stored summaries of one run.
  ///
  /// - Parameters:
  ///   - rows: Every row of the run, each with one of its arms, at most one per metric of an arm.
  ///   - run: The id of the run.
  /// - Throws: ``StoreError``; then the former rows are kept.
  package func saveSummaries(_ rows: [MetricRow], of run: String) throws {
    try write { db in try replaceSummaries(db, rows, of: run) }
  }

  func replaceSummaries(_ db: Database, _ rows: [MetricRow], of run: String) throws {
    let key = try key(db, of: run)
    let arms = try arms(db, of: key)
    try db.execute(sql: "DELETE FROM summary WHERE run = ?", arguments: [key])
    for row in rows {
      guard row.run == run, let arm = arms.firstIndex(of: row.arm) else {
        let rule = "a summary of run \"\(row.run)\", target \"\(row.arm.target)\" in \"\(run)\""
        throw StoreError.refused(path: path, rule: rule)
      }
      try insert(db, row, key: key, arm: arm)
    }
  }

  /// Reads the summaries of runs.
  ///
  /// Rows of metrics that this launchlab does not know are left out: they can be rebuilt.
  ///
  /// - Parameters:
  ///   - scenario: The name of the only scenario; nil means every one.
  ///   - run: The id of the only run; nil means every one.
  ///   - metric: The only metric; nil means every one.
  /// - Returns: The rows, the oldest run first, then by arm in the plan's order.
  /// - Throws: ``StoreError``.
  package func summaries(
    scenario: String? = nil,
    run: String? = nil,
    metric: Metric? = nil
  ) throws -> [MetricRow] {
    let sql = """
      SELECT run.id AS run_id, arm.target, arm.state, arm.kind, summary.*
      FROM summary
      JOIN run ON run.key = summary.run
      JOIN arm ON arm.run = summary.run AND arm.number = summary.arm
      WHERE (?1 IS NULL OR run.scenario = ?1) AND (?2 IS NULL OR run.id = ?2)
        AND (?3 IS NULL OR summary.metric = ?3)
      ORDER BY run.started_at, run.id, arm.number, summary.metric
      """
    return try read { db in
      let rows = try StoredRow.fetchAll(db, sql: sql, arguments: [scenario, run, metric?.rawValue])
      return try rows.compactMap(metricRow)
    }
  }

  /// Reads the summaries of nights with what is known of their runs, one at a time.
  ///
  /// - Parameters:
  ///   - scenario: The name of the only scenario; nil means every one.
  ///   - run: The id of the only run, whatever it is for; nil means every run for the purposes
  ///     `night` and `imported` that nobody excluded or removed.
  ///   - body: Called once per row, the oldest run first, then by arm in the plan's order. It must
  ///     not use the store.
  /// - Throws: ``StoreError``, or what `body` throws.
  package func forEachNightRow(
    scenario: String? = nil,
    run: String? = nil,
    _ body: (NightRow) throws -> Void
  ) throws {
    let nightly = "run.purpose IN \(Self.nightly) AND run.key NOT IN \(Self.leftOut)"
    // Only what is asked for is looked at, by an index.
    let (chosen, argument) =
      switch (run, scenario) {
      case (let run?, _): ("run.id = ?", [run])
      case (nil, let scenario?): ("run.scenario = ? AND \(nightly)", [scenario])
      case (nil, nil): (nightly, [])
      }
    let sql = """
      SELECT run.id AS run_id, run.scenario, run.started_at, run.status, run.purpose,
        run.fingerprint, run.host_identity, json_extract(run.host, '$.name') AS host_name,
        run.build_commit, arm.target, arm.state, arm.kind, summary.*
      FROM run
      CROSS JOIN summary ON summary.run = run.key
      CROSS JOIN arm ON arm.run = summary.run AND arm.number = summary.arm
      WHERE \(chosen)
      ORDER BY run.started_at, run.id, arm.number, summary.metric
      """
    try read { db in
      let rows = try StoredRow.fetchCursor(db, sql: sql, arguments: StatementArguments(argument))
      while let row = try rows.next() {
        guard let summary = try metricRow(row) else { continue }
        try body(try nightRow(row, summary))
      }
    }
  }

  private func nightRow(_ row: StoredRow, _ summary: MetricRow) throws -> NightRow {
    try NightRow(
      scenario: row["scenario"],
      startedAt: try date(row["started_at"]),
      status: try status(row["status"]),
      purpose: try purpose(row["purpose"]),
      fingerprint: row["fingerprint"],
      identity: row["host_identity"],
      hostName: row["host_name"],
      commit: row["build_commit"],
      summary: summary
    )
  }

  private func insert(_ db: Database, _ row: MetricRow, key: Int64, arm: Int) throws {
    let sql = """
      INSERT INTO summary (run, arm, metric, version, n, mean, variance, median, mad, min, max,
        p90, p95, ci_low, ci_high) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [
      key, arm, row.metric.rawValue, row.version, row.n, row.mean, row.variance, row.median,
      row.medianAbsoluteDeviation, row.minimum, row.maximum, row.p90, row.p95, row.intervalLow,
      row.intervalHigh,
    ])
  }

  private func metricRow(_ row: StoredRow) throws -> MetricRow? {
    guard let metric = Metric(rawValue: try row["metric"]) else { return nil }
    return try MetricRow(
      run: row["run_id"],
      arm: Arm(
        target: row["target"],
        state: try known(LaunchState(rawValue: row["state"]), "state"),
        kind: try known(Arm.Kind(rawValue: row["kind"]), "kind of arm")
      ),
      metric: metric,
      version: row["version"],
      n: row["n"],
      mean: row["mean"],
      variance: row["variance"],
      median: row["median"],
      medianAbsoluteDeviation: row["mad"],
      minimum: row["min"],
      maximum: row["max"],
      p90: row["p90"],
      p95: row["p95"],
      intervalLow: row["ci_low"],
      intervalHigh: row["ci_high"]
    )
  }
}
