import GRDB
package import LabModel

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
