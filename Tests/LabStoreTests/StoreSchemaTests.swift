import Foundation
import GRDB
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore

/// Stores whose tables are not those of their version.
@Suite(.temporaryDirectory) struct StoreSchemaTests {
  struct Place: CustomTestStringConvertible {
    var table: String
    var column: String
    var testDescription: String { "\(table).\(column)" }
  }

  private var path: String { TemporaryDirectory.path + "/lab.sqlite" }

  static let places: [Place] = {
    let rows = try? Store.inMemory().strings(
      """
      SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND t.name NOT LIKE 'grdb%' AND t.name NOT LIKE 'sqlite%'
      """
    )
    return (rows ?? []).map { row in
      let parts = row.split(separator: ".")
      return Place(table: String(parts[0]), column: String(parts[1]))
    }
  }()

  @Test(arguments: places)
  func `names a column that is missing, and touches nothing`(place: Place) throws {
    try damage("ALTER TABLE \"\(place.table)\" RENAME COLUMN \"\(place.column)\" TO gone")
    // The columns of a view go with those of its table.
    try expectDamage(
      "the table \"\(place.table)\" lacks the column \"\(place.column)\"",
      "the table \"left_out\" lacks the column \"\(place.column)\""
    )
  }

  @Test(arguments: ["run_decision", "summary", "alert"])
  func `names a table that is missing`(table: String) throws {
    try damage("DROP VIEW left_out; DROP TABLE \(table); CREATE VIEW left_out AS SELECT 1")
    try expectDamage("the table \"left_out\" lacks the column \"run\"", "the table \"\(table)\"")
  }

  @Test func `names a column of another type`() throws {
    try damage("ALTER TABLE settling RENAME TO old; CREATE TABLE settling AS SELECT * FROM old")
    try expectDamage("the column \"run\" of the table \"settling\" was declared differently")
  }

  @Test func `looks at an older store before it is migrated`() throws {
    let old = try #require(
      Bundle.module.url(forResource: "Fixtures/version-3", withExtension: "sqlite")
    )
    try FileManager.default.copyItem(atPath: old.path, toPath: path)
    try execute("ALTER TABLE arm RENAME COLUMN state TO gone")
    try expectDamage("the table \"arm\" lacks the column \"state\"")
  }

  @Test func `knows a whole store by the digest of its declarations`() throws {
    let digest = try Store.inMemory().read { db in try StoreSchema.digest(db) }
    #expect(digest == Migrations.newestDigest)
  }

  @Test func `leaves tables and indices of others alone`() throws {
    try damage("CREATE TABLE mine (x); CREATE INDEX fast ON launch (launch_ns)")
    #expect(try Store(path: path, mode: .readWrite).runs().count == 1)
  }

  @Test(arguments: [
    "UPDATE launch SET started_ns = 'early'", "UPDATE launch SET stdout_bytes = x'00ff'",
    "UPDATE launch SET flags = 3.5", "UPDATE launch SET outcome = x'ff'",
    "UPDATE launch SET arm = 77", "UPDATE residency SET is_own = 'maybe'",
    "UPDATE stages SET tree = '{\"x\": 1}'",
  ])
  func `takes a value of another type for damage`(sql: String) throws {
    // Given a store that got such a value while nothing kept it out
    try Store(path: path, mode: .readWrite)
      .fill(Sample.run(), with: [Sample.fullLaunch(block: 0)])
    try execute("CREATE TABLE kept AS SELECT name, sql FROM sqlite_schema")
    let change = "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = "
    try execute(
      change + "replace(replace(sql, ') STRICT', ')'), ', WITHOUT ROWID', ' WITHOUT ROWID')"
        + " WHERE type = 'table'"
    )
    try execute("PRAGMA ignore_check_constraints = ON; \(sql)")
    try execute(
      change + "(SELECT sql FROM kept WHERE kept.name = sqlite_master.name)"
        + " WHERE type = 'table' AND name <> 'kept'"
    )

    // When its launches are read, then it is an error
    let store = try Store(path: path, mode: .readOnly)
    let error = #expect(throws: StoreError.self) { try store.launches(of: Sample.run().id) }
    guard case .corrupt = error else { throw try #require(error) }
  }

  // MARK: - Damage

  /// A store with a run, which is made once.
  private static let sound = Result {
    let path = NSTemporaryDirectory() + "/launchlab-\(UUID()).sqlite"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Store(path: path, mode: .readWrite).fill(Sample.run(), with: [Sample.launch(block: 0)])
    try execute("", in: path)
    return try Data(contentsOf: URL(filePath: path))
  }

  private func damage(_ sql: String) throws {
    try Self.sound.get().write(to: URL(filePath: path))
    try execute(sql)
  }

  private func execute(_ sql: String) throws { try Self.execute(sql, in: path) }

  /// Closes the file again, so that nothing is left in a log.
  private static func execute(_ sql: String, in path: String) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.inDatabase { db in try db.execute(sql: sql) }
    try queue.close()
  }

  private func expectDamage(_ details: String...) throws {
    let content = try Data(contentsOf: URL(filePath: path))
    for mode in [Store.Mode.readWrite, .readOnly] {
      let error = #expect(throws: StoreError.self) { try Store(path: path, mode: mode) }
      guard case .corrupt(let file, let detail) = error else { continue }
      #expect(file == path)
      #expect(details.contains { detail.hasPrefix($0) }, "\(detail)")
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == content)
  }
}
