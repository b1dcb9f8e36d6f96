import GRDB
package import LabModel

extension Store {
  /// Stores one attempt to tell somebody of an event.
  ///
  /// - Parameter delivery: Of a stored event; its date is stored to the millisecond.
  /// - Throws: ``StoreError``.
  package func save(_ delivery: Delivery) throws {
    let sql = """
      INSERT INTO delivery (alert, event, number, notifier, at, failure)
      VALUES (?1, ?2, (SELECT count(*) FROM delivery WHERE alert = ?1 AND event = ?2), ?3, ?4, ?5)
      """
    try write { db in
      try db.execute(
        sql: sql,
        arguments: [
          delivery.alert, delivery.event, delivery.notifier, Timestamp.text(delivery.at),
          delivery.failure,
        ]
      )
    }
  }

  /// Reads every attempt to tell somebody of an alert of a scenario.
  ///
  /// - Parameter scenario: The name of the scenario; nil means every one.
  /// - Returns: By alert, then by event, then in the order in which they were stored.
  /// - Throws: ``StoreError``.
  package func deliveries(scenario: String?) throws -> [Delivery] {
    let sql = """
      SELECT delivery.* FROM alert JOIN delivery ON delivery.alert = alert.number
      WHERE ?1 IS NULL OR alert.scenario = ?1
      ORDER BY delivery.alert, delivery.event, delivery.number
      """
    return try read { db in
      try StoredRow.fetchAll(db, sql: sql, arguments: [scenario]).map { row in
        try Delivery(
          alert: row["alert"],
          event: row["event"],
          notifier: row["notifier"],
          at: try date(row["at"]),
          failure: row["failure"]
        )
      }
    }
  }
}
