import Foundation
import GRDB
package import LaunchCore

/// Which nights of a scenario are read.
package enum NightChoice: Hashable, Sendable {
  case all

  /// The last one to begin, complete or not.
  case newest

  /// Those whose id begins with a text.
  case beginning(String)

  /// Those that can be in one line with a night of a host: its own, and those before its first one.
  ///
  /// The hosts that name no machine are one, of which a named host may be one. So nights from before
  /// hosts had an identity stay in front of those with one.
  case host(identity: String?)

  /// The condition on a row of `run`, with the scenario as `?1`.
  var condition: String {
    switch self {
    case .all: "run.scenario = ?1"
    case .newest:
      """
      run.key = (SELECT key FROM run WHERE scenario = ?1 AND purpose IN \(Store.nightly)
        AND key NOT IN \(Store.leftOut) ORDER BY started_at DESC, id DESC LIMIT 1)
      """
    case .beginning: "run.scenario = ?1 AND \(Store.beginsWithText)"
    case .host:
      // Each part reads an index, whatever the number of hosts.
      """
      run.key IN (SELECT key FROM run WHERE scenario = ?1 AND host_identity IS ?2
        UNION ALL SELECT key FROM run WHERE scenario = ?1 AND started_at < (
          SELECT min(started_at) FROM run
          WHERE scenario = ?1 AND host_identity IS ?2 AND purpose IN \(Store.nightly)
            AND key NOT IN \(Store.leftOut)))
      """
    }
  }

  func arguments(scenario: String) -> StatementArguments {
    switch self {
    case .all, .newest: [scenario]
    case .beginning(let text): [scenario, text]
    case .host(let identity): [scenario, identity]
    }
  }
}

extension Store {
  /// The purposes of runs that are nights of a history, as SQL.
  static let nightly = "('night', 'imported')"

  /// Lists the scenarios that have a history.
  ///
  /// - Returns: The names, the one of the newest night first.
  /// - Throws: ``StoreError``.
  package func scenarios() throws -> [String] {
    let sql = """
      SELECT scenario FROM run
      WHERE purpose IN \(Self.nightly) AND key NOT IN \(Self.leftOut)
      GROUP BY scenario ORDER BY max(started_at) DESC, scenario
      """
    return try read { db in try String.fetchAll(db, sql: sql) }
  }

  /// Reads the directory of the scenario file of every scenario that has a night.
  ///
  /// - Returns: Names with the directories of the newest night each, in the order in which the
  ///   scenarios were first stored.
  /// - Throws: ``StoreError``.
  package func scenarioDirectories() throws -> [(scenario: String, directory: String)] {
    // Beside max() SQLite gives the other columns of the same row.
    let sql = """
      SELECT scenario, json_extract(plan, '$.scenario.directory'), max(key) FROM run
      WHERE purpose IN \(Self.nightly) GROUP BY scenario ORDER BY min(key)
      """
    return try read { db in
      try StoredRow.fetchAll(db, sql: sql, arguments: []).map { row in
        (try row[0], (try row[1] as String?) ?? "/")
      }
    }
  }

  /// Reads the nights of a scenario, those that failed or were cut off too.
  ///
  /// - Parameters:
  ///   - scenario: The name of the scenario.
  ///   - choice: Which of them.
  ///   - includesLeftOut: Whether the runs are read too that somebody excluded or removed.
  /// - Returns: The runs for the purposes `night` and `imported`, ascending by start.
  /// - Throws: ``StoreError``.
  package func nights(
    scenario: String,
    _ choice: NightChoice = .all,
    includesLeftOut: Bool = false
  ) throws -> [Night] {
    let counted = includesLeftOut ? "" : " AND key NOT IN \(Self.leftOut)"
    let chosen = "\(choice.condition) AND purpose IN \(Self.nightly)\(counted)"
    let sql = """
      SELECT key, id, started_at, finished_at, status, fingerprint, build_commit,
        json_extract(build, '$.subject'), json_extract(build, '$.tree'),
        (SELECT after FROM control WHERE control.run = run.key AND name = 'display'),
        host_identity, json_extract(host, '$.name'), slot_night, slot_host
      FROM run WHERE \(chosen) ORDER BY started_at, id
      """
    let arguments = choice.arguments(scenario: scenario)
    return try read { db in
      var artifacts = try artifacts(db, of: chosen, arguments)
      let rows = try StoredRow.fetchCursor(db, sql: sql, arguments: arguments)
      var nights: [Night] = []
      while let row = try rows.next() {
        nights.append(try night(row, artifacts: artifacts.removeValue(forKey: try row[0]) ?? [:]))
      }
      return nights
    }
  }

  private func night(_ row: StoredRow, artifacts: [String: Artifact]) throws -> Night {
    try Night(
      run: row[1],
      startedAt: try date(row[2]),
      finishedAt: try (row[3] as String?).map(date),
      status: try status(row[4]),
      fingerprint: row[5],
      identity: row[10],
      hostName: row[11],
      build: (row[6] as String?).map { commit in
        try Night.Build(commit: commit, subject: row[7] ?? "", tree: row[8] ?? commit)
      },
      artifacts: artifacts,
      display: row[9],
      slot: try slot(row)
    )
  }
}

// MARK: - Artifacts

extension Store {
  /// Replaces what is stored of the programs that a run launched.
  ///
  /// - Parameters:
  ///   - artifacts: By the name of the target.
  ///   - run: The id of the run.
  /// - Throws: ``StoreError``; then the former ones are kept.
  package func saveArtifacts(_ artifacts: [String: Artifact], of run: String) throws {
    try write { db in
      let key = try key(db, of: run)
      try db.execute(sql: "DELETE FROM artifact WHERE run = ?", arguments: [key])
      let sql = "INSERT INTO artifact (run, target, path, digest, bytes) VALUES (?, ?, ?, ?, ?)"
      let statement = try db.cachedStatement(sql: sql)
      for (target, artifact) in artifacts {
        try statement.execute(arguments: [
          key, target, artifact.path, artifact.digest, artifact.bytes,
        ])
      }
    }
  }

  /// By the key of the run, then by the name of the target.
  private func artifacts(
    _ db: Database,
    of runs: String,
    _ arguments: StatementArguments
  ) throws -> [Int64: [String: Artifact]] {
    let sql = """
      SELECT artifact.run, target, path, digest, bytes
      FROM run CROSS JOIN artifact ON artifact.run = run.key WHERE \(runs)
      """
    let rows = try StoredRow.fetchCursor(db, sql: sql, arguments: arguments)
    var found: [Int64: [String: Artifact]] = [:]
    while let row = try rows.next() {
      let artifact = try Artifact(path: row[2], digest: row[3], bytes: row[4])
      found[try row[0], default: [:]][try row[1] as String] = artifact
    }
    return found
  }
}

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
