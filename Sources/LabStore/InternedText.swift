import GRDB

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
