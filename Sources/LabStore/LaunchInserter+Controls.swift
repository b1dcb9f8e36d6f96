import GRDB
import LabModel

/// What a launch waited for, and what got in its way; most launches have no rows of either.
extension LaunchInserter {
  mutating func insertSettling(of record: LaunchRecord, _ db: Database) throws {
    guard let settling = record.preparation.settling else { return }
    let sql = """
      INSERT INTO settling (run, block, position, waited_ns, obstacle) VALUES (?, ?, ?, ?, ?)
      """
    let obstacle = try settling.obstacle.map { try reasons.id(of: $0, db) }
    try db.cachedStatement(sql: sql).execute(arguments: [
      run, record.block, record.position, settling.waited.count, obstacle,
    ])
  }

  func insertDisturbances(of record: LaunchRecord, _ db: Database) throws {
    guard !record.result.disturbances.isEmpty else { return }
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO disturbance (run, block, position, number, kind, amount, limit_value)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    )
    for (number, disturbance) in record.result.disturbances.enumerated() {
      try statement.execute(arguments: [
        run, record.block, record.position, number, disturbance.kind.rawValue,
        disturbance.amount, disturbance.limit,
      ])
    }
  }
}
