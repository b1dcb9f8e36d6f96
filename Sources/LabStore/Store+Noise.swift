import GRDB
package import LabModel

extension Store {
  /// Stores how much a host's launches scatter.
  ///
  /// - Parameter noise: At most one value per run and state; each takes the place of what was
  ///   stored of the same two. Dates are stored to the millisecond.
  /// - Throws: ``StoreError``, such as ``StoreError/unknownRun(text:)``; then nothing is changed.
  package func saveNoise(_ noise: [HostNoise]) throws {
    try write { db in
      for value in noise {
        let key = try key(db, of: value.run)
        let sql = "DELETE FROM noise WHERE run = ? AND state = ?"
        try db.execute(sql: sql, arguments: [key, value.state.rawValue])
        try insert(db, value, key: key)
      }
    }
  }

  /// Reads all that is known of the noise of hosts, but from runs that somebody excluded or removed.
  ///
  /// - Returns: The values, the newest first, and of one run and instant in the order of
  ///   ``LaunchState``.
  /// - Throws: ``StoreError``.
  package func noise() throws -> [HostNoise] {
    try read { db in try noise(db, of: nil) }
  }

  /// Reads the noise of one host.
  ///
  /// - Parameter fingerprint: The fingerprint of the host.
  /// - Returns: The newest value of each state and command, the newest first.
  /// - Throws: ``StoreError``.
  package func noise(fingerprint: String) throws -> [HostNoise] {
    struct Subject: Hashable {
      var state: LaunchState
      var command: [String]
    }
    var seen: Set<Subject> = []
    return try read { db in try noise(db, of: fingerprint) }.filter { noise in
      seen.insert(Subject(state: noise.state, command: noise.command)).inserted
    }
  }
}

// MARK: - Rows

extension Store {
  private func insert(_ db: Database, _ noise: HostNoise, key: Int64) throws {
    let sql = """
      INSERT INTO noise (run, state, measured_at, fingerprint, command, pairs, median, cv,
        comparisons, false_alarms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    try db.execute(
      sql: sql,
      arguments: [
        key, noise.state.rawValue, Timestamp.text(noise.measuredAt), noise.fingerprint,
        try JSONText.text(noise.command), noise.pairs, noise.median,
        noise.coefficientOfVariation, noise.comparisons, noise.falseAlarms,
      ]
    )
    let effects = "INSERT INTO detectable_effect (run, state, pairs, effect) VALUES (?, ?, ?, ?)"
    for effect in noise.detectable {
      try db.execute(
        sql: effects,
        arguments: [key, noise.state.rawValue, effect.pairs, effect.effect]
      )
    }
  }

  private func noise(_ db: Database, of fingerprint: String?) throws -> [HostNoise] {
    let order = LaunchState.allCases.enumerated()
      .map { "WHEN '\($0.element.rawValue)' THEN \($0.offset)" }.joined(separator: " ")
    let sql = """
      SELECT noise.*, run.id AS run_id FROM noise JOIN run ON run.key = noise.run
      WHERE (?1 IS NULL OR noise.fingerprint = ?1) AND noise.run NOT IN \(Self.leftOut)
      ORDER BY measured_at DESC, run.started_at DESC, run.id DESC, CASE state \(order) END
      """
    return try StoredRow.fetchAll(db, sql: sql, arguments: [fingerprint]).map { try noise(db, $0) }
  }

  private func noise(_ db: Database, _ row: StoredRow) throws -> HostNoise {
    let state: String = try row["state"]
    return try HostNoise(
      run: row["run_id"],
      measuredAt: try date(row["measured_at"]),
      fingerprint: row["fingerprint"],
      command: try json([String].self, row["command"]),
      state: try known(LaunchState(rawValue: state), "state \"\(state)\""),
      pairs: row["pairs"],
      median: row["median"],
      coefficientOfVariation: row["cv"],
      detectable: try detectable(db, run: row["run"], state: state),
      comparisons: row["comparisons"],
      falseAlarms: row["false_alarms"]
    )
  }

  private func detectable(_ db: Database, run: Int64, state: String) throws -> [DetectableEffect] {
    let sql =
      "SELECT pairs, effect FROM detectable_effect WHERE run = ? AND state = ? ORDER BY pairs"
    return try StoredRow.fetchAll(db, sql: sql, arguments: [run, state]).map { row in
      try DetectableEffect(pairs: row["pairs"], effect: row["effect"])
    }
  }
}
