import GRDB
package import LabModel

extension Store {
  /// Replaces the stored summaries of what the collectors of a run saw.
  ///
  /// - Parameters:
  ///   - rows: Every row of the run, at most one per arm and collector; of paths that occur twice
  ///     the first is kept.
  ///   - run: The id of the run.
  /// - Throws: ``StoreError``; then the former rows are kept.
  package func saveCollectors(_ rows: [CollectorRow], of run: String) throws {
    try write { db in
      let key = try key(db, of: run)
      let arms = try arms(db, of: key)
      try db.execute(sql: "DELETE FROM collector WHERE run = ?", arguments: [key])
      for row in rows {
        guard let arm = arms.firstIndex(of: row.arm) else {
          let rule = "a collector of target \"\(row.arm.target)\", which is no arm of \"\(run)\""
          throw StoreError.refused(path: path, rule: rule)
        }
        try insert(db, row, key: key, arm: arm)
      }
    }
  }

  /// Reads what the collectors of a run saw.
  ///
  /// - Parameter run: The id of the run.
  /// - Returns: The rows by arm in the plan's order; none of collectors that this launchlab does
  ///   not know.
  /// - Throws: ``StoreError``.
  package func collectors(of run: String) throws -> [CollectorRow] {
    try read { db in
      let key = try key(db, of: run)
      let arms = try arms(db, of: key)
      let sql = "SELECT * FROM collector WHERE run = ? ORDER BY arm, name"
      return try StoredRow.fetchAll(db, sql: sql, arguments: [key]).compactMap { row in
        guard let collector = StageCollector(rawValue: try row["name"]) else { return nil }
        let arm: Int = try row["arm"]
        return try CollectorRow(
          arm: known(arms.indices.contains(arm) ? arms[arm] : nil, "arm"),
          collector: collector,
          version: row["version"],
          launches: row["launches"],
          launch: row["launch"],
          preMain: row["pre_main"],
          sum: row["parts_sum"],
          worstLaunch: row["worst_launch"],
          plain: row["plain"],
          cost: row["cost"],
          stages: try stages(db, of: row)
        )
      }
    }
  }

  private func insert(_ db: Database, _ row: CollectorRow, key: Int64, arm: Int) throws {
    let sql = """
      INSERT INTO collector (run, arm, name, version, launches, launch, pre_main, parts_sum,
        worst_launch, plain, cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [
      key, arm, row.collector.rawValue, row.version, row.launches, row.launch, row.preMain,
      row.sum, row.worstLaunch, row.plain, row.cost,
    ])
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO stage_median (run, arm, collector, number, path, n, median, ci_low, ci_high,
          share) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """
    )
    for (number, stage) in row.stages.enumerated() {
      try statement.execute(arguments: [
        key, arm, row.collector.rawValue, number, stage.path, stage.n, stage.median,
        stage.intervalLow, stage.intervalHigh, stage.share,
      ])
    }
  }

  private func stages(_ db: Database, of row: StoredRow) throws -> [StageMedian] {
    let sql =
      "SELECT * FROM stage_median WHERE run = ? AND arm = ? AND collector = ? ORDER BY number"
    let arguments: StatementArguments = try [
      row["run"] as Int64, row["arm"] as Int, row["name"] as String,
    ]
    return try StoredRow.fetchAll(db, sql: sql, arguments: arguments).map { row in
      try StageMedian(
        path: row["path"],
        n: row["n"],
        median: row["median"],
        intervalLow: row["ci_low"],
        intervalHigh: row["ci_high"],
        share: row["share"]
      )
    }
  }
}
