import Foundation
import GRDB
package import LaunchCore

// Files that somebody else has made, such as what a host has pushed to a depot.
//
// A file is looked at before anything of it is used: it may be no database, a damaged one, or one that was
// made to do harm. Its rows are copied to an empty store first, where the rules of the schema hold, and all that
// readers read is read there once.

extension Store {
  /// What is known of a run before its file is opened.
  package struct ForeignRun: Hashable, Sendable {
    package var id: String
    package var scenario: String

    /// That of the host; nil where it is not known.
    package var identity: String?

    package init(id: String, scenario: String, identity: String?) {
      self.id = id
      self.scenario = scenario
      self.identity = identity
    }
  }

  /// Adds a run from a file that somebody else has made.
  ///
  /// - Parameters:
  ///   - run: What it must be; one that is here already is passed over.
  ///   - path: The file, which may be migrated.
  /// - Throws: ``StoreError`` where it cannot be read, or is another run; then nothing is added.
  package func add(_ run: ForeignRun, fromForeign path: String) throws {
    let source = try Self.foreign(path)
    _ = try Self.trial(of: run, in: source)
    try add([run.id], from: source)
  }

  /// Reads a run from a file that somebody else has made.
  ///
  /// - Parameters:
  ///   - run: What it must be.
  ///   - path: The file, which may be migrated.
  /// - Returns: The run.
  /// - Throws: ``StoreError`` where it cannot be read, or is another run.
  package static func record(of run: ForeignRun, inForeign path: String) throws -> RunRecord {
    try trial(of: run, in: foreign(path)).run(run.id)
  }

  /// A store with nothing but a run of a foreign one, of which all can be read.
  private static func trial(of run: ForeignRun, in source: Store) throws -> Store {
    let trial = try Store.inMemory()
    try trial.add([run.id], from: source)
    try trial.check(run)
    return trial
  }

  /// Takes conclusions from a file that somebody else has made in place of what is here.
  ///
  /// - Parameters:
  ///   - path: The file, which may be migrated.
  ///   - scenario: The only scenario that they may be of.
  ///   - digest: Kept for ``takenConclusions()``.
  /// - Throws: ``StoreError`` where they cannot be read; then nothing is changed.
  package func takeConclusions(
    fromForeign path: String,
    scenario: String,
    digest: String
  ) throws {
    let source = try Self.foreign(path)
    let trial = try Store.inMemory()
    try trial.takeConclusions(from: source, digest: digest)
    try trial.checkConclusions(of: scenario)
    try source.checkDecisions()
    try takeConclusions(from: source, digest: digest)
  }

  /// Opens a file, unless it is damaged or has more in it than tables.
  private static func foreign(_ path: String) throws -> Store {
    try translatingErrors(of: path) {
      let file = try StoreOpening(path: path, patience: .seconds(5))
        .openForReading(requiresNewest: false)
      try file.read { db in
        // Pages that are used twice make some files endless; this looks at each page once.
        guard try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok" else {
          throw StoreError.corrupt(path: path, detail: "its pages do not fit together")
        }
        let code = """
          SELECT count(*) FROM sqlite_schema
          WHERE type = 'trigger' OR (type = 'view' AND name <> 'left_out')
            OR sql LIKE 'CREATE VIRTUAL%'
          """
        guard try Int.fetchOne(db, sql: code) == 0 else {
          throw StoreError.corrupt(path: path, detail: "it has triggers or views of its own")
        }
      }
      try file.close()
    }
    return try Store(path: path, mode: .readWrite)
  }
}

// MARK: - Checks

