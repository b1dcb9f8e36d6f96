import Foundation
import LabTestSupport
import Rendering
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchDepot
@testable import LaunchStore
@testable import Measuring

extension PostgresTests {
  /// The combined verdict of hosts, from the points of a depot.
  @Suite(.temporaryDirectory) struct FleetReportTests {
    let depot: Depot

    init() async throws {
      depot = try await TestDatabase.make().depot
      try await depot.initialize()
    }

    /// A run that began some days after the beginning of 2026-11-01.
    private func run(
      _ host: Int,
      day: Int,
      _ medians: [String: Double],
      hour: Double = 0,
      slot: String? = nil,
      purpose: RunRecord.Purpose = .night,
      kind: String = "kind-1",
      content: [UInt8] = [0]
    ) -> DepotRun {
      var run = DepotRun.sample("r\(day)-\(hour)", host: "id-\(host)", name: "bench-\(host)")
      run.scenario = "redis"
      run.startedAt = Date(
        timeIntervalSince1970: 1_793_505_600 + Double(day) * 86_400 + 3600 * hour
      )
      run.finishedAt = run.startedAt + 60
      (run.purpose, run.fingerprint, run.content) = (purpose, kind, content)
      run.slot = slot.map { FleetSlot(night: $0, host: "slot-\(host)") }
      run.points = medians.map { target, median in
        DepotPoint(
          target: target,
          state: .warm,
          metric: .launch,
          n: 20,
          median: median,
          medianAbsoluteDeviation: 1
        )
      }
      return run
    }

    /// Pushes runs one after the other, by one `psql`.
    private func push(_ runs: [DepotRun]) async throws {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.dateEncodingStrategy = .secondsSince1970
      let script = try runs.map { run in
        let document = try depot.psql.literal(String(decoding: encoder.encode(run), as: UTF8.self))
        let content = Data(run.content).base64EncodedString()
        return "SELECT launchlab.push(\(document), decode('\(content)', 'base64'));\n"
      }
      let answer = try await depot.psql.run(script.joined())
      #expect(
        String(decoding: answer, as: UTF8.self) == String(repeating: "stored\n", count: runs.count)
      )
    }

    /// The finite values of a host, by night.
    private func values(_ points: DepotPoints, host: Int, series: Int = 0) -> [String: Double] {
      let medians = points.medians(ofHost: host, series: series)
      return Dictionary(uniqueKeysWithValues: zip(points.nights, medians).filter { $0.1.isFinite })
    }

    @Test func `points are found by labels of nights`() async throws {
      try await push([
        run(1, day: 0, ["app": 0.1 + 0.2]),
        run(1, day: 1, ["app": 12_345_678.5, Arm.emptyTarget: 1]),
        // Late for its night by the clock of the host; the newest run of a night counts.
        run(1, day: 3, ["app": 300], slot: "2026-11-03"),
        run(1, day: 2, ["app": 7]),
        run(1, day: 3, ["app": 5], hour: 2, purpose: .trial),
        run(2, day: 1, ["app": 1.5e17], kind: "old"),
        run(2, day: 2, ["app": .leastNonzeroMagnitude, "other": -1e-7]),
      ])
      let points = try await depot.points(of: "redis", metrics: [.launch])
      #expect(points.nights == ["2026-11-01", "2026-11-02", "2026-11-03"])
      #expect(points.hosts.map(\.name) == ["bench-1", "bench-2"])
      #expect(points.hosts.map(\.night) == ["2026-11-03", "2026-11-03"])
      #expect(points.hosts.map(\.slotHost) == ["slot-1", nil])
      #expect(points.hosts.map(\.run) == ["r3-0.0", "r2-0.0"])
      #expect(points.series.map(\.target).sorted() == ["app", "other"])
      let app = try #require(points.series.firstIndex { $0.target == "app" })
      #expect(
        values(points, host: 0, series: app)
          == ["2026-11-01": 0.1 + 0.2, "2026-11-02": 12_345_678.5, "2026-11-03": 300]
      )
      // Another kind of machine begins anew.
      #expect(values(points, host: 1, series: app) == ["2026-11-03": .leastNonzeroMagnitude])
      #expect(values(points, host: 1, series: 1 - app) == ["2026-11-03": -1e-7])
      #expect(try await depot.points(of: "redis", metrics: [.peakRSS]).series.isEmpty)
      #expect(try await depot.points(of: "it's none", metrics: [.launch]).nights.isEmpty)

