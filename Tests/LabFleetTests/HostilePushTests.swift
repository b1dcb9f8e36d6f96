import Foundation
import GRDB
import LabTestSupport
import Rendering
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchDepot
@testable import LaunchStore
@testable import Measuring

extension PostgresTests {
  /// What a host with nothing but the right to push can do to the readers of a depot: only to what is its own.
  @Suite(.temporaryDirectory) struct HostilePushTests {
    let database: TestDatabase

    init() async throws {
      database = try await .make()
      try await database.depot.initialize()
    }

    private static let identity = "0123456789abcdef0123456789abcdef"
    private static let run = "20261121T043000Z-0001"

    private var context: WorkflowContext {
      var context = WorkflowContext.live
      context.directory = TemporaryDirectory.path
      context.environment = ["XDG_CACHE_HOME": "\(TemporaryDirectory.path)/cache"]
      return context
    }

    /// A store with a row in nearly every table.
    private func fullStore(_ name: String) throws -> Store {
      let fixture = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../LabStoreTests/Fixtures/version-12.sqlite")
      let directory = "\(TemporaryDirectory.path)/\(name)/.launchlab"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      let path = "\(directory)/launchlab.sqlite"
      try FileManager.default.copyItem(at: fixture, to: URL(filePath: path))
      let store = try Store(path: path, mode: .readWrite)
      // The fixture has the largest numbers that can be stored, and an alert of another run.
      try store.write { db in
        try db.execute(
          sql: """
            UPDATE counter SET value = 1; UPDATE disturbance SET amount = 1;
            UPDATE artifact SET bytes = 1;
            UPDATE alert SET onset = '\(Self.run)'; UPDATE alert_event SET run = '\(Self.run)';
            """
        )
      }
      return store
    }

    /// What readers are told of the whole depot, and of the host `bench-1` of it.
    private struct Answers: Equatable {
      var report: String
      var history: [RunListing]
      var exports: [String]
      var why: Alert
    }

    private func answers(_ problems: inout [Diagnostic]) async throws -> Answers {
      let context = context
      let mirror = try DepotMirror(of: database.depot.address.description, in: context)
      let all = try await mirror.refresh(.init()) { _, _ in }
      problems += all.problems
      // All hosts are read, and none ends it.
      let request = ReportRequest(store: all.directory, output: "\(TemporaryDirectory.path)/report")
      let workflow = ReportWorkflow(request, in: context)
      var notes: [Diagnostic] = []
      let reports = try workflow.reports { notes += $0 }
      _ = try workflow.reports(overHostsOf: reports)
      problems += notes
      _ = try HistoryText(
        HistoryWorkflow(store: all.directory, in: context)
          .runs(limit: 1_000, scenario: nil, includesRemoved: true),
        style: TextStyle(width: 80)
      ).rendered()
      for subject in ExportRequest.Subject.allCases {
        try ExportWorkflow(store: all.directory, in: context)
          .write(ExportRequest(subject: subject, all: subject == .launches)) { _ in }
      }
      for store in try StoreLocation.stores(all.directory, from: "/") {
        for alert in try store.alerts(scenario: nil) {
          let found = try WhyWorkflow(store: store.path, in: context).explanation(of: alert.id)
          _ = AlertText(
            found.alert,
            nights: found.nights,
            deliveries: found.deliveries,
            style: TextStyle(width: 80)
          ).rendered()
        }
      }

      let own = try await mirror.refresh(.init(host: "bench-1")) { _, _ in }
      #expect(own.problems.isEmpty)
      let report = try #require(reports.first { $0.options.host == "bench-1" })
      var exports: [String] = []
      for subject in ExportRequest.Subject.allCases {
        var text = ""
        try ExportWorkflow(store: own.directory, in: context)
          .write(ExportRequest(subject: subject)) { text += $0 }
        exports.append(text)
      }
      return Answers(
        report: try String(contentsOfFile: report.path, encoding: .utf8),
        history: try HistoryWorkflow(store: own.directory, in: context)
          .runs(limit: 9, scenario: nil),
        exports: exports,
        why: try WhyWorkflow(store: own.directory, in: context).explanation(of: "R-1").alert
      )
    }

