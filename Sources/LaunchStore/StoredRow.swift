import Foundation
import GRDB
import LaunchCore

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

  /// Reads a number by the name of its column, as one that something measured can have.
  subscript(_ column: String) -> Double {
    get throws { try Self.checked(try row.decode(Double.self, forColumn: column)) }
  }

  /// Reads a number or NULL by the name of its column, as one that something measured can have.
  subscript(_ column: String) -> Double? {
    get throws { try (row.decode(Double?.self, forColumn: column)).map(Self.checked) }
  }

  /// Reads a number by the number of its column, as one that something measured can have.
  subscript(_ column: Int) -> Double {
    get throws { try Self.checked(try row.decode(Double.self, atIndex: column)) }
  }

  /// Reads a number or NULL by the number of its column, as one that something measured can have.
  subscript(_ column: Int) -> Double? {
    get throws { try (row.decode(Double?.self, atIndex: column)).map(Self.checked) }
  }

  /// The largest number that is read: the square of what a whole number of 64 bits can hold, as a variance.
  ///
  /// Larger ones, of which sums and products may be infinite, are in a file that was damaged or edited.
  static let mostMeasured = 1e38

  private static func checked(_ number: Double) throws -> Double {
    guard abs(number) <= mostMeasured else {
      let detail = "nothing measured has the value \(number)"
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: detail)
    }
    return number
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

/// Dates as the store keeps them: ISO-8601 in UTC with milliseconds.
///
/// Milliseconds are counted as an integer, because formatting a binary fraction cuts
/// `.001` to `.000`.
enum Timestamp {
  /// The text of a date rounded to the millisecond, such as `2026-11-21T04:30:00.125Z`.
  static func text(_ date: Date) -> String {
    let milliseconds = Int64(clamping: (date.timeIntervalSince1970 * 1_000).rounded())
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let whole = Date(timeIntervalSince1970: Double(seconds - (rest < 0 ? 1 : 0)))
    let fraction = String(1_000 + (rest < 0 ? rest + 1_000 : rest)).dropFirst()
    return whole.formatted(.iso8601).dropLast() + ".\(fraction)Z"
  }

  /// The date of a text that ``text(_:)`` made; nil for any other form.
  static func date(_ text: String) -> Date? {
    guard text.utf8.count == 24, text.hasSuffix("Z"),
      let milliseconds = Int64(text.dropLast().suffix(3)),
      let whole = try? Date(text.dropLast(5) + "Z", strategy: .iso8601)
    else { return nil }
    let seconds = Int64(whole.timeIntervalSince1970.rounded())
    return Date(timeIntervalSince1970: Double(seconds * 1_000 + milliseconds) / 1_000)
  }
}

/// Values as the store keeps them in a column of JSON text, with sorted keys.
///
/// Numbers that are not finite are kept as the strings `inf`, `-inf` and `nan`.
enum JSONText {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return try decoder.decode(type, from: Data(text.utf8))
  }
}

/// Texts that are stored once, in a table of their own, and referred to by number.
struct InternedText {
  private let insertion: String
  private let selection: String
  private var ids: [Key: Int64] = [:]

  init(table: String, column: String) {
    insertion = "INSERT INTO \(table) (\(column)) VALUES (?) ON CONFLICT DO NOTHING"
    selection = "SELECT id FROM \(table) WHERE \(column) = ?"
  }

  mutating func id(of text: String, _ db: Database) throws -> Int64 {
    let key = Key(text: text)
    if let known = ids[key] { return known }
    try db.cachedStatement(sql: insertion).execute(arguments: [text])
    let statement = try db.cachedStatement(sql: selection)
    guard let id = try Int64.fetchOne(statement, arguments: [text]) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a stored text is not found")
    }
    if ids.count >= 4_096 { ids.removeAll(keepingCapacity: true) }
    ids[key] = id
    return id
  }

  /// A text by its bytes: two names of different files can be equal as strings, because strings
  /// compare by canonical equivalence.
  private struct Key: Hashable {
    var text: String

    static func == (left: Self, right: Self) -> Bool {
      left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
      // Texts of equal bytes have equal hashes as strings too.
      hasher.combine(text)
    }
  }
}
