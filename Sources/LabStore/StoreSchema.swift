import GRDB

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