    @Test func `a hundred hostile runs take nothing from the answers about other hosts`()
      async throws
    {
      let honest = try database.depot(as: await database.makeUser("launchlab_push"))
      _ = try fullStore("honest")
      let sent = try await PushWorkflow(
        to: honest.address.description,
        store: "\(TemporaryDirectory.path)/honest/.launchlab/launchlab.sqlite",
        in: context
      ).push { _, _ in }
      #expect(sent.stored == 1 && sent.concluded == 1 && sent.problems.isEmpty)
      var problems: [Diagnostic] = []
      let before = try await answers(&problems)
      #expect(problems.isEmpty)

      let hostile = try database.depot(as: await database.makeUser("launchlab_push"))
      var attack = HostilePush(seed: 46, template: try fullStore("template"))
      var stored = 0
      for number in 0..<100 {
        let push = try attack.next(number, in: TemporaryDirectory.path)
        let document = try hostile.psql.literal(push.document)
        let content = Data(push.content).base64EncodedString()
        let script = "SELECT launchlab.push(\(document), decode('\(content)', 'base64'));\n"
        if (try? await hostile.psql.run(script)) != nil { stored += 1 }
        guard let conclusions = push.conclusions else { continue }
        let alerts = Data(conclusions).base64EncodedString()
        let digest = String(repeating: "b", count: 64)
        _ = try? await hostile.psql.run(
          """
          SELECT launchlab.conclude('hostile-\(number)', 'redis', 12, '\(digest)',
            decode('\(alerts)', 'base64'));

          """
        )
      }
      #expect(stored > 50)

      let after = try await answers(&problems)
      #expect(after == before)
      #expect(problems.count > 30)
      #expect(problems.allSatisfy { $0.severity == .warning && $0.problem.contains("hostile-") })
    }

    @Test func `a depot of an older version is read, whatever is in it`() async throws {
      var older = try await TestDatabase.make().depot
      older.migrations = Array(older.migrations.prefix(2))
      try await older.initialize()
      let long = String(repeating: "n", count: 300)
      let template = try fullStore("template")
      let content = try TemporaryFile.bytes { try template.write(run: Self.run, to: $0) }
      var run = DepotRun.sample(Self.run, host: Self.identity, name: "bench-1", content: content)
      run.scenario = "redis"
      #expect(try await older.push(run) == .stored)
      var hostile = DepotRun.sample("r/../1", host: "hostile", name: long)
      hostile.points[0].median = 9e307
      #expect(try await older.push(hostile) == .stored)
      _ = try await older.psql.run(
        "UPDATE launchlab.run SET finished_at = 'infinity', clock_off_seconds = 'infinity' WHERE key = 2;\n"
          + "UPDATE launchlab.host SET first_seen = '-infinity' WHERE key = 2;\n"
      )

      let context = context
      let content2 = try await DepotMirror(of: older.address.description, in: context)
        .refresh(.init()) { _, _ in }
      #expect(content2.problems.count == 1)
      #expect(content2.problems.first?.problem.hasPrefix("run r/../1 of host \(long)") == true)
      let request = ReportRequest(
        store: content2.directory,
        output: "\(TemporaryDirectory.path)/report"
      )
      #expect(try ReportWorkflow(request, in: context).reports().map(\.options.host) == ["bench-1"])
      // Nothing of it stands in the way of the next version, which takes no more of it.
      var newer = older
      newer.migrations = DepotSchema.migrations
      try await newer.migrate()
      hostile.id = "r2"
      let error = await #expect(throws: DepotError.self) { try await newer.push(hostile) }
      guard case .refused = error else { throw error ?? .noPsql }
    }

    @Test func `a name of 300 characters has a directory`() throws {
      let long = String(repeating: "n", count: 300)
      #expect(ReportPlaces.folder(long).utf8.count <= 255)
      #expect(ReportPlaces.folder(long) != ReportPlaces.folder(long + "n"))
    }
  }

