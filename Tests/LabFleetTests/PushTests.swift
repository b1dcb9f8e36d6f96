import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchDepot
@testable import LaunchStore
@testable import Measuring

extension PostgresTests {
  /// Nights on their way from the store of a host to that of a reader.
  @Suite(.temporaryDirectory) struct PushTests {
    let database: TestDatabase
    let address: String

    init() async throws {
      database = try await .make()
      try await database.depot.initialize()
      address = database.depot.address.description
    }

    private var context: WorkflowContext {
      var context = WorkflowContext.live
      context.directory = TemporaryDirectory.path
      context.environment = ["XDG_CACHE_HOME": "\(TemporaryDirectory.path)/cache"]
      return context
    }

    /// A store with nights of a scenario, one a day.
    @discardableResult
    private func store(
      _ name: String,
      scenario: String = "app",
      days: Range<Int> = 0..<3,
      salt: Int = 0,
      named: (_ day: Int) -> String? = { _ in nil },
      by identity: (_ day: Int) -> String?
    ) throws -> Store {
      let path = "\(TemporaryDirectory.path)/\(name)/.launchlab/launchlab.sqlite"
      let store = try Store(path: path, mode: .readWrite)
      for day in days {
        let start = Date(timeIntervalSince1970: 1_795_226_400 + Double(day) * 86_400)
        let target = Target(name: "app", command: ["/bin/true"], directory: "/")
        let arm = Arm(target: "app", state: .warm)
        var run = RunRecord.sample(
          .sample(scenario, [target], in: "/nowhere"),
          id: RunID.make(at: start, salt: UInt64(100 + day + salt)),
          at: start,
          status: .unfinished,
          arms: [arm],
          fingerprint: "c0ffee"
        )
        run.host.identity = identity(day)
        run.host.name = identity(day).map { _ in named(day) ?? name }
        try store.begin(run).finish(status: .complete, at: start + 60)
        let median = 100 + Double(day)
        let row = MetricRow.sample(run: run.id, arm: arm, n: 3, median: median)
        try store.saveSummaries([row], of: run.id)
        try store.save(RunOutcome(verdict: "green", exitCode: 0), of: run.id)
      }
      return store
    }

    private func push(_ name: String) async throws -> PushWorkflow.Summary {
      let path = "\(TemporaryDirectory.path)/\(name)/.launchlab/launchlab.sqlite"
      return try await PushWorkflow(to: address, store: path, in: context).push { _, _ in }
    }

    private func mirrors(_ part: DepotMirror.Part = .init()) async throws -> [Store] {
      let content = try await DepotMirror(of: address, in: context).refresh(part) { _, _ in }
      #expect(content.problems.isEmpty)
      return try StoreLocation.stores(content.directory, from: "/")
    }

    @Test func `each night is there once, and read as on its host`() async throws {
      let one = try store("bench-1") { _ in "a" }
      try store("bench-2", days: 0..<2) { _ in "b" }
      #expect(try await push("bench-1").stored == 3)
      #expect(try await push("bench-2").stored == 2)
      #expect(try await push("bench-1") == PushWorkflow.Summary(known: 3))

      let read = try await mirrors()
      #expect(read.map(DepotMirror.host) == ["bench-1", "bench-2"])
      #expect(try read[0].runs() == one.runs())
      let night = try #require(one.runs().first?.id)
      #expect(try read[0].summaries(run: night) == one.summaries(run: night))
      let points = try await database.sql(
        """
        SELECT string_agg(h.name || ' ' || s.target || ' ' || s.metric || ' ' || p.median, ', '
          ORDER BY h.name, p.started_at)
        FROM launchlab.point p JOIN launchlab.host h ON h.key = p.host
        JOIN launchlab.series s ON s.key = p.series WHERE p.median > 100
        """
      )
      #expect(
        points == "bench-1 app launch 101, bench-1 app launch 102, bench-2 app launch 101"
      )
      // What comes later is added; what is there is not fetched again.
      try store("bench-1", days: 3..<4) { _ in "a" }
      #expect(try await push("bench-1").stored == 1)
      try await database.sql("UPDATE launchlab.run_file SET content = '' WHERE run < 6")
      #expect(try await mirrors().map { try $0.runs().count } == [4, 2])
      // A file that is deleted is neither read nor sent again.
      try await database.sql("DELETE FROM launchlab.run_file WHERE run < 6")
      #expect(try await push("bench-1") == PushWorkflow.Summary(known: 4))
      #expect(try await mirrors(.init(host: "bench-1")).map { try $0.runs().count } == [1])
    }

