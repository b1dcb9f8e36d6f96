import Foundation
import GRDB
package import LabModel

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