      let few = try await depot.points(
        of: "redis",
        metrics: [.launch],
        until: "2026-11-02",
        newest: 1
      )
      #expect(few.nights == ["2026-11-02"])
      #expect(few.hosts.map(\.kind) == ["kind-1", "old"])
      #expect(few.medians(ofHost: 1, series: app).first == 1.5e17)
    }

    @Test func `newest runs are those with a file`() async throws {
      try await push([
        run(1, day: 0, ["app": 1]), run(1, day: 1, ["app": 1]),
        run(2, day: 1, ["app": 1], hour: 1, purpose: .proof),
      ])
      let newest = try await depot.newestRuns()
      #expect(newest.map(\.id) == ["r1-0.0"] && newest.map(\.night) == ["2026-11-02"])
      #expect(try await depot.newestRuns(until: "2026-11-01").map(\.id) == ["r0-0.0"])
      #expect(try await depot.newestRuns(scenario: "other").isEmpty)
      _ = try await depot.psql.run("DELETE FROM launchlab.run_file WHERE run = 2;")
      #expect(try await depot.newestRuns().map(\.id) == ["r0-0.0"])
    }

    /// A file of a run, with the rule of the scenario.
    private func file(_ id: String, _ host: Int) throws -> [UInt8] {
      let target = Target(name: "app", command: ["/bin/true"], directory: "/")
      var scenario = Scenario.sample("redis", [target], in: "/nowhere")
      scenario.regression = RegressionRule(metrics: [.launch])
      let store = try Store(
        path: "\(TemporaryDirectory.path)/\(id)-\(host).sqlite",
        mode: .readWrite
      )
      let run = RunRecord.sample(
        scenario,
        id: id,
        at: Date(timeIntervalSince1970: 1_793_505_600),
        status: .unfinished,
        arms: [Arm(target: "app", state: .warm)],
        fingerprint: "kind-1"
      )
      try store.begin(run).finish(status: .complete, at: run.startedAt + 60)
      return try TemporaryFile.bytes { try store.write(run: run.id, to: $0) }
    }

    /// Quiet nights of five hosts, and then three on which all of them are slower, and one much more.
    private func pushNights() async throws {
      let steps = [0, 0.4, -0.4, 0.2, -0.2]
      var runs: [DepotRun] = []
      for day in 0..<20 {
        for host in 1...5 {
          let off = day < 17 ? steps[(day + host) % 5] : 3.0
          let machine = host == 3 && day > 13 ? 12.0 : 0
          let one = run(
            host,
            day: day,
            ["app": 4e8 * (1 + (off + machine) / 100), Arm.controlTarget: 1e6],
            slot: String(format: "2026-11-%02d", day + 1),
            content: day < 16 ? [0] : try file("r\(day)-0.0", host)
          )
          runs.append(one)
        }
      }
      try await push(runs)
    }

    @Test func `a report takes points, and the file with the rule`() async throws {
      try await pushNights()
      func report(_ night: String? = nil) async throws -> FleetReport {
        try await FleetReportWorkflow(
          depot: depot,
          scenarios: ["redis"],
          night: night,
          directory: TemporaryDirectory.path
        ).report()
      }
      let tonight = try await report()
      let path = "\(TemporaryDirectory.path)/hosts/redis/latest.md"
      #expect(
        tonight.text() == """
          redis over 5 hosts: suspected regression of code: app warm launch +3.0 %, 4 of 4 hosts agree
            quarantined: bench-3 since 2026-11-18 (named on 5 nights)
            next: a suspicion is not a proof: a comparison of both builds on the same night settles it
            report: \(path)

          """
      )
      #expect(tonight.exitCode == .regression)
      let markdown = try String(contentsOfFile: path, encoding: .utf8)
      #expect(markdown.hasPrefix("# redis over 5 hosts, 2026-11-20\n"))
      #expect(
        markdown.contains("- **Quarantined:** bench-3 since 2026-11-18 (named on 5 nights)\n")
      )
      let json = tonight.json.rendered()
      #expect(json.contains("\"slot_host\": \"slot-3\""))

      // An older night has a file of its own.
      let old = try await report("2026-11-17")
      #expect(old.exitCode == .done)
      #expect(old.parts.map(\.path) == ["\(TemporaryDirectory.path)/hosts/redis/2026-11-17.md"])
      #expect(
        old.text()
          .hasPrefix("redis over 5 hosts: machine: bench-3 differs: app warm launch +11.7 %")
      )
      #expect(try await report("2026-11-20").parts.map(\.path) == [path])
      #expect(try String(contentsOfFile: path, encoding: .utf8) == markdown)
      await #expect(throws: DepotError.self) { _ = try await report("2026-10-01") }
    }
  }
}
