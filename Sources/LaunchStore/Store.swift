// LaunchStore: the SQLite database that keeps every launch. It alone imports GRDB.
//
// `StoreOpening` opens a file, or says why it cannot; `Migrations` bring an older schema up to date, and one
// that has shipped is never changed. `RunWriter` and `LaunchInserter` store a block when it is complete;
// `LaunchReader` gives launches back one at a time. `Store+Runs`, `Store+Series`, `Store+Summaries`,
// `Store+Trends` and `Store+Alerts` hold the queries by what they are about.
//
// A launch that is stored is never changed: what is concluded can always be computed again.
// docs/schema.md describes the tables.

import Foundation
import GRDB
package import LaunchCore

/// The SQLite database that keeps every launch.
///
/// One process writes at a time, others may read meanwhile. A launch that is stored is never
/// changed. Methods must not be called from inside the body of ``forEachLaunch(of:_:)``.
package struct Store: Sendable {
  /// How a store is opened.
  package enum Mode: Sendable {
    /// Creates the file and its directory when they are missing, and migrates an older schema.
    case readWrite

    /// Changes nothing, and works on a read-only file system.
    case readOnly
  }

  /// The absolute path of the file, or `:memory:`.
  package let path: String

  let database: any DatabaseWriter

  /// Opens a store, and creates or migrates it as `mode` allows.
  ///
  /// - Parameters:
  ///   - path: A file; a relative path is relative to the working directory.
  ///   - mode: Whether the store may be written to.
  ///   - patience: How long to wait for another process that holds the store locked.
  /// - Throws: ``StoreError``. A file that is not a store of a known version is left as it was.
  package init(
    path: String,
    mode: Mode,
    patience: Nanoseconds = .seconds(5)
  ) throws {
    let path = URL(filePath: path).absoluteURL.path(percentEncoded: false)
    self.path = path
    let opening = StoreOpening(path: path, patience: patience)
    database = try translatingErrors(of: path) {
      switch mode {
      case .readWrite: try opening.openForWriting()
      case .readOnly: try opening.openForReading()
      }
    }
  }

  /// Opens an empty store that lives in memory only, for tests.
  package static func inMemory() throws -> Self {
    let database = try DatabaseQueue()
    try Migrations.migrator.migrate(database)
    return Self(path: ":memory:", database: database)
  }

  private init(path: String, database: any DatabaseWriter) {
    self.path = path
    self.database = database
  }
}

// MARK: - Access

extension Store {
  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try translatingErrors(of: path) { try database.read(body) }
  }

  /// Runs `body` in one transaction.
  func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try translatingErrors(of: path) { try database.write(body) }
  }

  /// Moves what was written into the main file, as far as readers allow.
  func checkpoint() throws {
    try translatingErrors(of: path) {
      try database.writeWithoutTransaction { db in
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal" else { return }
        do {
          _ = try db.checkpoint(.passive)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
          // Another process is just doing the same.
        }
      }
    }
  }
}

extension Store {
  /// Reads the launches of a run in launch order, one at a time.
  ///
  /// Memory does not grow with the number of launches. `body` sees the run as it was when the
  /// call began, even while another process adds to it, and must not use the store.
  ///
  /// Output was kept for the first launch of each arm and for launches that did not become ready;
  /// the streams of others are empty, with their `totalBytes`.
  ///
  /// - Parameters:
  ///   - run: The id of the run.
  ///   - body: Called once per launch, by block, then by position.
  /// - Throws: ``StoreError``, or what `body` throws.
  package func forEachLaunch(
    of run: String,
    _ body: (LaunchRecord) throws -> Void
  ) throws {
    try read { db in
      let key = try key(db, of: run)
      var reader = LaunchReader(db: db, store: self, arms: try arms(db, of: key).count)
      let rows = try StoredRow.fetchCursor(db, sql: LaunchReader.sql, arguments: [key])
      while let row = try rows.next() { try body(reader.record(row)) }
    }
  }

  /// Lists the stored blocks of a run, each of which is complete.
  ///
  /// - Parameter run: The id of the run.
  /// - Returns: The numbers of the blocks, ascending.
  /// - Throws: ``StoreError``.
  package func completeBlocks(of run: String) throws -> [Int] {
    try read { db in
      let sql = "SELECT DISTINCT block FROM launch WHERE run = ? ORDER BY block"
      return try Int.fetchAll(db, sql: sql, arguments: [key(db, of: run)])
    }
  }
}

