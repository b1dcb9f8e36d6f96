import Foundation
import GRDB
package import LabModel

extension Store {
  /// The purposes of runs that are nights of a history, as SQL.
  private static let nightly = "('night', 'imported')"

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
  ///   - includesLeftOut: Whether the runs are read too that somebody excluded or removed.
  /// - Returns: The runs for the purposes `night` and `imported`, ascending by start.
  /// - Throws: ``StoreError``.
  package func nights(scenario: String, includesLeftOut: Bool = false) throws -> [Night] {
    let counted = includesLeftOut ? "" : " AND key NOT IN \(Self.leftOut)"
    let sql = """
      SELECT key, id, started_at, finished_at, status, fingerprint, build_commit,
        json_extract(build, '$.subject'), json_extract(build, '$.tree')
      FROM run WHERE scenario = ? AND purpose IN \(Self.nightly)\(counted)
      ORDER BY started_at, id
      """
    return try read { db in
      var artifacts = try artifacts(db, scenario: scenario)
      let rows = try StoredRow.fetchCursor(db, sql: sql, arguments: [scenario])
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
      build: (row[6] as String?).map { commit in
        try Night.Build(commit: commit, subject: row[7] ?? "", tree: row[8] ?? commit)
      },
      artifacts: artifacts
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
    scenario: String
  ) throws -> [Int64: [String: Artifact]] {
    let sql = """
      SELECT artifact.run, target, path, digest, bytes
      FROM run CROSS JOIN artifact ON artifact.run = run.key
      WHERE run.scenario = ? AND run.purpose IN \(Self.nightly)
      """
    let rows = try StoredRow.fetchCursor(db, sql: sql, arguments: [scenario])
    var found: [Int64: [String: Artifact]] = [:]
    while let row = try rows.next() {
      let artifact = try Artifact(path: row[2], digest: row[3], bytes: row[4])
      found[try row[0], default: [:]][try row[1] as String] = artifact
    }
    return found
  }
}