    @Test func `a run that is taken out on its host, and its alerts, are so for readers`()
      async throws
    {
      let one = try store("bench-1") { _ in "a" }
      _ = try await push("bench-1")
      #expect(try await mirrors()[0].leftOutRuns().isEmpty)
      let run = try #require(one.runs().first?.id)
      let key = SeriesKey.sample("app", "app", "c0ffee")
      let alert = Alert(
        number: 7,
        kind: .step,
        series: key,
        direction: .worse,
        state: .suspected,
        cause: .unknown,
        onset: run,
        lastGood: nil,
        before: 1,
        after: 2,
        events: [
          AlertEvent(
            at: Date(timeIntervalSince1970: 1_795_226_400),
            run: run,
            state: .suspected,
            cause: .unknown,
            reason: "it is slower"
          )
        ]
      )
      try one.save([alert])
      let decision = RunDecision(
        at: Date(timeIntervalSince1970: 1_795_226_400),
        person: "ann",
        standing: .excluded,
        reason: "backup"
      )
      try one.decide(decision, on: run)
      let summary = try await push("bench-1")
      #expect(summary.stored == 0 && summary.concluded == 1)
      #expect(try await push("bench-1").concluded == 0)

      let read = try #require(try await mirrors().first)
      #expect(try read.alerts(scenario: nil) == one.alerts(scenario: nil))
      #expect(try read.leftOutRuns() == one.leftOutRuns())
      try one.decide(
        RunDecision(at: Date(), person: "ann", standing: .included, reason: ""),
        on: run
      )
      _ = try await push("bench-1")
      #expect(try await mirrors()[0].leftOutRuns().isEmpty)
    }

    @Test func `one run that is refused keeps no other one back`() async throws {
      // As of two machines with one disk: the names take turns.
      func name(_ day: Int) -> String { [1, 4].contains(day) ? "two" : "one" }
      try store("clones", days: 0..<5, named: name) { _ in "a" }
      let summary = try await push("clones")
      #expect(summary.stored == 3)
      #expect(summary.problems.map(\.id) == ["depot-cloned-host", "depot-cloned-host"])
    }

    @Test func `old runs are of the only machine of their store, or stay there`() async throws {
      try store("bench-1") { $0 < 2 ? nil : "a" }
      #expect(try await push("bench-1").stored == 3)
      try store("shared") { [nil, "b", "c"][$0] }
      let summary = try await push("shared")
      #expect(summary.stored == 2)
      #expect(summary.problems.map(\.id) == ["depot-unnamed-runs"])
      #expect(try await database.depot.hosts().map(\.identity).sorted() == ["a", "b", "c"])
    }

    @Test func `a host and a scenario are read alone, an unknown host is refused`() async throws {
      try store("bench-1") { _ in "a" }
      try store("bench-2") { _ in "b" }
      try store("bench-3", scenario: "other") { _ in "c" }
      for name in ["bench-1", "bench-2", "bench-3"] { _ = try await push(name) }
      #expect(try await mirrors(.init(host: "bench-2")).map(DepotMirror.host) == ["bench-2"])
      #expect(try await mirrors(.init(scenario: "other")).map(DepotMirror.host) == ["bench-3"])
      #expect(try await mirrors(.init(scenario: "app")).count == 2)
      await #expect(throws: WorkflowError.self) { try await mirrors(.init(host: "bench-9")) }
    }

    @Test(arguments: [
      "run_file SET content = 'other' WHERE run = 2", "run SET schema = 99 WHERE key = 2",
    ])
    func `a run that cannot be read keeps no other one away`(damage: String) async throws {
      try store("bench-1") { _ in "a" }
      _ = try await push("bench-1")
      try await database.sql("UPDATE launchlab.\(damage)")
      let content = try await DepotMirror(of: address, in: context).refresh(.init()) { _, _ in }
      #expect(content.problems.map(\.id) == ["depot-unread-run"])
      let read = try StoreLocation.stores(content.directory, from: "/")
      #expect(try read.map { try $0.runs().count } == [2])
    }

    @Test func `a host that is renamed stays one, under its new name`() async throws {
      func name(_ day: Int) -> String { day < 2 ? "alpha" : "beta" }
      try store("bench-1", named: name) { _ in "a" }
      #expect(try await push("bench-1").stored == 3)
      let read = try await mirrors()
      #expect(read.map(DepotMirror.host) == ["beta"])
      #expect(try read[0].runs().count == 3)
      // Older runs that tell no name are no reason to doubt it.
      try store("bench-1", days: -3..<0) { _ in nil }
      #expect(try await push("bench-1").stored == 3)
      #expect(try await database.depot.hosts().map(\.name) == ["beta"])
    }

