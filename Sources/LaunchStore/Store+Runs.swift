package import Foundation
import GRDB
package import LaunchCore

// MARK: - History

extension Store {
  /// Lists stored runs.
  ///
  /// - Parameters:
  ///   - limit: How many at most; nil means all.
  ///   - scenario: The name of the only scenario to list; nil means every one.
  ///   - includesRemoved: Whether those are listed too that somebody removed.
  /// - Returns: The runs, the newest first.
  /// - Throws: ``StoreError``.
  package func runs(
    limit: Int? = nil,
    scenario: String? = nil,
    includesRemoved: Bool = false
  ) throws -> [RunListing] {
    let shown = includesRemoved ? "" : " AND key NOT IN \(Self.removed)"
    return try read { db in
      try listings(
        db,
        where: "(?1 IS NULL OR scenario = ?1)\(shown)",
        [scenario],
        limit: limit ?? -1
      )
    }
  }

  /// That the id of a run begins with the text `?2`, in a way that the index of ids serves; ids are ASCII.
  static let beginsWithText = "run.id >= ?2 AND run.id < ?2 || char(0x10FFFF)"

  /// Lists the ids of stored runs, without counting their launches.
  ///
  /// - Parameters:
  ///   - scenario: The name of the only scenario to list; nil means every one.
  ///   - beginning: What the ids begin with.
  ///   - limit: How many of the newest at most; nil means all.
  /// - Returns: The ids with their starts, the oldest first; not those of removed runs.
  /// - Throws: ``StoreError``.
  package func runIDs(
    scenario: String? = nil,
    beginning: String = "",
    limit: Int? = nil
  ) throws -> [(id: String, startedAt: Date)] {
    try read { db in
      let sql = """
        SELECT id, started_at FROM run
        WHERE (?1 IS NULL OR scenario = ?1) AND \(Self.beginsWithText)
          AND key NOT IN \(Self.removed)
        ORDER BY started_at DESC, id DESC LIMIT ?3
        """
      let rows = try StoredRow.fetchAll(
        db,
        sql: sql,
        arguments: [scenario, beginning, limit ?? -1]
      )
      return try rows.reversed().map { row in
        (id: try row[0], startedAt: try date(row[1]))
      }
    }
  }

  /// Lists the runs that go on or were cut off.
  ///
  /// - Returns: The runs, the newest first.
  /// - Throws: ``StoreError``.
  package func unfinishedRuns() throws -> [RunListing] {
    try read { db in try listings(db, where: "status = ?1", ["unfinished"], limit: -1) }
  }

  private func listings(
    _ db: Database,
    where condition: String,
    _ argument: [String?],
    limit: Int
  ) throws -> [RunListing] {
    let sql = """
      SELECT key, id, scenario, started_at, finished_at, status, purpose, seed,
        planned_launches, fingerprint, json_extract(host, '$.name') AS host_name, build_commit, verdict, exit_code, left_out.at, left_out.person,
        left_out.standing, left_out.reason,
        (SELECT count(*) FROM launch WHERE launch.run = run.key) AS launches,
        (SELECT count(DISTINCT block) FROM launch WHERE launch.run = run.key) AS blocks
      FROM run LEFT JOIN left_out ON left_out.run = run.key
      WHERE \(condition) ORDER BY started_at DESC, id DESC LIMIT \(limit)
      """
    let rows = try StoredRow.fetchAll(db, sql: sql, arguments: StatementArguments(argument))
    return try rows.map { try listing($0, arms: arms(db, of: $0["key"])) }
  }

  private func listing(_ row: StoredRow, arms: [Arm]) throws -> RunListing {
    try RunListing(
      id: row["id"],
      scenario: row["scenario"],
      startedAt: try date(row["started_at"]),
      finishedAt: try (row["finished_at"] as String?).map(date),
      status: try status(row["status"]),
      purpose: try purpose(row["purpose"]),
      seed: try known(UInt64(row["seed"] as String), "seed"),
      arms: arms,
      plannedLaunches: row["planned_launches"],
      launches: row["launches"],
      blocks: row["blocks"],
      fingerprint: row["fingerprint"],
      hostName: row["host_name"],
      commit: row["build_commit"],
      decision: decision(row),
      outcome: try (row["exit_code"] as Int?).map {
        RunOutcome(verdict: try row["verdict"], exitCode: $0)
      }
    )
  }

  func arms(_ db: Database, of key: Int64) throws -> [Arm] {
    let sql = "SELECT target, state, kind FROM arm WHERE run = ? ORDER BY number"
    return try StoredRow.fetchAll(db, sql: sql, arguments: [key]).map { row in
      try Arm(
        target: row["target"],
        state: try known(LaunchState(rawValue: row["state"]), "state"),
        kind: try known(Arm.Kind(rawValue: row["kind"]), "kind of arm")
      )
    }
  }
}

// MARK: - One run

extension Store {
  /// Whether a run is stored.
  ///
  /// - Parameter id: The whole id.
  /// - Returns: Whether there is one of that id, whatever it is for.
  /// - Throws: ``StoreError``.
  package func hasRun(_ id: String) throws -> Bool {
    try read { db in
      try Int.fetchOne(db, sql: "SELECT 1 FROM run WHERE id = ?", arguments: [id]) != nil
    }
  }

