import GRDB
package import LabModel

extension Store {
  /// The keys of the runs that are out of history, as SQL.
  static let leftOut = "(SELECT run FROM left_out)"

  /// The keys of the runs that are hidden from lists, as SQL.
  static let removed = "(SELECT run FROM left_out WHERE standing = 'removed')"

  /// Stores what a person decided about a run; nothing of the run itself is changed.
  ///
  /// - Parameters:
  ///   - decision: It takes the place of the one before, which is kept too. Its date is stored to
  ///     the millisecond.
  ///   - run: The id of the run.
  /// - Throws: ``StoreError``, such as ``StoreError/unknownRun(text:)``.
  package func decide(_ decision: RunDecision, on run: String) throws {
    let sql = """
      INSERT INTO run_decision (run, number, at, person, standing, reason)
      VALUES (?1, (SELECT count(*) FROM run_decision WHERE run = ?1), ?2, ?3, ?4, ?5)
      """
    try write { db in
      try db.execute(
        sql: sql,
        arguments: [
          key(db, of: run), Timestamp.text(decision.at), decision.person,
          decision.standing.rawValue, decision.reason,
        ]
      )
    }
    try? checkpoint()
  }

  /// Reads the runs that are out of history.
  ///
  /// - Parameter scenario: The name of the scenario; nil means every one.
  /// - Returns: Each with the decision that holds, the oldest run first.
  /// - Throws: ``StoreError``.
  package func leftOutRuns(scenario: String? = nil) throws -> [LeftOutRun] {
    let sql = """
      SELECT run.id, run.started_at, left_out.at, left_out.person, left_out.standing,
        left_out.reason
      FROM left_out JOIN run ON run.key = left_out.run
      WHERE ?1 IS NULL OR run.scenario = ?1 ORDER BY run.started_at, run.id
      """
    return try read { db in
      try StoredRow.fetchAll(db, sql: sql, arguments: [scenario]).map { row in
        try LeftOutRun(
          run: row["id"],
          startedAt: date(row["started_at"]),
          decision: known(decision(row), "standing of a run")
        )
      }
    }
  }

  /// The decision of a row of the view of runs that are out of history; nil without one.
  func decision(_ row: StoredRow) throws -> RunDecision? {
    guard let standing: String = try row["standing"] else { return nil }
    return RunDecision(
      at: try date(row["at"]),
      person: try row["person"],
      standing: try known(RunDecision.Standing(rawValue: standing), "standing of a run"),
      reason: try row["reason"]
    )
  }
}
