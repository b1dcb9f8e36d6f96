package import Foundation
import GRDB
import LaunchCore

// MARK: - Runs

extension Store {
  /// Adds runs of another store, with all that is stored of them.
  ///
  /// Whatever refers to a run is copied, by the foreign keys of the schema, so that a new table is too.
  ///
  /// - Parameters:
  ///   - ids: The whole ids; those that are here already are passed over.
  ///   - source: It is only read.
  /// - Throws: ``StoreError``, such as ``StoreError/unknownRun(text:)``; then nothing is added.
  package func add(_ ids: [String], from source: Store) throws {
    try attaching(source) { db in
      for id in ids {
        let known = "SELECT 1 FROM main.run WHERE id = ?"
        guard try Int.fetchOne(db, sql: known, arguments: [id]) == nil else { continue }
        let sql = "SELECT key FROM source.run WHERE id = ?"
        guard let key = try Int64.fetchOne(db, sql: sql, arguments: [id]) else {
          throw StoreError.unknownRun(text: id)
        }
        try RunCopy(db).copy(key)
      }
    }
  }

  /// What a stored run is, whatever file it is in: a digest of what is never changed of it.
  ///
  /// - Parameter run: The whole id.
  /// - Returns: 64 lower-case hexadecimal digits; the same in a copy, and after a migration.
  /// - Throws: ``StoreError``.
  package func digest(of run: String) throws -> String {
    try read { db in
      let key = try key(db, of: run)
      let facts = "SELECT id, scenario, started_at, seed, planned_launches FROM run WHERE key = ?"
      let launches = """
        SELECT block, position, arm, started_ns, outcome, launch_ns FROM launch WHERE run = ?
        ORDER BY block, position
        """
      let summaries = """
        SELECT arm, metric, n, median FROM summary WHERE run = ? ORDER BY arm, metric
        """
      var digest = RowDigest()
      for sql in [facts, launches, summaries] { try digest.add(db, sql, [key]) }
      return digest.hexadecimal
    }
  }

  /// Writes a run as a small store of its own.
  ///
  /// - Parameters:
  ///   - run: The whole id.
  ///   - path: Neither it nor the same with `.wide` behind may be there.
  /// - Throws: ``StoreError``.
  package func write(run: String, to path: String) throws {
    let copy = try Store(path: path + ".wide", mode: .readWrite)
    try copy.add([run], from: self)
    try translatingErrors(of: path) {
      try copy.database.writeWithoutTransaction { db in
        // Most tables of one run have a row or two, so that small pages make a small file.
        try db.execute(sql: "PRAGMA page_size = 1024")
        try db.execute(sql: "VACUUM INTO ?", arguments: [path])
      }
    }
  }

  /// A run that others may read.
  package struct SharedRun: Hashable, Sendable {
    package var id: String
    package var scenario: String

    /// That of the host.
    package var identity: String?

    /// Whether somebody took it out.
    package var isLeftOut: Bool
  }

  /// Lists the complete nights, imported ones and proofs, of which nothing more will be stored.
  ///
  /// A night is complete before it is concluded, and has an exit code after that; one that was killed
  /// in between has none.
  ///
  /// - Parameter now: A night without an exit code that ended a day before is finished all the same.
  /// - Returns: Ascending by start.
  /// - Throws: ``StoreError``.
  package func sharedRuns(at now: Date) throws -> [SharedRun] {
    let sql = """
      SELECT id, scenario, host_identity, key IN \(Self.leftOut) FROM run
      WHERE status = 'complete' AND purpose IN ('night', 'imported', 'proof')
        AND (purpose = 'imported' OR exit_code IS NOT NULL OR coalesce(finished_at, started_at) < ?)
      ORDER BY started_at, id
      """
    return try read { db in
      try StoredRow.fetchAll(db, sql: sql, arguments: [Timestamp.text(now - 86_400)]).map { row in
        SharedRun(
          id: try row[0],
          scenario: try row[1],
          identity: try row[2],
          isLeftOut: try row[3] as Int == 1
        )
      }
    }
  }

  /// The schema version that this launchlab writes.
  package static let schemaVersion = Migrations.newest