  /// Reads one run.
  ///
  /// - Parameter text: The id, or the beginning of the id of that run only; a removed run is found
  ///   by its whole id.
  /// - Returns: The run, as it was stored.
  /// - Throws: ``StoreError``, such as ``StoreError/ambiguousRun(text:matches:)``.
  package func run(_ text: String) throws -> RunRecord {
    try read { db in
      let id = try uniqueID(db, text)
      let row = try StoredRow.fetchOne(db, sql: "SELECT * FROM run WHERE id = ?", arguments: [id])
      return try record(db, try known(row, "run"))
    }
  }

  /// The key of a run by its whole id.
  func key(_ db: Database, of id: String) throws -> Int64 {
    let key = try Int64.fetchOne(db, sql: "SELECT key FROM run WHERE id = ?", arguments: [id])
    guard let key else { throw StoreError.unknownRun(text: id) }
    return key
  }

  private func uniqueID(_ db: Database, _ text: String) throws -> String {
    let sql = """
      SELECT id FROM run WHERE substr(CAST(id AS BLOB), 1, length(CAST(?1 AS BLOB)))
        = CAST(?1 AS BLOB) AND (id = ?1 OR key NOT IN \(Self.removed)) ORDER BY id = ?1 DESC, started_at DESC LIMIT 6
      """
    let matches = try String.fetchAll(db, sql: sql, arguments: [text])
    guard let first = matches.first, !text.isEmpty else { throw StoreError.unknownRun(text: text) }
    guard matches.count == 1 || first == text else {
      throw StoreError.ambiguousRun(text: text, matches: matches)
    }
    return first
  }

  private func record(_ db: Database, _ row: StoredRow) throws -> RunRecord {
    let plan = try json(Plan.self, row["plan"])
    guard try plan.arms == arms(db, of: row["key"]) else {
      throw StoreError.corrupt(path: path, detail: "the arms of a run are not those of its plan")
    }
    return try RunRecord(
      id: row["id"],
      startedAt: try date(row["started_at"]),
      finishedAt: try (row["finished_at"] as String?).map(date),
      status: try status(row["status"]),
      purpose: try purpose(row["purpose"]),
      plan: plan,
      host: try json(HostFacts.self, row["host"]),
      controls: try controls(db, of: row["key"]),
      build: try (row["build"] as String?).map { try json(BuildRecord.self, $0) },
      tool: row["tool"],
      slot: try slot(row)
    )
  }

  /// A run that was made for a night of a fleet.
  package struct SlotRun: Hashable, Sendable {
    package var id: String
    package var status: RunRecord.Status

    /// Whether it is stored what the run came to.
    package var isConcluded: Bool
  }

  /// Lists the runs of a scenario that were made for a night of a fleet.
  ///
  /// - Parameters:
  ///   - slot: Which night and which host.
  ///   - scenario: Its name.
  /// - Returns: Those for the purpose `night`, ascending by start, without those that somebody removed.
  /// - Throws: ``StoreError``.
  package func runs(of slot: FleetSlot, scenario: String) throws -> [SlotRun] {
    let sql = """
      SELECT id, status, exit_code IS NOT NULL AS concluded FROM run
      WHERE slot_night = ? AND slot_host = ? AND scenario = ? AND purpose = 'night'
        AND key NOT IN \(Self.removed) ORDER BY started_at, id
      """
    return try read { db in
      let arguments: StatementArguments = [slot.night, slot.host, scenario]
      return try StoredRow.fetchAll(db, sql: sql, arguments: arguments).map { row in
        SlotRun(
          id: try row["id"],
          status: try status(row["status"]),
          isConcluded: try row["concluded"] as Int == 1
        )
      }
    }
  }

  func slot(_ row: StoredRow) throws -> FleetSlot? {
    guard let night = try row["slot_night"] as String? else { return nil }
    return FleetSlot(night: night, host: try row["slot_host"])
  }

  private func controls(_ db: Database, of key: Int64) throws -> [ControlReceipt] {
    let sql = "SELECT * FROM control WHERE run = ? ORDER BY number"
    return try StoredRow.fetchAll(db, sql: sql, arguments: [key]).map { row in
      try ControlReceipt(
        name: row["name"],
        wanted: row["wanted"],
        before: row["before"],
        after: row["after"],
        status: try known(ControlReceipt.Status(rawValue: row["status"]), "status of a control"),
        reason: row["reason"]
      )
    }
  }
}

// MARK: - Values

extension Store {
  /// - Throws: ``StoreError/corrupt(path:detail:)`` when there is no value.
  func known<Value>(_ value: Value?, _ noun: String) throws -> Value {
    guard let value else { throw StoreError.corrupt(path: path, detail: "unknown \(noun)") }
    return value
  }

  func date(_ text: String) throws -> Date { try known(Timestamp.date(text), "date") }

  func status(_ text: String) throws -> RunRecord.Status {
    try known(RunRecord.Status(rawValue: text), "status of a run")
  }

  func purpose(_ text: String) throws -> RunRecord.Purpose {
    try known(RunRecord.Purpose(rawValue: text), "purpose of a run")
  }

  func json<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    do {
      return try JSONText.value(type, text)
    } catch {
      throw StoreError.corrupt(path: path, detail: "cannot read a \(type) that a run holds")
    }
  }
}

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
