import Foundation
import GRDB
import LaunchCore
import SystemPackage

/// The steps that open a store safely.
struct StoreOpening {
  var path: String
  var patience: Nanoseconds

  /// Opens the file for writing, and waits for another process that is just creating it.
  ///
  /// SQLite does not wait by itself while a new file is switched to WAL, and two processes may
  /// begin the same migration, of which the second then fails.
  func openForWriting() throws -> any DatabaseWriter {
    try createDirectory()
    let deadline = ContinuousClock.now + .nanoseconds(patience.count)
    while true {
      do {
        return try openAndMigrate()
      } catch let error as DatabaseError
        where Self.mayPass(error) && ContinuousClock.now < deadline
      {
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
  }

  private func openAndMigrate() throws -> any DatabaseWriter {
    // A store of a newer launchlab must stay as it is, and already switching a file to WAL
    // writes to it, so the version is read through a connection that cannot write.
    var version = 0
    if try size > 0 {
      version = try checked().version
    } else {
      try createForOwnerOnly()
    }
    let queue = try DatabaseQueue(path: path, configuration: writingConfiguration)
    try queue.writeWithoutTransaction(makeReady)
    if version != Migrations.newest { try Migrations.migrator.migrate(queue) }
    return queue
  }

  /// Switches to WAL without the table that GRDB makes and drops for that, after which every
  /// connection reads the whole schema again.
  private func makeReady(_ db: Database) throws {
    guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
      throw StoreError.cannotOpen(path: path, reason: "its file system has no shared memory")
    }
    // SQLite opens what it may only read without a word.
    try db.execute(sql: "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; ROLLBACK")
  }

  func openForReading(requiresNewest: Bool = true) throws -> DatabaseQueue {
    guard FileManager.default.fileExists(atPath: path) else {
      throw StoreError.missingStore(path: path)
    }
    _ = try size
    let (queue, version) = try checked()
    guard requiresNewest else { return queue }
    // Whoever was creating it was cut off, so that nothing is in it yet.
    guard version != 0 else { throw StoreError.missingStore(path: path) }
    guard version == Migrations.newest else {
      throw StoreError.olderSchema(path: path, found: version, supported: Migrations.newest)
    }
    return queue
  }

  /// Opens a file that is there for reading, and tells the version of its schema.
  private func checked() throws -> (queue: DatabaseQueue, version: Int) {
    let queue = try openQueue()
    return (queue, try checkVersion(of: queue))
  }
}

// MARK: - Steps

extension StoreOpening {
  /// How long the file is; 0 where there is none.
  ///
  /// What is no regular file is refused: SQLite would wait for the other end of a FIFO for ever.
  private var size: Int64 {
    get throws {
      let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
      guard let facts = try? FileManager.default.attributesOfItem(atPath: target) else { return 0 }
      let kind =
        switch facts[.type] as? FileAttributeType {
        case .typeRegular, .typeSymbolicLink: ""
        case .typeDirectory: "it is a directory"
        case .typeSocket: "it is a socket"
        case .typeCharacterSpecial, .typeBlockSpecial: "it is a device"
        default: "it is a FIFO, not a file"
        }
      guard kind.isEmpty else { throw StoreError.cannotOpen(path: path, reason: kind) }
      // A link that is still one leads to nothing yet.
      let isLink = facts[.type] as? FileAttributeType == .typeSymbolicLink
      return isLink ? 0 : (facts[.size] as? NSNumber)?.int64Value ?? 0
    }
  }

  /// Makes an empty file that nobody but its owner may read, whatever the umask.
  ///
  /// A store holds what targets printed. SQLite gives the files beside a database its mode.
  private func createForOwnerOnly() throws {
    let files = FileManager.default
    // A link may lead to a file that does not exist yet.
    let link = try? files.destinationOfSymbolicLink(atPath: path)
    let directory = URL(filePath: path).deletingLastPathComponent()
    let target = link.map { URL(filePath: $0, relativeTo: directory).path(percentEncoded: false) }
    do {
      try FileDescriptor.open(
        FilePath(target ?? path),
        .readWrite,
        options: [.create, .exclusiveCreate],
        permissions: [.ownerReadWrite]
      ).close()
    } catch {
      // It is there already, or SQLite says what is wrong with the place.
      return
    }
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target ?? path)
  }