  /// A host belongs to the login that pushed it first.
  @Suite(.temporaryDirectory) struct TrustTests {
    let database: TestDatabase

    init() async throws {
      database = try await .make()
      try await database.depot.initialize()
    }

    private func login() async throws -> Depot {
      try database.depot(as: await database.makeUser("launchlab_push"))
    }

    private func isRefused(_ body: () async throws -> Void) async throws {
      let error = await #expect(throws: DepotError.self) { try await body() }
      guard case .otherLogin = error else { throw error ?? .noPsql }
    }

    @Test func `no other login speaks for a host, until the owner of the depot says so`()
      async throws
    {
      let (one, two) = (try await login(), try await login())
      var run = DepotRun.sample("r1")
      run.slot = FleetSlot(night: "2026-11-21", host: "node-1")
      #expect(try await one.push(run) == .stored)
      let conclusions = DepotConclusions(
        scenario: "git",
        schema: 12,
        digest: String(repeating: "c", count: 64)
      ) { [1] }
      try await isRefused { _ = try await two.push(.sample("r2", started: 1_700_010_000)) }
      try await isRefused { _ = try await two.push(run) }
      try await isRefused { _ = try await two.missing(["r1"], of: "machine-1") }
      try await isRefused { _ = try await two.push(conclusions, of: "machine-1") }
      // Nor for a host of a fleet, whose night would be taken for measured.
      var other = DepotRun.sample("r1", host: "machine-2", name: "beta")
      other.slot = FleetSlot(night: "2026-11-22", host: "node-1")
      try await isRefused { _ = try await two.push(other) }
      try await isRefused {
        try await two.tell(
          "broken",
          of: FleetSlot(night: "2026-11-22", host: "node-1"),
          scenario: nil
        )
      }
      #expect(try await database.depot.hosts().map(\.identity) == ["machine-1"])

      let login = two.address.description.split(separator: "@")[0].split(separator: "/").last ?? ""
      await #expect(throws: DepotError.self) { _ = try await two.trust("alpha", to: String(login)) }
      let moved = try await database.depot.trust("alpha", to: String(login))
      #expect(moved == [DepotTrust(kind: .host, name: "machine-1")])
      #expect(try await two.push(.sample("r2", started: 1_700_010_000)) == .stored)
      #expect(try await two.push(conclusions, of: "machine-1"))
      try await isRefused { _ = try await one.push(.sample("r3", started: 1_700_020_000)) }
      _ = try await database.depot.trust("node-1", to: String(login))
      #expect(try await two.push(other) == .stored)
    }

    @Test func `a role speaks for all of its members`() async throws {
      let one = try await login()
      _ = try await one.push(.sample("r1"))
      let group = try await database.makeUser()
      let member = try database.depot(as: await database.makeUser("launchlab_push", group))
      _ = try await database.depot.trust("machine-1", to: group)
      #expect(try await member.push(.sample("r2", started: 1_700_010_000)) == .stored)
      try await isRefused { _ = try await one.push(.sample("r3", started: 1_700_020_000)) }
    }

    @Test func `what is not known cannot be moved`() async throws {
      let depot = database.depot
      _ = try await depot.push(.sample("r1"))
      _ = try await depot.push(.sample("r1", host: "machine-2"))
      for (host, role) in [("gamma", "lab"), ("machine-1", "no_such_role"), ("alpha", "lab")] {
        let error = await #expect(throws: DepotError.self) { try await depot.trust(host, to: role) }
        guard case .cannotTrust = error else { throw error ?? .noPsql }
      }
      #expect(try await depot.trust("machine-2", to: "lab").count == 1)
    }