extension Store {
  /// Replaces the names of the functions that the stages of a run are about.
  ///
  /// - Parameters:
  ///   - symbols: Names by place; places without an offset are left out.
  ///   - run: The id of the run.
  /// - Throws: ``StoreError``; then the former names are kept.
  package func saveSymbols(_ symbols: [CodePlace: String], of run: String) throws {
    try write { db in
      let key = try key(db, of: run)
      try db.execute(sql: "DELETE FROM symbol WHERE run = ?", arguments: [key])
      var files = InternedText(table: "file", column: "path")
      let sql = "INSERT OR REPLACE INTO symbol (run, file, place, name) VALUES (?, ?, ?, ?)"
      let statement = try db.cachedStatement(sql: sql)
      for (place, name) in symbols where !name.isEmpty {
        guard let offset = place.offset else { continue }
        let file = try files.id(of: place.file, db)
        try statement.execute(arguments: [key, file, Int64(bitPattern: offset), name])
      }
    }
  }

  /// Reads the names of the functions that the stages of a run are about.
  ///
  /// - Parameter run: The id of the run.
  /// - Returns: Names by place.
  /// - Throws: ``StoreError``.
  package func symbols(of run: String) throws -> [CodePlace: String] {
    let sql = """
      SELECT file.path, symbol.place, symbol.name
      FROM symbol JOIN file ON file.id = symbol.file WHERE symbol.run = ?
      """
    return try read { db in
      let rows = try StoredRow.fetchAll(db, sql: sql, arguments: [key(db, of: run)])
      return try rows.reduce(into: [:]) { symbols, row in
        let offset = UInt64(bitPattern: try row[1] as Int64)
        symbols[CodePlace(file: try row[0], offset: offset)] = try row[2] as String
      }
    }
  }
}

extension Store {
  /// Stores one attempt to tell somebody of an event.
  ///
  /// - Parameter delivery: Of a stored event; its date is stored to the millisecond.
  /// - Throws: ``StoreError``.
  package func save(_ delivery: Delivery) throws {
    let sql = """
      INSERT INTO delivery (alert, event, number, notifier, at, failure)
      VALUES (?1, ?2, (SELECT count(*) FROM delivery WHERE alert = ?1 AND event = ?2), ?3, ?4, ?5)
      """
    try write { db in
      try db.execute(
        sql: sql,
        arguments: [
          delivery.alert, delivery.event, delivery.notifier, Timestamp.text(delivery.at),
          delivery.failure,
        ]
      )
    }
  }

  /// Reads every attempt to tell somebody of an alert of a scenario.
  ///
  /// - Parameter scenario: The name of the scenario; nil means every one.
  /// - Returns: By alert, then by event, then in the order in which they were stored.
  /// - Throws: ``StoreError``.
  package func deliveries(scenario: String?) throws -> [Delivery] {
    let sql = """
      SELECT delivery.* FROM alert JOIN delivery ON delivery.alert = alert.number
      WHERE ?1 IS NULL OR alert.scenario = ?1
      ORDER BY delivery.alert, delivery.event, delivery.number
      """
    return try read { db in
      try StoredRow.fetchAll(db, sql: sql, arguments: [scenario]).map { row in
        try Delivery(
          alert: row["alert"],
          event: row["event"],
          notifier: row["notifier"],
          at: try date(row["at"]),
          failure: row["failure"]
        )
      }
    }
  }
}

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
      SELECT run.id, run.started_at, run.fingerprint, run.host_identity, left_out.at, left_out.person, left_out.standing,
        left_out.reason
      FROM left_out JOIN run ON run.key = left_out.run
      WHERE ?1 IS NULL OR run.scenario = ?1 ORDER BY run.started_at, run.id
      """
    return try read { db in
      try StoredRow.fetchAll(db, sql: sql, arguments: [scenario]).map { row in
        try LeftOutRun(
          Night(
            run: row["id"],
            startedAt: date(row["started_at"]),
            fingerprint: row["fingerprint"],
            identity: row["host_identity"]
          ),
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
