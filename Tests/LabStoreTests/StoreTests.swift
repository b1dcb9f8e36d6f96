import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite struct StoreTests {
  @Test func `gives back a run as it was stored`() throws {
    let store = try Store.inMemory()
    let run = Sample.run()
    _ = try store.begin(run)
    #expect(try store.run(run.id) == run)
  }

  @Test func `gives back a run without controls and build`() throws {
    let store = try Store.inMemory()
    let run = Sample.bareRun("bare")
    _ = try store.begin(run)
    #expect(try store.run("bare") == run)
  }

  @Test func `gives back a launch with every field`() throws {
    let store = try Store.inMemory()
    let launch = Sample.fullLaunch(block: 0)
    try store.fill(Sample.run(), with: [launch])
    #expect(try store.launches(of: Sample.run().id) == [launch])
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `gives back random launches`(seed: UInt64) throws {
    // Given one launch per arm whose output is kept, then random ones
    let store = try Store.inMemory()
    var generator = SplitMix64(seed: seed)
    let first = Sample.arms.indices.map { Sample.launch(block: $0, arm: $0) }
    let random = (3..<150).map {
      Sample.randomLaunch(block: $0, arm: $0 % 3, using: &generator)
    }

    // When they are stored
    try store.fill(Sample.run(), with: first + random)

    // Then they come back, in order
    #expect(try store.launches(of: Sample.run().id) == first + random)
  }

  @Test func `tells files apart whose names are equal only as strings`() throws {
    let store = try Store.inMemory()
    var launch = Sample.launch(block: 0)
    launch.preparation.residency = ["/\u{E9}", "/e\u{301}"].map {
      FileResidency(path: $0, isOwn: true, residentPages: 0, totalPages: 1)
    }
    try store.fill(Sample.run(), with: [launch])
    let paths = try store.launches(of: Sample.run().id)[0].preparation.residency.map(\.path)
    #expect(paths.map { Array($0.utf8) } == [Array("/\u{E9}".utf8), Array("/e\u{301}".utf8)])
  }

  @Test func `keeps output of the first launch of an arm and of those not ready`() throws {
    let store = try Store.inMemory()
    let output = CapturedOutput(stdout: CapturedStream(head: [65], totalBytes: 1))
    var launches = (0..<4).map { Sample.launch(block: $0, arm: $0 / 2) }
    for index in launches.indices { launches[index].result.output = output }
    launches[3].result.outcome = .exited(code: 3)
    launches[3].result.launch = nil
    try store.fill(Sample.run(), with: launches)
    let stored = try store.launches(of: Sample.run().id).map(\.result.output.stdout)
    let dropped = CapturedStream(totalBytes: 1)
    #expect(stored == [output.stdout, dropped, output.stdout, output.stdout])
  }

  @Test func `lists runs newest first with what is stored of them`() throws {
    let store = try Store.inMemory()
    try store.fill(Sample.run("a"), with: [Sample.launch(block: 0)])
    let writer = try store.begin(Sample.run("c", secondsLater: 2))
    _ = try store.begin(Sample.run("b", scenario: "nginx", secondsLater: 1))
    try writer.finish(status: .failed, at: Sample.start.addingTimeInterval(9))

    let runs = try store.runs()
    #expect(runs.map(\.id) == ["c", "b", "a"])
    #expect(runs.map(\.status) == [.failed, .unfinished, .complete])
    #expect(runs.map(\.launches) == [0, 0, 1])
    #expect(runs[2].blocks == 1)
    #expect(runs[2].arms == Sample.arms)
    #expect(runs[2].seed == UInt64.max - 7)
    #expect(runs[2].plannedLaunches == Sample.run().plan.launchCount)
    #expect(runs[2].commit == Sample.run().build?.commit)
    #expect(runs[0].finishedAt == Sample.start.addingTimeInterval(9))
    #expect(try store.runs(limit: 1).map(\.id) == ["c"])
    #expect(try store.runs(scenario: "nginx").map(\.id) == ["b"])
    #expect(try store.unfinishedRuns().map(\.id) == ["b"])
  }

  struct Prefix: CustomTestStringConvertible {
    var text: String
    var found: String?
    var testDescription: String { "\"\(text)\"" }
  }

  @Test(arguments: [
    Prefix(text: "20261121T04-a", found: "20261121T04-a"),
    Prefix(text: "20261121T04-ab", found: "20261121T04-ab"),
    Prefix(text: "20261121T05", found: "20261121T05-c"),
    Prefix(text: "%5", found: nil),
    Prefix(text: "2026112?T05-c", found: nil),
    Prefix(text: "", found: nil),
    Prefix(text: "20261121T05-c ", found: nil),
  ])
  func `finds a run by the beginning of its id`(prefix: Prefix) throws {
    let store = try Store.inMemory()
    for id in ["20261121T04-a", "20261121T04-ab", "20261121T05-c"] {
      _ = try store.begin(Sample.run(id))
    }
    if let found = prefix.found {
      #expect(try store.run(prefix.text).id == found)
    } else {
      #expect(throws: StoreError.unknownRun(text: prefix.text)) { try store.run(prefix.text) }
    }
  }

  @Test func `refuses a beginning that several ids share`() throws {
    let store = try Store.inMemory()
    _ = try store.begin(Sample.run("20261121-a"))
    _ = try store.begin(Sample.run("20261121-b", secondsLater: 1))
    #expect(
      throws: StoreError.ambiguousRun(text: "2026", matches: ["20261121-b", "20261121-a"])
    ) { try store.run("2026") }
  }

  @Test func `refuses a second run of the same id`() throws {
    let store = try Store.inMemory()
    _ = try store.begin(Sample.run("a"))
    #expect(throws: StoreError.duplicateRun(id: "a")) { try store.begin(Sample.run("a")) }
  }

  @Test func `hands on what the body of a reading throws`() throws {
    struct Stop: Error {}
    let store = try Store.inMemory()
    try store.fill(Sample.run("a"), with: [Sample.launch(block: 0), Sample.launch(block: 1)])
    var seen = 0
    #expect(throws: Stop.self) {
      try store.forEachLaunch(of: "a") { _ in
        seen += 1
        throw Stop()
      }
    }
    #expect(seen == 1)
  }

  @Test func `replaces the summaries of a run`() throws {
    let store = try Store.inMemory()
    _ = try store.begin(Sample.run("a"))
    let single = MetricRow(
      run: "a",
      arm: Sample.arms[0],
      metric: .launch,
      version: 1,
      n: 1,
      mean: 2.5,
      median: 2.5,
      medianAbsoluteDeviation: 0,
      minimum: 2.5,
      maximum: 2.5,
      p90: 2.5,
      p95: 2.5
    )
    let several = MetricRow(
      run: "a",
      arm: Sample.arms[1],
      metric: .majorFaults,
      version: 2,
      n: 9,
      mean: 4,
      variance: 2,
      median: 4.1,
      medianAbsoluteDeviation: 0.5,
      minimum: 1,
      maximum: 7,
      p90: 6,
      p95: 6.5,
      intervalLow: 3,
      intervalHigh: 5
    )
    try store.saveSummaries([several], of: "a")
    try store.saveSummaries([several, single], of: "a")
    #expect(try store.summaries() == [single, several])
    #expect(try store.summaries(metric: .launch) == [single])
    #expect(try store.summaries(scenario: "other").isEmpty)
    #expect(try store.summaries(run: "a").count == 2)
  }

  @Test func `keeps the former summaries when a new one is refused`() throws {
    let store = try Store.inMemory()
    _ = try store.begin(Sample.run("a"))
    var row = MetricRow(
      run: "a",
      arm: Sample.arms[0],
      metric: .launch,
      version: 1,
      n: 1,
      mean: 2,
      median: 2,
      medianAbsoluteDeviation: 0,
      minimum: 2,
      maximum: 2,
      p90: 2,
      p95: 2
    )
    try store.saveSummaries([row], of: "a")
    let former = row
    row.mean = .nan
    let refused = #expect(throws: StoreError.self) { try store.saveSummaries([row], of: "a") }
    #expect(refused?.diagnostics[0].problem.contains("summary.mean") == true)
    row.arm = Arm(target: "other", state: .warm)
    #expect(throws: StoreError.self) { try store.saveSummaries([row], of: "a") }
    #expect(try store.summaries() == [former])
  }
}

extension Store {
  /// Stores a whole run, one block per different block number.
  func fill(_ run: RunRecord, with launches: [LaunchRecord]) throws {
    let writer = try begin(run)
    for launch in launches {
      writer.append(launch)
      try writer.endBlock(at: .zero)
    }
    try writer.finish(status: .complete, at: Sample.start)
  }

  func launches(of run: String) throws -> [LaunchRecord] {
    var launches: [LaunchRecord] = []
    try forEachLaunch(of: run) { launches.append($0) }
    return launches
  }
}
