import GRDB
package import LaunchCore

extension Store {
  /// Stores a new run without launches.
  ///
  /// - Parameter run: The run; dates are stored to the millisecond.
  /// - Returns: What writes the launches.
  /// - Throws: ``StoreError``, such as ``StoreError/duplicateRun(id:)``.
  package func begin(_ run: RunRecord) throws -> RunWriter {
    try checkpoint()
    let key = try write { db in
      try checkIsNew(db, run)
      return try insert(db, run)
    }
    return RunWriter(store: self, run: run.id, key: key, storedBlocks: 0, armsWithOutput: [])
  }

  /// Opens a stored run for the blocks that it still lacks.
  ///
  /// - Parameter id: The id of the run; it becomes unfinished again.
  /// - Returns: What writes the launches.
  /// - Throws: ``StoreError``.
  package func resume(_ id: String) throws -> RunWriter {
    try checkpoint()
    return try write { db in
      let key = try key(db, of: id)
      try db.execute(
        sql: """
          UPDATE run SET status = 'unfinished', finished_at = NULL, verdict = NULL, exit_code = NULL
          WHERE key = ?
          """,
        arguments: [key]
      )
      let blocks = "SELECT count(DISTINCT block) FROM launch WHERE run = ?"
      let arms = "SELECT DISTINCT arm FROM launch WHERE run = ?"
      return RunWriter(
        store: self,
        run: id,
        key: key,
        storedBlocks: try Int.fetchOne(db, sql: blocks, arguments: [key]) ?? 0,
        armsWithOutput: try Int.fetchSet(db, sql: arms, arguments: [key])
      )
    }
  }

  /// Stores what a run came to, in place of what was stored of it before.
  ///
  /// - Parameters:
  ///   - outcome: The verdict and the exit code.
  ///   - run: The id of the run.
  /// - Throws: ``StoreError``.
  package func save(_ outcome: RunOutcome, of run: String) throws {
    try write { db in
      try db.execute(
        sql: "UPDATE run SET verdict = ?, exit_code = ? WHERE key = ?",
        arguments: [outcome.verdict, outcome.exitCode, try key(db, of: run)]
      )
    }
  }

  /// Stores runs that ended before they came here, all of them or none.
  ///
  /// - Parameter runs: Whole runs, each with its launches in launch order.
  /// - Throws: ``StoreError``, such as ``StoreError/duplicateRun(id:)``; then nothing is stored.
  package func add(_ runs: [FinishedRun]) throws {
    try write { db in
      for finished in runs {
        try checkIsNew(db, finished.run)
        let key = try insert(db, finished.run)
        var inserter = LaunchInserter(run: key)
        try inserter.insert([finished.launches], db)
        try replaceSummaries(db, finished.summaries, of: finished.run.id)
      }
    }
    // As after a run: what is in the log is safe already.
    try? checkpoint()
  }

  private func checkIsNew(_ db: Database, _ run: RunRecord) throws {
    let sql = "SELECT 1 FROM run WHERE id = ?"
    guard try Int.fetchOne(db, sql: sql, arguments: [run.id]) == nil else {
      throw StoreError.duplicateRun(id: run.id)
    }
  }

  private func insert(_ db: Database, _ run: RunRecord) throws -> Int64 {
    let sql = """
      INSERT INTO run (id, scenario, started_at, finished_at, status, purpose, seed,
        planned_launches, fingerprint, host_identity, build_commit, tool, plan, host, build,
        slot_night, slot_host)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    try db.execute(
      sql: sql,
      arguments: [
        run.id, run.plan.scenario.name, Timestamp.text(run.startedAt),
        run.finishedAt.map(Timestamp.text), run.status.rawValue, run.purpose.rawValue,
        String(run.plan.seed), run.plan.launchCount, run.host.fingerprint,
        run.host.identity, run.build?.commit, run.tool, try JSONText.text(run.plan),
        try JSONText.text(run.host),
        try run.build.map { try JSONText.text($0) }, run.slot?.night, run.slot?.host,
      ]
    )
    let key = db.lastInsertedRowID
    try insert(db, run.plan.arms, key: key)
    try insert(db, run.controls, key: key)
    return key
  }

  private func insert(_ db: Database, _ arms: [Arm], key: Int64) throws {
    let sql = "INSERT INTO arm (run, number, target, state, kind) VALUES (?, ?, ?, ?, ?)"
    for (number, arm) in arms.enumerated() {
      try db.execute(
        sql: sql,
        arguments: [key, number, arm.target, arm.state.rawValue, arm.kind.rawValue]
      )
    }
  }

  private func insert(_ db: Database, _ controls: [ControlReceipt], key: Int64) throws {
    let sql = """
      INSERT INTO control (run, number, name, wanted, before, after, status, reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """
    for (number, control) in controls.enumerated() {
      try db.execute(
        sql: sql,
        arguments: [
          key, number, control.name, control.wanted, control.before, control.after,
          control.status.rawValue, control.reason,
        ]
      )
    }
  }
}
