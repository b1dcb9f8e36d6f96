import Foundation
import GRDB
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite struct SchemaTests {
  struct Breach: CustomTestStringConvertible {
    var sql: String
    var rule: String
    var testDescription: String { sql }
  }

  @Test(arguments: [
    Breach(sql: "UPDATE launch SET launch_ns = -1", rule: "launch_ns"),
    Breach(sql: "UPDATE launch SET outcome = 'timed-out'", rule: "outcome = 'ready'"),
    Breach(sql: "UPDATE launch SET outcome = 'fine'", rule: "outcome IN"),
    Breach(sql: "UPDATE launch SET exit_code = 1", rule: "exit_code"),
    Breach(sql: "UPDATE launch SET signal = 9", rule: "signal"),
    Breach(sql: "UPDATE launch SET arm = 77", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE launch SET run = 77", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE launch SET launch_ns = 1.5", rule: "cannot store REAL"),
    Breach(sql: "UPDATE launch SET launch_ns = 'fast'", rule: "cannot store TEXT"),
    Breach(sql: "UPDATE launch SET resolution_ns = NULL", rule: "NOT NULL"),
    Breach(sql: "UPDATE launch SET missing = 77", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE launch SET state_reached = 'reached'", rule: "state_reason"),
    Breach(sql: "UPDATE launch SET block = -1", rule: "block"),
    Breach(sql: "UPDATE residency SET resident_pages = 1000", rule: "total_pages"),
    Breach(sql: "UPDATE residency SET is_own = 2", rule: "is_own"),
    Breach(sql: "UPDATE output SET stream = 'stdin'", rule: "stream"),
    Breach(sql: "UPDATE counter SET value = NULL", rule: "NOT NULL"),
    Breach(sql: "UPDATE run SET status = 'done'", rule: "status"),
    Breach(sql: "UPDATE run SET started_at = '2026-11-21'", rule: "started_at"),
    Breach(sql: "UPDATE run SET plan = '{'", rule: "json_valid"),
    Breach(sql: "UPDATE run SET seed = '-1'", rule: "seed"),
    Breach(sql: "UPDATE run SET build = NULL", rule: "build"),
    Breach(sql: "UPDATE arm SET target = 'server', state = 'warm', kind = 'plain'", rule: "UNIQUE"),
    Breach(sql: "UPDATE control SET status = 'ok'", rule: "status"),
    Breach(sql: "DELETE FROM file", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE stages SET tree = '[]'", rule: "json_type"),
    Breach(sql: "UPDATE stages SET block = 9", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE settling SET waited_ns = -1", rule: "waited_ns"),
    Breach(sql: "UPDATE settling SET obstacle = 77", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE settling SET position = 9", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE disturbance SET kind = ''", rule: "kind"),
    Breach(sql: "UPDATE disturbance SET amount = 0.5", rule: "cannot store REAL"),
    Breach(sql: "UPDATE disturbance SET block = 9", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE noise SET false_alarms = comparisons + 1", rule: "false_alarms"),
    Breach(sql: "UPDATE noise SET command = '{}'", rule: "json_type"),
    Breach(sql: "UPDATE noise SET measured_at = 'now'", rule: "measured_at"),
    Breach(sql: "UPDATE noise SET cv = NULL", rule: "NOT NULL"),
    Breach(sql: "UPDATE detectable_effect SET pairs = 0", rule: "pairs"),
    Breach(sql: "UPDATE detectable_effect SET state = 'first-run'", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE run SET slot_night = '2026-11-21'", rule: "slot_night"),
    Breach(sql: "UPDATE run SET purpose = 'fun'", rule: "purpose"),
    Breach(sql: "UPDATE artifact SET digest = 'XYZ'", rule: "digest"),
    Breach(sql: "UPDATE artifact SET bytes = -1", rule: "bytes"),
    Breach(sql: "UPDATE artifact SET run = 77", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE alert SET kind = 'jump'", rule: "kind"),
    Breach(sql: "UPDATE alert SET number = 0", rule: "number"),
    Breach(sql: "UPDATE alert SET status = 'open'", rule: "status"),
    Breach(sql: "UPDATE alert SET direction = 'up'", rule: "direction"),
    Breach(sql: "UPDATE alert SET cause = 'moon'", rule: "cause"),
    Breach(sql: "UPDATE alert SET before = 'fast'", rule: "cannot store TEXT"),
    Breach(sql: "UPDATE alert SET proof = '[]'", rule: "json_type"),
    Breach(sql: "UPDATE alert_event SET alert = 77", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE alert_event SET at = 'now'", rule: "at GLOB"),
    Breach(sql: "UPDATE alert_event SET criteria = '{}'", rule: "json_type"),
    Breach(sql: "UPDATE alert_event SET status = 'open'", rule: "status"),
    Breach(sql: "UPDATE delivery SET event = 9", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE run_decision SET standing = 'gone'", rule: "standing"),
    Breach(sql: "UPDATE run_decision SET at = 'now'", rule: "at GLOB"),
    Breach(sql: "UPDATE run_decision SET run = 77", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE delivery SET notifier = ''", rule: "notifier"),
    Breach(sql: "UPDATE explanation SET alert = 77", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE explanation SET why = ''", rule: "why"),
    Breach(sql: "UPDATE explanation SET document = '[]'", rule: "json_type"),
    Breach(sql: "UPDATE contents SET things = '[]'", rule: "json_type"),
    Breach(sql: "UPDATE inventory SET contents = 77", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE inventory_count SET target = 'other'", rule: "FOREIGN KEY"),
    Breach(sql: "UPDATE inventory_count SET spread = -1", rule: "spread"),
  ])
  func `refuses values that mean nothing`(breach: Breach) throws {
    let store = try Store.inMemory()
    try store.fill(Sample.run(), with: [Sample.fullLaunch(block: 0)])
    try store.saveNoise([Sample.noise()])
    try store.saveArtifacts(["server": Sample.artifact], of: Sample.run().id)
    try store.save([Sample.alert()])
    try store.decide(
      RunDecision(at: Sample.start, person: "ann", standing: .excluded, reason: "x"),
      on: Sample.run().id
    )
    try store.save(Delivery(alert: 1, event: 1, notifier: "command", at: Sample.start))
    let documents = ExplanationDocuments(json: "{}", flameGraph: "<svg/>")
    try store.explain(alert: 1, by: Sample.explanation, documents)
    try store.saveInventories([Sample.inventory], of: Sample.run().id)
    let error = try #require(throws: StoreError.self) { try store.execute(breach.sql) }
    guard case .refused(_, let rule) = error else { throw error }
    #expect(rule.contains(breach.rule))
  }

  @Test func `removes everything that belongs to a removed run`() throws {
    let store = try Store.inMemory()
    try store.fill(Sample.run(), with: [Sample.fullLaunch(block: 0)])
    let place = CodePlace(file: "/lib/libz.so.1", offset: 1)
    try store.saveSymbols([place: "start"], of: Sample.run().id)
    try store.saveCollectors([Sample.collector], of: Sample.run().id)
    try store.saveNoise([Sample.noise()])
    try store.saveArtifacts(["server": Sample.artifact], of: Sample.run().id)
    try store.saveInventories([Sample.inventory], of: Sample.run().id)
    try store.decide(
      RunDecision(at: Sample.start, person: "ann", standing: .excluded, reason: "x"),
      on: Sample.run().id
    )
    try store.execute("DELETE FROM run")
    for table in [
      "arm", "control", "launch", "counter", "output", "summary", "stages", "symbol",
      "collector", "stage_median", "settling", "disturbance", "noise", "detectable_effect",
      "artifact", "run_decision", "inventory", "inventory_count",
    ] {
      #expect(try store.strings("SELECT 1 FROM \(table)").isEmpty, "\(table)")
    }
    #expect(try store.integrity() == "ok")
  }

  @Test(.temporaryDirectory) func `opens with the durability that the design asks for`() throws {
    let store = try Store(path: TemporaryDirectory.path + "/lab.sqlite", mode: .readWrite)
    let pragmas = try store.write { db in
      try ["journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint", "user_version"]
        .map { try String.fetchOne(db, sql: "PRAGMA \($0)") }
    }
    #expect(pragmas == ["wal", "1", "1", "0", "\(Migrations.newest)"])
  }

  @Test func `numbers the newest schema as its last migration`() {
    #expect(Migrations.migrator.migrations == (1...Migrations.newest).map(String.init))
  }

  @Test func `is described in docs/schema.md`() throws {
    // Given the tables and columns of a real store
    let store = try Store.inMemory()
    let real = try store.strings(
      """
      SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND t.name NOT LIKE 'grdb%' AND t.name NOT LIKE 'sqlite%'
      """
    )

    // When the headings and the names that the items of the description begin with are read
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/schema.md").standardizedFileURL
    var table = ""
    var described: [String] = []
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: "`")
      if line.hasPrefix("## `") { table = String(parts[1]) }
      if line.hasPrefix("- `") { described.append("\(table).\(parts[1])") }
    }

    // Then they are the same
    #expect(described.sorted() == real.sorted())
  }
}