    @Test func `two identities of one name have directories of their own, for ever`() throws {
      func host(_ identity: String, _ name: String) -> DepotHost {
        DepotHost(identity: identity, name: name, kind: "k", firstSeen: .now, lastSeen: .now)
      }
      var names = [DepotHostName(identity: "z", name: "bench-1")]
      #expect(DepotMirror.labels(of: [host("z", "bench-1")], named: names) == ["z": "bench-1"])
      // Another machine takes the name, one takes a name of the same directory, the first is renamed.
      names += [
        DepotHostName(identity: "a", name: "bench-1"),
        DepotHostName(identity: "b", name: "bench.1"),
        DepotHostName(identity: "z", name: "hosts"), DepotHostName(identity: "c", name: "hosts-"),
      ]
      let hosts = [
        host("a", "bench-1"), host("b", "bench.1"), host("c", "hosts-"), host("z", "hosts"),
      ]
      let labels = DepotMirror.labels(of: hosts, named: names)
      #expect(labels["z"] == "hosts")
      #expect(labels["a"]?.hasPrefix("bench-1-") == true)
      #expect(labels["b"]?.hasPrefix("bench.1-") == true)
      #expect(Set(labels.values.map(DepotMirror.folder)).count == 4)
      // Whatever joins later, even under the name that another one was given, changes none of them.
      for (number, name) in (Array(labels.values) + ["bench-1"]).sorted().enumerated() {
        names.append(DepotHostName(identity: "d\(number)", name: name))
      }
      #expect(DepotMirror.labels(of: hosts, named: names) == labels)
      // The name stays with the host that had it first.
      let former = DepotMirror.labels(of: [host("z", "bench-1")] + hosts.dropLast(), named: names)
      #expect(former["z"] == "bench-1" && former["a"] == labels["a"])
    }
  }
}

/// Makes runs as a host would push them, each with something wrong in it.
private struct HostilePush {
  private var random: SplitMix64
  private let template: Store

  init(seed: UInt64, template: Store) {
    random = SplitMix64(seed: seed, part: 0)
    self.template = template
  }

  struct Push {
    var document: String
    var content: [UInt8]
    var conclusions: [UInt8]?
  }

  mutating func next(_ number: Int, in directory: String) throws -> Push {
    let identity = "hostile-\(number)"
    let path = "\(directory)/\(identity)"
    try template.write(run: "20261121T043000Z-0001", to: path)
    // That of this host, before something is wrong in it.
    try edit(path) { db in
      try db.execute(
        sql: """
          UPDATE run SET host_identity = ?1, host = json_set(host, '$.identity', ?1, '$.name', ?1)
          """,
        arguments: [identity]
      )
    }
    var conclusions: [UInt8]?
    if number % 3 == 0 {
      let file = path + "-alerts"
      try template.writeConclusions(
        scenario: "redis",
        identity: "0123456789abcdef0123456789abcdef",
        to: file
      )
      if number % 2 == 0 { try spoil(file) }
      conclusions = try spoilt(file, bytes: number % 15 == 0)
    }
    if number % 4 != 0 { try spoil(path) }
    let content = try spoilt(path, bytes: number % 7 == 0)
    return Push(
      document: try document(identity, isWrong: number % 4 == 0),
      content: content,
      conclusions: conclusions
    )
  }

  // MARK: - What is wrong