extension Store {
  /// The times that a run may have; years have four digits.
  private static let times =
    Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 253_402_214_400)

  /// The largest whole number that may be stored of a run: 11 days in nanoseconds, a petabyte, and small enough
  /// to add up thousands.
  private static let mostCounted = 1_000_000_000_000_000

  /// How many blocks or launches a plan may hold.
  private static let mostPlanned = 100_000_000

  /// Reads all of the only run of this store as readers do.
  ///
  /// - Throws: ``StoreError`` for the first thing that cannot be read or is not as it was said.
  fileprivate func check(_ wanted: ForeignRun) throws {
    guard let listing = try runs(includesRemoved: true).first, listing.id == wanted.id else {
      throw StoreError.unknownRun(text: wanted.id)
    }
    try require(
      listing.id.wholeMatch(of: /[0-9A-Za-z][0-9A-Za-z._-]{0,99}/) != nil,
      "its id has not the form of one"
    )
    let run = try run(wanted.id)
    let night = try nights(scenario: wanted.scenario, includesLeftOut: true).first
    try require(
      listing.scenario == wanted.scenario && run.plan.scenario.name == wanted.scenario,
      "it is of another scenario"
    )
    let identities = [run.host.identity, night?.identity].compactMap(\.self)
    try require(
      wanted.identity == nil || identities.allSatisfy { $0 == wanted.identity },
      "it is of another host"
    )
    try require(listing.status == .complete, "it is not complete")
    try require(
      [run.startedAt, run.finishedAt ?? run.startedAt].allSatisfy(Self.times.contains),
      "its time is out of range"
    )
    try check(run.plan)
    try checkNumbers()
    _ = try leftOutRuns()
    _ = try scenarioDirectories()
    _ = try series(scenario: wanted.scenario, metrics: Metric.allCases, includesLeftOut: true)
    try forEachNightRow(run: wanted.id) { _ in }
    try forEachLaunch(of: wanted.id) { _ in }
    _ = try symbols(of: wanted.id)
    _ = try collectors(of: wanted.id)
    _ = try films(of: wanted.id)
    _ = try inventories(scenario: wanted.scenario)
    _ = try noise()
  }

  private func check(_ plan: Plan) throws {
    let scenario = plan.scenario
    let counts = [
      plan.blockCount, scenario.launches, scenario.counterLaunches, scenario.stages?.launches ?? 0,
      plan.arms.count,
    ]
    try require(
      counts.allSatisfy { (0...Self.mostPlanned).contains($0) },
      "its plan is out of range"
    )
    let rule = scenario.regressionRule
    try require(
      rule.confidence > 0 && rule.confidence < 1 && rule.effect >= 0 && rule.effect < 1e6
        && (1...Self.mostPlanned).contains(rule.nights)
        && (0...Self.mostPlanned).contains(rule.proofLaunches)
        && (0...Self.mostPlanned).contains(rule.proofHosts) && !rule.metrics.isEmpty,
      "its rule for regressions is out of range"
    )
    try require(
      (scenario.budgets ?? []).allSatisfy { abs($0.maximum) <= StoredRow.mostMeasured },
      "a budget is out of range"
    )
  }

  /// Looks for whole numbers that nothing counted can have.
  private func checkNumbers() throws {
    let columns = """
      SELECT m.name, c.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
      WHERE m.type = 'table' AND c.type = 'INTEGER' AND NOT (m.name = 'symbol' AND c.name = 'place')
      """
    let wrong = try read { db in
      try Row.fetchAll(db, sql: columns).compactMap { row -> String? in
        let (table, column): (String, String) = (row[0], row[1])
        let sql = """
          SELECT 1 FROM "\(table)" WHERE "\(column)" NOT BETWEEN -\(Self.mostCounted) AND \(Self.mostCounted)
          """
        return try Int.fetchOne(db, sql: sql).map { _ in "\(table).\(column)" }
      }
    }
    try require(wrong.isEmpty, "a number of \(wrong.first ?? "") is out of range")
  }

  fileprivate func checkConclusions(of scenario: String) throws {
    let alerts = try alerts(scenario: nil)
    try require(
      alerts.allSatisfy { $0.series.scenario == scenario },
      "they are of another scenario"
    )
    try require(alerts.allSatisfy { !$0.events.isEmpty }, "an alert has no event")
    _ = try deliveries(scenario: nil)
    for alert in alerts {
      let documents = try explanationDocuments(ofAlert: alert.number)
      let problem = alert.explanation?.foreignPart ?? documents?.foreignPart
      try require(problem == nil, problem ?? "")
    }
    try checkNumbers()
    let dates = alerts.flatMap(\.events).map(\.at)
    try require(dates.allSatisfy(Self.times.contains), "the time of an alert is out of range")
  }

  /// Reads what was decided about runs.
  fileprivate func checkDecisions() throws {
    try read { db in
      let sql = "SELECT number, at, person, standing, reason FROM decided"
      for row in try StoredRow.fetchAll(db, sql: sql) {
        guard try decision(row) != nil, (0...Self.mostCounted).contains(try row["number"]) else {
          throw StoreError.corrupt(path: path, detail: "a decision about a run cannot be read")
        }
      }
    }
  }

  private func require(_ isSo: Bool, _ problem: String) throws {
    guard isSo else { throw StoreError.corrupt(path: path, detail: problem) }
  }
}