  /// Runs `body` in one transaction, with another store as the schema `source`.
  private func attaching(_ source: Store, _ body: (Database) throws -> Void) throws {
    try translatingErrors(of: path) {
      try database.writeWithoutTransaction { db in
        try db.execute(sql: "ATTACH DATABASE ? AS source", arguments: [source.path])
        defer { try? db.execute(sql: "DETACH DATABASE source") }
        try db.inTransaction(.immediate) {
          try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
          try body(db)
          return .commit
        }
      }
    }
  }
}

/// Copies a run from the schema `source` to the schema `main`.
private struct RunCopy {
  private let db: Database

  /// Tables of text that is stored once, with the column that has it.
  private static let interned = [
    "file": "path", "reason": "text", "missing": "reasons", "contents": "things",
  ]
  private static let sets = "residency_set"

  init(_ db: Database) { self.db = db }

  func copy(_ key: Int64) throws {
    let tables = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM main.sqlite_master AS m WHERE type = 'table' AND EXISTS (
          SELECT * FROM pragma_foreign_key_list(m.name) AS f WHERE f."from" = 'run')
        """
    )
    let rows = "run = \(key)"
    let sets = "\(Self.sets) IN (SELECT \(Self.sets) FROM source.launch WHERE \(rows))"
    for table in tables { try intern(table, where: rows) }
    try intern("residency", where: sets)
    let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM main.\(Self.sets)") ?? 0
    try insert(Self.sets, where: "id IN (SELECT \(Self.sets) FROM source.launch WHERE \(rows))") {
      $0 == "id" ? "id + \(last)" : nil
    }
    try insert("residency", where: sets) { $0 == Self.sets ? "\(Self.sets) + \(last)" : nil }
    try insert("run", where: "key = \(key)") { $0 == "key" ? "NULL" : nil }
    let copy = db.lastInsertedRowID
    for table in tables {
      try insert(table, where: rows) { column in
        switch column {
        case "run": String(copy)
        case Self.sets: "\(Self.sets) + \(last)"
        default: nil
        }
      }
    }
  }

  /// Adds the texts that rows of a table refer to.
  private func intern(_ table: String, where rows: String) throws {
    for (column, target) in try references(of: table) {
      guard let text = Self.interned[target] else { continue }
      try db.execute(
        sql: """
          INSERT OR IGNORE INTO main.\(target) (\(text)) SELECT \(text) FROM source.\(target)
          WHERE id IN (SELECT \(column) FROM source.\(table) WHERE \(rows))
          """
      )
    }
  }

  /// Copies rows of a table; `value` gives what takes the place of a column, as SQL.
  private func insert(
    _ table: String,
    where rows: String,
    value: (_ column: String) -> String?
  ) throws {
    let sql = "SELECT name FROM pragma_table_info('\(table)')"
    let columns = try String.fetchAll(db, sql: sql)
    let targets = Dictionary(try references(of: table)) { first, _ in first }
    let values = columns.map { column in
      if let value = value(column) { return value }
      guard let target = targets[column], let text = Self.interned[target] else { return column }
      return """
        (SELECT id FROM main.\(target) WHERE \(text) =
          (SELECT \(text) FROM source.\(target) WHERE id = \(table).\(column)))
        """
    }
    try db.execute(
      sql: """
        INSERT INTO main.\(table) (\(columns.joined(separator: ", ")))
        SELECT \(values.joined(separator: ", ")) FROM source.\(table) AS \(table) WHERE \(rows)
        """
    )
  }

  /// The columns of a table that refer to others by one number.
  private func references(of table: String) throws -> [(String, String)] {
    let sql =
      "SELECT \"from\", \"table\" FROM pragma_foreign_key_list('\(table)') WHERE \"to\" = 'id'"
    return try StoredRow.fetchAll(db, sql: sql, arguments: []).map { (try $0[0], try $0[1]) }
  }
}

// MARK: - What was concluded

extension Store {
  /// The tables of what is concluded of a scenario on a host, with their parents first, and their
  /// condition.
  ///
  /// Runs that name no machine are of the host.
  private static let conclusions: [(table: String, condition: String)] =
    [("alert", own)]
    + ["alert_event", "delivery", "explanation"].map {
      ($0, "alert IN (SELECT number FROM source.alert WHERE \(own))")
    }
  private static let own = """
    scenario = ?1
      AND coalesce((SELECT host_identity FROM source.run WHERE id = onset), ?2) = ?2
    """
  private static let decisions = """
    SELECT run.id, number, at, person, standing, reason FROM source.run_decision AS d
    JOIN source.run AS run ON run.key = d.run
    WHERE scenario = ?1 AND coalesce(host_identity, ?2) = ?2 ORDER BY run.id, number
    """

  /// What was concluded of a scenario on a host, and decided about its runs, as a digest.
  ///
  /// - Parameters:
  ///   - scenario: The name of the scenario.
  ///   - identity: That of the host.
  /// - Returns: 64 lower-case hexadecimal digits; nil where there is nothing.
  /// - Throws: ``StoreError``.
  package func conclusionsDigest(scenario: String, identity: String) throws -> String? {
    try read { db in
      var digest = RowDigest()
      for (table, condition) in Self.conclusions {
        let sql = "SELECT * FROM source.\(table) WHERE \(condition) ORDER BY 1, 2, 3"
        try digest.add(db, sql.replacing("source.", with: "main."), [scenario, identity])
      }
      let decisions = Self.decisions.replacing("source.", with: "main.")
      try digest.add(db, decisions, [scenario, identity])
      return digest.isEmpty ? nil : digest.hexadecimal
    }
  }

  /// Writes a store of what was concluded of a scenario on a host, without its runs.
  ///
  /// What was decided about runs is in a table `decided`, by their ids.
  ///
  /// - Parameters:
  ///   - scenario: The name of the scenario.
  ///   - identity: That of the host.
  ///   - path: There must be no such file.
  /// - Throws: ``StoreError``.
  package func writeConclusions(scenario: String, identity: String, to path: String) throws {
    let copy = try Store(path: path, mode: .readWrite)
    try copy.attaching(self) { db in
      for (table, condition) in Self.conclusions {
        let sql = "INSERT INTO main.\(table) SELECT * FROM source.\(table) WHERE \(condition)"
        try db.execute(sql: sql, arguments: [scenario, identity])
      }
      try db.execute(
        sql:
          "CREATE TABLE main.decided (id TEXT, number INTEGER, at TEXT, person TEXT, standing TEXT, reason TEXT)"
      )
      let sql = "INSERT INTO main.decided \(Self.decisions)"
      try db.execute(sql: sql, arguments: [scenario, identity])
    }
  }

  /// Takes what ``writeConclusions(scenario:identity:to:)`` wrote in place of what is here.
  ///
  /// - Parameters:
  ///   - source: That store.
  ///   - digest: Kept for ``takenConclusions()``.
  /// - Throws: ``StoreError``; then nothing is changed.
  package func takeConclusions(from source: Store, digest: String) throws {
    try attaching(source) { db in
      let tables = Self.conclusions.map(\.table)
      for table in tables.reversed() + ["run_decision"] {
        try db.execute(sql: "DELETE FROM main.\(table)")
      }
      for table in tables {
        try db.execute(sql: "INSERT INTO main.\(table) SELECT * FROM source.\(table)")
      }
      try db.execute(
        sql: """
          INSERT INTO main.run_decision (run, number, at, person, standing, reason)
            SELECT run.key, number, at, person, standing, reason
            FROM source.decided JOIN main.run ON run.id = decided.id;
          CREATE TABLE IF NOT EXISTS main.taken (digest TEXT NOT NULL);
          DELETE FROM main.taken;
          """
      )
      try db.execute(sql: "INSERT INTO main.taken VALUES (?)", arguments: [digest])
    }
  }

  /// The digest of the conclusions that were taken last; nil for none.
  ///
  /// - Throws: ``StoreError``.
  package func takenConclusions() throws -> String? {
    try read { db in
      guard try db.tableExists("taken") else { return nil }
      return try String.fetchOne(db, sql: "SELECT digest FROM taken")
    }
  }
}

// MARK: - Digests

/// The digest of the rows of some queries.
private struct RowDigest {
  private var digest = SHA256()
  private(set) var isEmpty = true

  mutating func add(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws {
    let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments)
    while let row = try rows.next() {
      isEmpty = false
      let line = row.databaseValues.map(\.description).joined(separator: "|") + "\n"
      digest.append(Array(line.utf8)[...])
    }
  }

  var hexadecimal: String { digest.hexadecimal }
}