  private static let texts = [
    "", "x", "{}", "[]", "null", "../../../etc/passwd", "\u{1b}[31m\r\n::error::", "Infinity",
    "NaN",
    "9999-99-99T99:99:99.999Z", "0000-00-00T00:00:00.000Z", "9999-12-31T23:59:59.999Z",
    "0001-01-01T00:00:00.000Z", "18446744073709551616", "-1", "9223372036854775807",
    String(repeating: "n", count: 300), String(repeating: "\u{10ffff}", count: 70), "removed",
    "budget",
    "drift", "confirmed", "better", "warm", "film", "launch", "{\"a\":1e999}", "[{\"name\":1}]",
  ]
  private static let integers: [Int64] = [
    -1, 0, 1, 255, 1 << 31, 1 << 53, .max, .max - 1, .min, 1_000_000_007,
  ]
  private static let reals = [
    9e307, -9e307, .infinity, -.infinity, 0, -0.0, .leastNonzeroMagnitude, -1, 1e18, 1e19, 0.5,
    1e40, 9e18,
  ]

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[random.next(below: values.count)]
  }

  /// Replaces a value of a row, or of the JSON in it, whatever rule of the schema that breaks.
  private mutating func spoil(_ path: String) throws {
    var generator = self
    try edit(path) { db in
      let tables = try String.fetchAll(
        db,
        sql:
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'grdb_migrations' ORDER BY name"
      ).filter { try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\($0)\"") != 0 }
      let table = generator.pick(tables)
      let columns = try db.columns(in: table)
      let column = generator.pick(columns)
      let old = try DatabaseValue.fetchOne(db, sql: "SELECT \"\(column.name)\" FROM \"\(table)\"")
      var value: any DatabaseValueConvertible
      switch column.type {
      case "INTEGER": value = generator.pick(Self.integers)
      case "REAL": value = generator.pick(Self.reals)
      case "BLOB": value = generator.pick([Data(), Data([0]), Data(repeating: 255, count: 999)])
      default:
        value = generator.pick(Self.texts)
        if let old = old.flatMap(String.fromDatabaseValue), generator.random.next(below: 4) != 0,
          let json = try? JSONSerialization.jsonObject(with: Data(old.utf8))
        {
          let spoilt = try JSONSerialization.data(withJSONObject: generator.spoilt(json))
          value = String(decoding: spoilt, as: UTF8.self)
        }
      }
      // Where a text must be a number, nothing can be done.
      try? db.execute(
        sql: "UPDATE \"\(table)\" SET \"\(column.name)\" = ?",
        arguments: [value]
      )
    }
    self = generator
  }

  private mutating func spoilt(_ json: Any) -> Any {
    switch json {
    case var map as [String: Any] where !map.isEmpty:
      let key = pick(map.keys.sorted())
      if random.next(below: 5) == 0 { map[key] = nil } else { map[key] = spoilt(map[key] ?? 0) }
      return map
    case var list as [Any] where !list.isEmpty:
      let index = random.next(below: list.count)
      if random.next(below: 5) == 0 {
        list.remove(at: index)
      } else {
        list[index] = spoilt(list[index])
      }
      return list
    case is String: return pick(Self.texts)
    default:
      let large: [Any] = [
        Int64.max, Int64.min, -1, 0, 1e300, -1e300, 2_000_000_000, "x", [Any](), [String: Any](),
      ]
      return pick(large)
    }
  }

  /// The bytes of a file, with some of them changed.
  private mutating func spoilt(_ path: String, bytes isSpoilt: Bool) throws -> [UInt8] {
    var content = [UInt8](try Data(contentsOf: URL(filePath: path)))
    guard isSpoilt else { return content }
    if random.next(below: 4) == 0 {
      return Array(content.prefix(random.next(below: content.count)))
    }
    for _ in 0..<(1 + random.next(below: 40)) {
      content[random.next(below: content.count)] = UInt8(random.next(below: 256))
    }
    return content
  }

  private mutating func document(_ identity: String, isWrong: Bool) throws -> String {
    var document: [String: Any] = [
      "host_identity": identity, "host_name": identity, "current_name": identity,
      "fingerprint": "c0ffee", "id": "20261121T043000Z-0001", "scenario": "redis",
      "purpose": "night", "started_at": 1_795_235_400.0, "finished_at": 1_795_235_500.0,
      "commit": "c0ffee", "tree": "c0ffee", "tool": "1", "schema": 12,
      "digest": String(repeating: "a", count: 64),
      "slot": ["night": "2026-11-21", "host": identity],
      "points": [
        [
          "target": "server", "state": "warm", "metric": "launch", "n": 1, "median": 1.0,
          "mad": 0.0,
          "ci_low": 1.0, "ci_high": 2.0,
        ] as [String: Any]
      ],
    ]
    // The names tell whose fault it is.
    let keys = document.keys.filter { !$0.hasPrefix("host_") }.sorted()
    if isWrong {
      let key = pick(keys)
      document[key] = spoilt(document[key] ?? 0)
    }
    return String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)
  }

  private func edit(_ path: String, _ body: (Database) throws -> Void) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql:
          "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE"
      )
      try body(db)
    }
    try queue.close()
  }
}
