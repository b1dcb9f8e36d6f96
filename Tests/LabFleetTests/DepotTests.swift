import Foundation
import LabTestSupport
import LaunchCore
import Testing

@testable import LaunchDepot

extension PostgresTests {
  @Suite struct SettingUp {
    let database: TestDatabase

    init() async throws { database = try await .make() }

    @Test func `is made once, and made again without a change`() async throws {
      let depot = database.depot
      await #expect(throws: DepotError.noDepot(address: depot.address.description)) {
        try await depot.check()
      }
      await #expect(throws: DepotError.noDepot(address: depot.address.description)) {
        try await depot.migrate()
      }
      try await depot.initialize()
      _ = try await depot.push(.sample())
      try await depot.initialize()
      try await depot.migrate()
      let state = try await depot.check()
      #expect(state.version == DepotSchema.migrations.count)
      #expect(state.rights.user == "lab")
      #expect(state.rights.mayPush && state.rights.mayRead && state.rights.hasRoles)
      #expect(state.rights.tls == nil)
      #expect(state.holdings?.runs == 1)
      #expect(state.holdings?.hosts == 1)
      let newest = try #require(state.holdings?.newestReceived)
      #expect(abs(newest.timeIntervalSinceNow) < 60)
    }

    @Test func `is made once by several at a time`() async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 { group.addTask { try await database.depot.initialize() } }
        try await group.waitForAll()
      }
      #expect(try await database.sql("SELECT count(*) FROM launchlab.depot") == "1")
    }

    @Test func `is migrated in one step or not at all`() async throws {
      let old = database.depot
      try await old.initialize()
      var new = old
      new.migrations.append("ALTER TABLE launchlab.run ADD COLUMN extra int;")
      let address = old.address.description
      let known = old.migrations.count
      let older = DepotError.olderSchema(address: address, found: known, supported: known + 1)
      await #expect(throws: older) {
        try await new.push(.sample())
      }
      var broken = new
      broken.migrations.append("SELECT 1/0;")
      await #expect(throws: DepotError.self) { try await broken.migrate() }
      #expect(try await old.push(.sample()) == .stored)
      try await new.migrate()
      #expect(try await new.push(.sample()) == .known)
      for use in [{ _ = try await old.check() }, { try await old.initialize() }] {
        let newer = DepotError.newerSchema(address: address, found: known + 1, supported: known)
        await #expect(throws: newer) {
          try await use()
        }
      }
    }

    @Test(arguments: [
      "CREATE TABLE launchlab.other (a int)", "CREATE TABLE launchlab.depot (a int)",
      "CREATE TABLE launchlab.depot (version text, program text)",
      "CREATE TABLE launchlab.depot (version int, program text)",
    ])
    func `leaves a schema of others alone`(table: String) async throws {
      try await database.sql("CREATE SCHEMA launchlab; \(table)")
      let depot = database.depot
      let error = DepotError.foreignSchema(address: depot.address.description)
      await #expect(throws: error) { try await depot.initialize() }
      await #expect(throws: error) { try await depot.push(.sample()) }
      let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'launchlab'::regnamespace"
      #expect(try await database.sql(tables + " AND relkind = 'r'") == "1")
    }

    @Test func `needs no right of the server but an empty schema`() async throws {
      let user = try await database.makeUser()
      let depot = try database.depot(as: user)
      let error = await #expect(throws: DepotError.self) { try await depot.initialize() }
      guard case .noRights = error else { throw error ?? .noPsql }
      try await database.sql("CREATE SCHEMA launchlab AUTHORIZATION \(user)")
      try await depot.initialize()
      #expect(try await depot.push(.sample()) == .stored)
    }

    @Test func `gives each role its own rights, and nobody else any`() async throws {
      try await database.depot.initialize()
      let pusher = try database.depot(as: await database.makeUser("launchlab_push"))
      let reader = try database.depot(as: await database.makeUser("launchlab_read"))
      let stranger = try database.depot(as: await database.makeUser())
      #expect(try await pusher.push(.sample()) == .stored)
      #expect(try await reader.runs().count == 1)
      #expect(try await pusher.check().rights.mayRead == false)
      #expect(try await pusher.check().holdings == nil)
      #expect(try await reader.check().rights.mayPush == false)
      for refused in [
        { _ = try await pusher.runs() }, { _ = try await pusher.hosts() },
        { _ = try await pusher.contents(of: [1]) }, { _ = try await reader.push(.sample()) },
        { _ = try await stranger.check() }, { _ = try await stranger.push(.sample()) },
        { _ = try await pusher.psql.run("DELETE FROM launchlab.run;") },
        { _ = try await reader.psql.run("DELETE FROM launchlab.run;") },
        { _ = try await pusher.psql.run("UPDATE launchlab.depot SET last_run = 9;") },
      ] {
        let error = await #expect(throws: DepotError.self) { try await refused() }
        guard case .noRights = error else { throw error ?? .noPsql }
      }
    }
  }

  @Suite struct Pushing {
    let database: TestDatabase
    var depot: Depot { database.depot }

    init() async throws {
      database = try await .make()
      try await database.depot.initialize()
    }

    @Test func `gives back what was pushed`() async throws {
      let run = DepotRun.sample()
      #expect(try await depot.push(run) == .stored)
      #expect(try await depot.push(run) == .known)
      var rebuilt = run
      rebuilt.content.append(1)
      #expect(try await depot.push(rebuilt) == .known)
      let entry = try #require(try await depot.runs().first)
      #expect(entry.key == 1)
      #expect(entry.hostIdentity == run.hostIdentity && entry.hostName == run.hostName)
      #expect(entry.id == run.id && entry.scenario == run.scenario && entry.purpose == run.purpose)
      #expect(entry.startedAt == run.startedAt && entry.finishedAt == run.finishedAt)
      #expect(entry.commit == run.commit && entry.tree == nil && entry.tool == run.tool)
      #expect(entry.schema == run.schema && entry.digest == run.digest)
      #expect(entry.bytes == run.content.count && entry.clockOffSeconds == nil)
      #expect(try await depot.contents(of: [1]) == [DepotFile(key: 1, content: run.content)])
      let points =
        "SELECT state, n, median, mad, ci_low FROM launchlab.point p "
        + "JOIN launchlab.series s ON s.key = p.series ORDER BY n"
      #expect(
        try await database.sql(points)
          == "reboot-cold|1|5e-324|0|\nwarm|20|1100000|0.30000000000000004|1000000"
      )
    }

    @Test func `stores a run once that is pushed by several at a time`() async throws {
      let receipts = try await withThrowingTaskGroup(of: DepotReceipt.self) { group in
        for _ in 0..<6 { group.addTask { try await depot.push(.sample()) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(receipts.count { $0 == .stored } == 1)
      #expect(receipts.count { $0 == .known } == 5)
      #expect(try await depot.runs().count == 1)
    }

    @Test func `refuses another content under the same id of the same host`() async throws {
      _ = try await depot.push(.sample())
      await #expect(
        throws: DepotError.otherContent(
          address: depot.address.description,
          reason: "run \"r1\" of host \"alpha\" is stored with another content"
        )
      ) { try await depot.push(.sample(digest: "b")) }
      #expect(
        try await depot.push(.sample(host: "machine-2", name: "beta", digest: "b")) == .stored
      )
    }

    @Test func `takes runs in any order, and a year late`() async throws {
      let day = 86_400.0
      for (id, age) in [("new", 0.0), ("old", 365), ("middle", 180)] {
        var run = DepotRun.sample(id, started: 1_700_000_000 - age * day)
        run.fingerprint = "kind-\(id)"
        #expect(try await depot.push(run) == .stored)
      }
      let host = try #require(try await depot.hosts().first)
      #expect(host.kind == "kind-new")
      #expect(host.firstSeen == Date(timeIntervalSince1970: 1_700_000_000 - 365 * day))
      #expect(host.lastSeen == Date(timeIntervalSince1970: 1_700_000_000))
      #expect(try await depot.runs(after: 1).map(\.id) == ["old", "middle"])
    }

    @Test func `lets a host change its name, in whatever order its runs arrive`() async throws {
      for (name, start) in [("beta", 400.0), ("alpha", 100), ("beta", 300), ("alpha", 200)] {
        let run = DepotRun.sample("r\(Int(start))", name: name, started: start)
        #expect(try await depot.push(run) == .stored)
      }
      #expect(try await depot.hosts().map(\.name) == ["beta"])
      #expect(try await depot.runs(host: "beta").count == 4)
    }

    @Test(arguments: [(150.0, "alpha"), (500.0, "alpha"), (100.0, "beta")])
    func `refuses two hosts with one identity`(start: Double, name: String) async throws {
      for (name, start) in [("alpha", 100.0), ("beta", 120), ("beta", 400)] {
        _ = try await depot.push(.sample("r\(Int(start))", name: name, started: start))
      }
      let error = await #expect(throws: DepotError.self) {
        try await depot.push(.sample("clone", name: name, started: start))
      }
      guard case .clonedHost = error else { throw error ?? .noPsql }
      #expect(try await depot.runs().count == 3)
      #expect(try await depot.push(.sample("r", name: "gamma", started: 600)) == .stored)
    }

    @Test func `flags a run from the future, which is not the newest for ever`() async throws {
      let now = Date.now.timeIntervalSince1970
      var early = DepotRun.sample("early", started: now + 3600)
      early.fingerprint = "wrong"
      _ = try await depot.push(early)
      // Even the early one counts as seen when it arrived.
      var next = DepotRun.sample("next", started: Date.now.timeIntervalSince1970)
      next.finishedAt = next.startedAt
      _ = try await depot.push(next)
      let entries = try await depot.runs()
      let off = try #require(entries.first?.clockOffSeconds)
      #expect((3500..<3700).contains(off))
      #expect(try #require(entries.last).clockOffSeconds == nil)
      #expect(try await depot.hosts().first?.kind == "kind-1")
    }

    @Test func `refuses what breaks a rule, and stores nothing of it`() async throws {
      var runs = [DepotRun](repeating: .sample(), count: 14)
      runs[0].digest = "A"
      runs[1].points.append(runs[1].points[0])
      runs[2].points[0].n = 0
      runs[3].points[0].intervalLow = nil
      runs[4].scenario = ""
      runs[5].points[0].median = .nan
      runs[6].hostName = "a\0b"
      runs[7].points[0].median = 9e307
      runs[8].points[0].n = 2_000_000_000
      runs[9].hostName = String(repeating: "n", count: 256)
      runs[10].id = "../r1"
      runs[11].startedAt = Date(timeIntervalSince1970: -1)
      runs[12].finishedAt = Date(timeIntervalSince1970: 1e12)
      runs[13].points[0].intervalHigh = -9e307
      for run in runs {
        let error = await #expect(throws: DepotError.self) { try await depot.push(run) }
        guard case .refused = error else { throw error ?? .noPsql }
      }
      let documents = ["null", "[]", "{}", #"{"id": 1, "points": {}, "schema": "x"}"#]
      for document in documents {
        let error = await #expect(throws: DepotError.self) {
          try await database.sql("SELECT launchlab.push('\(document)', '')")
        }
        guard case .refused = error else { throw error ?? .noPsql }
      }
      for table in ["host", "host_name", "run", "run_file", "series", "point", "trust"] {
        #expect(try await database.sql("SELECT count(*) FROM launchlab.\(table)") == "0")
      }
    }

    @Test func `knows every purpose of a run`() async throws {
      for (number, purpose) in RunRecord.Purpose.allCases.enumerated() {
        var run = DepotRun.sample("r\(number)", started: 1_700_000_000 + 1_000 * Double(number))
        run.purpose = purpose
        _ = try await depot.push(run)
      }
      #expect(try await depot.runs().map(\.purpose) == RunRecord.Purpose.allCases)
    }

    @Test(arguments: [
      "it's", "'; DROP TABLE launchlab.run; --", "\\", "\\'", ":name", ":'name'", ":version", "$$",
      "$push$",
      "a\nb\n\\q\n\\.\nc", "a\r\nb", "日本語 ✓ 🐢", "'\u{301}", "\u{1}\u{7f}", "{\"a\": 1}", "%s%1$s",
      " x ",
    ])
    func `keeps odd names as they are`(name: String) async throws {
      var run = DepotRun.sample(host: name, name: name)
      run.scenario = name
      run.commit = name
      run.points = [
        .init(
          target: name,
          state: .warm,
          metric: .launch,
          n: 1,
          median: 1,
          medianAbsoluteDeviation: 0
        )
      ]
      #expect(try await depot.push(run) == .stored)
      #expect(try await depot.push(run) == .known)
      let entry = try #require(try await depot.runs(scenario: name, host: name).first)
      for text in [entry.hostIdentity, entry.hostName, entry.scenario, entry.commit] {
        #expect(text.map { Array($0.utf8) } == Array(name.utf8))
      }
      #expect(try await depot.hosts().map(\.name) == [name])
    }

    @Test func `keeps a large file, and reads within a budget`() async throws {
      let large = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
      _ = try await depot.push(.sample("large", content: large))
      for id in ["a", "b", "c"] { _ = try await depot.push(.sample(id, content: [UInt8](id.utf8))) }
      let first = try await depot.contents(of: [1, 2], budget: 10)
      #expect(first.map(\.key) == [1])
      #expect(first.first?.content == large)
      #expect(try await depot.contents(of: [4, 2, 1, 3], budget: 10).map(\.key) == [4, 2])
      #expect(try await depot.contents(of: [2, 3], budget: 0).map(\.content) == [[0x61]])
      #expect(try await depot.contents(of: []) == [])
      let error = await #expect(throws: DepotError.self) { try await depot.contents(of: [99, 2]) }
      guard case .oddAnswer = error else { throw error ?? .noPsql }
      var huge = DepotRun.sample("huge")
      huge.content = [UInt8](repeating: 0, count: Depot.mostBytes + 1)
      await #expect(throws: DepotError.self) { try await depot.push(huge) }
    }
  }
}