  private func createDirectory() throws {
    let directory = URL(filePath: path).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    } catch {
      throw StoreError.missingDirectory(
        path: directory.path(percentEncoded: false),
        reason: Self.reason(of: error)
      )
    }
  }

  private static func reason(of error: any Error) -> String {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
    if error.code == CocoaError.fileWriteFileExists.rawValue { return "a file is in the way" }
    guard let cause, cause.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
    return Errno(rawValue: CInt(truncatingIfNeeded: cause.code)).description.lowercased()
  }

  /// Opens the file for reading, as unchangeable where its directory cannot be written to or is full.
  ///
  /// Reading a database in WAL mode needs a shared-memory file beside it. Where that cannot be
  /// made, the file can still be read on its own, as long as nothing is left in a log.
  private func openQueue() throws -> DatabaseQueue {
    do {
      let queue = try DatabaseQueue(path: path, configuration: readingConfiguration)
      try queue.read { db in _ = try Int.fetchOne(db, sql: "PRAGMA schema_version") }
      return queue
    } catch let error as DatabaseError where wantsToWrite(error) {
      guard !hasLog else {
        if StoreError.isFull(path) { throw error }
        let reason = "it was not closed, and its directory does not allow writing"
        throw StoreError.cannotOpen(path: path, reason: reason)
      }
      let address = URL(filePath: path).absoluteString
      return try DatabaseQueue(path: address + "?immutable=1", configuration: readingConfiguration)
    }
  }

  private var hasLog: Bool {
    let facts = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return (facts?[.size] as? NSNumber)?.int64Value ?? 0 > 0
  }

  private static func mayPass(_ error: DatabaseError) -> Bool {
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: true
    case .SQLITE_ERROR: isMigratedTwice(error.message ?? "")
    default: false
    }
  }

  /// Whether a migration found that another process had just made what it makes.
  private static func isMigratedTwice(_ message: String) -> Bool {
    message.hasSuffix("already exists") || message.hasPrefix("duplicate column name")
  }

  private func wantsToWrite(_ error: DatabaseError) -> Bool {
    switch error.resultCode {
    case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_FULL: true
    case .SQLITE_IOERR: StoreError.isFull(path)
    default: false
    }
  }

  /// Reads the schema version, and refuses what is newer, damaged or of another program.
  ///
  /// - Returns: The version; 0 for a database without any table of a program.
  private func checkVersion(of queue: DatabaseQueue) throws -> Int {
    try queue.read { db in
      let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
      let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      // A store that was cut off while it was created holds the list of migrations only.
      let count = "SELECT count(*) FROM sqlite_schema WHERE tbl_name <> 'grdb_migrations'"
      let tables = try Int.fetchOne(db, sql: count) ?? 0
      guard application == Migrations.applicationID || tables == 0 else {
        throw StoreError.notAStore(path: path)
      }
      guard version <= Migrations.newest, try !Migrations.migrator.hasBeenSuperseded(db) else {
        throw StoreError.newerSchema(path: path, found: version, supported: Migrations.newest)
      }
      guard version > 0 else { return version }
      // Reading every column, and making all tables once more to compare them, takes 20 ms.
      guard try StoreSchema.digest(db) != Migrations.newestDigest else { return version }
      let expected = try StoreSchema.expected(version: version)
      if let defect = try StoreSchema(db).defect(against: expected) {
        throw StoreError.corrupt(path: path, detail: defect)
      }
      return version
    }
  }

  private var readingConfiguration: Configuration {
    var configuration = Configuration()
    configuration.label = "launchlab.store"
    configuration.readonly = true
    configuration.busyMode = .timeout(Double(patience.count) / 1e9)
    return configuration
  }

  private var writingConfiguration: Configuration {
    var configuration = readingConfiguration
    configuration.readonly = false
    configuration.prepareDatabase { db in
      // A checkpoint in the middle of a run would disturb the launches; runs ask for it themselves.
      try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
    }
    return configuration
  }
}

/// The tables, views and columns of a database, to tell a whole store from a damaged one.
///
/// Whatever else is in a file, such as a table of somebody's own, is left alone.
struct StoreSchema {
  private var tables: [String: Table] = [:]

  private struct Table {
    var isStrict: Bool
    var columns: [String: Column] = [:]

    /// In the order of the table.
    var names: [String] = []
  }

  private struct Column: Equatable {
    var type: String
    var isRequired: Bool

    /// The place in the primary key, from 1; 0 outside of it.
    var keyPlace: Int
  }

  init(_ db: Database) throws {
    let sql = """
      SELECT t.name, t.strict, c.name, c.type, c."notnull", c.pk
      FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
      WHERE t.schema = 'main' AND t.type IN ('table', 'view') ORDER BY t.name, c.cid
      """
    for row in try StoredRow.fetchAll(db, sql: sql) {
      let table: String = try row[0]
      let name: String = try row[2]
      let isStrict: Bool = try row[1]
      tables[table, default: Table(isStrict: isStrict)].names.append(name)
      tables[table]?.columns[name] = Column(
        type: (try row[3] as String).uppercased(),
        isRequired: try row[4],
        keyPlace: try row[5]
      )
    }
  }

  /// The SHA-256 digest of the declarations of a database, in hexadecimal.
  static func digest(_ db: Database) throws -> String {
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name"
    let declarations = try String.fetchAll(db, sql: sql)
    return SHA256(Array(declarations.joined(separator: ";").utf8)).hexadecimal
  }

  /// The schema that the migrations make, up to a version.
  static func expected(version: Int) throws -> Self {
    let memory = try DatabaseQueue()
    try Migrations.migrator.migrate(memory, upTo: String(version))
    return try memory.read { db in try Self(db) }
  }

  /// What is missing or different, as a phrase; nil when everything that is expected is there.
  func defect(against expected: Self) -> String? {
    for (name, table) in expected.tables.sorted(by: { $0.key < $1.key }) {
      guard let found = tables[name] else { return "the table \"\(name)\" is missing" }
      for column in table.names {
        guard let other = found.columns[column] else {
          return "the table \"\(name)\" lacks the column \"\(column)\""
        }
        guard other == table.columns[column] else {
          return "the column \"\(column)\" of the table \"\(name)\" was declared differently"
        }
      }
      guard found.isStrict == table.isStrict else {
        return "the table \"\(name)\" does not check the types of its values"
      }
    }
    return nil
  }
}