    @Test func `nights of one identity at the same time are of two machines`() async throws {
      try store("bench-1") { _ in "a" }
      #expect(try await push("bench-1").stored == 3)
      try store("clone", days: 2..<4, salt: 99) { _ in "a" }
      let summary = try await push("clone")
      #expect(summary.problems.map(\.id) == ["depot-cloned-host"])
      #expect(summary.stored == 1)
    }

    @Test func `a night goes when it is concluded, or a day later`() async throws {
      let one = try store("bench-1") { _ in "a" }
      let last = try #require(one.runs().first)
      let nights = Set(try one.sharedRuns(at: last.startedAt).map(\.id))
      #expect(nights.count == 3)
      let run = RunRecord(
        id: RunID.make(at: last.startedAt + 3_600, salt: 9),
        startedAt: last.startedAt + 3_600,
        plan: try one.run(last.id).plan,
        host: try one.run(last.id).host,
        tool: "1"
      )
      try one.begin(run).finish(status: .complete, at: run.startedAt + 60)
      #expect(try one.sharedRuns(at: run.startedAt + 120).count == 3)
      #expect(try one.sharedRuns(at: run.startedAt + 90_000).count == 4)
    }

    @Test func `a proof of a fleet is read as on its host`() async throws {
      let one = try store("bench-1", days: 0..<1) { _ in "a" }
      var run = try one.run(try #require(one.runs().first?.id))
      run.startedAt += 3_600
      run.id = RunID.make(at: run.startedAt, salt: 9)
      run.finishedAt = nil
      run.status = .unfinished
      run.purpose = .proof
      run.slot = FleetSlot(night: "2026-11-21", host: "bench-1")
      try one.begin(run).finish(status: .complete, at: run.startedAt + 60)
      try one.save(RunOutcome(verdict: "regression", exitCode: 1), of: run.id)
      #expect(try await push("bench-1").stored == 2)
      #expect(try await mirrors()[0].run(run.id) == one.run(run.id))
    }

    @Test func `the only night is taken out for readers too`() async throws {
      let one = try store("bench-1", days: 0..<1) { _ in "a" }
      _ = try await push("bench-1")
      let decision = RunDecision(at: Date(), person: "ann", standing: .excluded, reason: "backup")
      try one.decide(decision, on: try #require(one.runs().first?.id))
      #expect(try await push("bench-1").concluded == 1)
      #expect(try await mirrors()[0].leftOutRuns().count == 1)
    }

    @Test func `a depot without what is asked for says so`() async throws {
      await #expect(throws: DepotError.nothingThere(address: address, part: "")) {
        try await mirrors()
      }
    }

    @Test(arguments: ["host=h password=secret", "Postgres://u:secret@h/lab", "mysql://u:secret@h"])
    func `what is no address is not repeated`(text: String) throws {
      try store("bench-1") { _ in "a" }
      do {
        _ = try PushWorkflow(to: text, store: nil, in: context)
        Issue.record("it is taken")
      } catch let error as DepotError {
        #expect(!"\(error.diagnostics)".contains("secret"))
      }
    }

    @Test func `alerts of a store that two machines share go with their own`() async throws {
      try store("shared") { $0 == 1 ? "b" : "a" }
      let summary = try await push("shared")
      #expect(summary.stored == 3 && summary.problems.isEmpty)
      try store("twin", days: 3..<4) { _ in "a" }
      let workflow = try PushWorkflow(to: address, store: nil, in: context)
      let problems = try await workflow.push { _, _ in }.problems
      #expect(problems.map(\.id) == ["depot-two-stores"])
    }

    @Test func `a user with the role of hosts pushes, and reads nothing`() async throws {
      let store = try store("bench-1") { _ in "a" }
      let user = try await database.makeUser("launchlab_push")
      let address = try database.depot(as: user).address.description
      let workflow = try PushWorkflow(to: address, store: store.path, in: context)
      #expect(try await workflow.push { _, _ in } == PushWorkflow.Summary(stored: 3))
      #expect(try await workflow.push { _, _ in } == PushWorkflow.Summary(known: 3))
      await #expect(throws: DepotError.self) {
        _ = try await DepotMirror(of: address, in: context).refresh(.init()) { _, _ in }
      }
    }
  }
}
