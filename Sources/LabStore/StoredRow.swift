import GRDB

/// A row of a result whose values are checked when they are read.
///
/// SQLite stores what it is given, and a file may have been damaged or edited by hand: a text where a
/// number should be is an error of the store, not the end of the process.
struct StoredRow {
  private let row: Row

  init(_ row: Row) { self.row = row }

  /// Reads a value by the name of its column; an optional one is nil for NULL.
  subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value {
    get throws { try row.decode(Value.self, forColumn: column) }
  }

  /// Reads a value by the number of its column, from 0.
  subscript<Value: DatabaseValueConvertible>(_ column: Int) -> Value {
    get throws { try row.decode(Value.self, atIndex: column) }
  }

  static func fetchAll(
    _ db: Database,
    sql: String,
    arguments: StatementArguments = StatementArguments()
  ) throws -> [Self] {
    try Row.fetchAll(db, sql: sql, arguments: arguments).map(Self.init)
  }

  static func fetchAll(_ statement: Statement, arguments: StatementArguments) throws -> [Self] {
    try Row.fetchAll(statement, arguments: arguments).map(Self.init)
  }

  static func fetchOne(
    _ db: Database,
    sql: String,
    arguments: StatementArguments
  ) throws -> Self? {
    try Row.fetchOne(db, sql: sql, arguments: arguments).map(Self.init)
  }

  /// Reads row by row; each is valid until the next one is read.
  static func fetchCursor(
    _ db: Database,
    sql: String,
    arguments: StatementArguments
  ) throws -> MapCursor<RowCursor, Self> {
    try Row.fetchCursor(db, sql: sql, arguments: arguments).map(Self.init)
  }
}
