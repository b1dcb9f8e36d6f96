import GRDB
package import LabModel

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
