import GRDB

@testable import LaunchStore

extension Store {
  func execute(_ sql: String) throws { try write { db in try db.execute(sql: sql) } }

  func strings(_ sql: String) throws -> [String] {
    try read { db in try String.fetchAll(db, sql: sql) }
  }

  func integrity() throws -> String {
    try strings("PRAGMA integrity_check").joined(separator: "\n")
  }
}
