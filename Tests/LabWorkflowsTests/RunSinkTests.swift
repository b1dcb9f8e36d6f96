import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore
@testable import Measuring
@testable import Stages

@Suite struct RunSinkTests {
  private static let run: RunRecord = {
    let target = Target(name: "tool", command: ["/bin/tool"], directory: "/")
    var scenario = Scenario.sample("test", [target], launches: 2)
    scenario.stages = StagePlan(launches: 2)
    scenario.controls = ControlPlan(steal: DisturbanceLimits(share: 0.5))
    let arms = [Arm(target: "tool", state: .warm, kind: .probe)]
    return RunRecord.sample(scenario, status: .unfinished, arms: arms)
  }()

  /// A launch of 1 ms with two libraries that are too short to be kept one by one.
  private func record(block: Int, position: Int = 0) -> LaunchRecord {
    let libraries = ["/lib/a.so", "/lib/b.so"].map {
      Stage(
        name: $0,
        start: .zero,
        duration: Nanoseconds(100),
        source: .probe,
        place: .init(file: $0)
      )
    }
    let load = Stage(
      name: StageName.load,
      start: .zero,
      duration: .milliseconds(1),
      source: .probe,
      children: libraries
    )
    let launch = Stage(
      name: StageName.launch,
      start: .zero,
      duration: .milliseconds(1),
      source: .probe,
      children: [load]
    )
    let result = LaunchResult(outcome: .ready, launch: .milliseconds(1))
    var record = LaunchRecord.sample(block: block, position: position, result)
    record.stages = LaunchStages(collector: .probe, launch: launch)
    return record
  }

  private func libraries(_ sink: RunSink) throws -> [StageSummary] {
    let arm = try #require(sink.accumulator.summary(of: Self.run).arms.first)
    return try #require(arm.stages.first?.launch.child(StageName.load)).children
  }

  @Test func `a resumed run counts short parts once`() throws {
    try withTemporaryDirectory { directory in
      let store = try Store(path: "\(directory)/store.sqlite", mode: .readWrite)
      var sink = try RunSink(run: Self.run, isResumption: false, store: store) { _ in }
      try sink.take(record(block: 0), at: .zero)
      try sink.endBlock(at: .zero)
      #expect(try libraries(sink).map(\.name) == ["/lib/a.so", "/lib/b.so"])
      try sink.finish(.interrupted, at: Date(timeIntervalSince1970: 1))

      var resumed = try RunSink(run: Self.run, isResumption: true, store: store) { _ in }
      try resumed.take(record(block: 1), at: .zero)
      try resumed.endBlock(at: .zero)
      let libraries = try libraries(resumed)
      #expect(libraries.map(\.n) == [2])
      #expect(libraries.map(\.median) == [200])
    }
  }

  @Test func `repeats raise the total, also those of before a resumption`() throws {
    try withTemporaryDirectory { directory in
      let store = try Store(path: "\(directory)/store.sqlite", mode: .readWrite)
      var sink = try RunSink(run: Self.run, isResumption: false, store: store) { _ in }
      try sink.take(record(block: 0), at: .zero)
      try sink.take(record(block: 0, position: 1), at: .zero)
      try sink.endBlock(at: .zero)
      #expect(sink.retries.repeated == 1)
      try sink.finish(.interrupted, at: Date(timeIntervalSince1970: 1))

      var counts: [[Int]] = []
      var resumed = try RunSink(run: Self.run, isResumption: true, store: store) { event in
        if case .launched(_, _, let done, let total, let repeated) = event {
          counts.append([done, total, repeated])
        }
      }
      #expect(resumed.retries.repeated == 1)
      try resumed.take(record(block: 1), at: .zero)
      try resumed.take(record(block: 1, position: 1), at: .zero)
      #expect(counts == [[3, 3, 1], [4, 4, 2]])
    }
  }
}

/// What the sink knows of whether there are enough launches.
@Suite struct RunSinkLookTests {
  /// Has enough as soon as it has seen some launches.
  private struct Counting: StoppingRule {
    var needed: Int
    var seen = 0

    mutating func add(_ record: LaunchRecord) { seen += 1 }

    func isEnough(atLook look: Int) -> Bool { seen >= needed }
  }

  private func run(share: Double? = nil) -> RunRecord {
    let scenario = Scenario(
      name: "test",
      targets: [Target(name: "tool", command: ["/bin/tool"], directory: "/")],
      states: [.warm],
      launches: 2,
      directory: "/",
      controls: share.map { ControlPlan(steal: DisturbanceLimits(share: $0)) },
      adaptive: AdaptiveLaunches(most: 8, precision: 0.01)
    )
    let arms = [Arm(target: "tool", state: .warm)]
    return RunRecord(
      id: "20261121T043000Z-3fa2",
      startedAt: Date(timeIntervalSince1970: 0),
      plan: Plan(scenario: scenario, seed: 1, arms: arms, blockCount: 8),
      host: HostFacts(architecture: "x86_64", kernel: "6.18", fingerprint: "f"),
      tool: "1"
    )
  }

  private func record(block: Int, disturbances: [Disturbance] = []) -> LaunchRecord {
    let launch = Nanoseconds.milliseconds(1)
    let result = LaunchResult(outcome: .ready, launch: launch, disturbances: disturbances)
    return .sample(block: block, result)
  }

  @Test func `counts complete blocks only, and those of before a resumption`() throws {
    try withTemporaryDirectory { directory in
      let store = try Store(path: "\(directory)/store.sqlite", mode: .readWrite)
      let run = run()
      var sink = try RunSink(
        run: run,
        isResumption: false,
        store: store,
        stoppingRule: Counting(needed: 2)
      ) { _ in }
      try sink.take(record(block: 0), at: .zero)
      try sink.endBlock(at: .zero)
      try sink.take(record(block: 1), at: .zero)
      #expect(!sink.isEnough(atLook: 0))
      try sink.finish(.interrupted, at: Date(timeIntervalSince1970: 1))

      var resumed = try RunSink(
        run: run,
        isResumption: true,
        store: store,
        stoppingRule: Counting(needed: 2)
      ) { _ in }
      #expect(!resumed.isEnough(atLook: 0))
      try resumed.take(record(block: 1), at: .zero)
      try resumed.endBlock(at: .zero)
      #expect(resumed.isEnough(atLook: 0))
    }
  }

  @Test func `never has enough of launches that nothing can be concluded from`() throws {
    try withTemporaryDirectory { directory in
      let store = try Store(path: "\(directory)/store.sqlite", mode: .readWrite)
      var sink = try RunSink(
        run: run(share: 0.25),
        isResumption: false,
        store: store,
        stoppingRule: Counting(needed: 1)
      ) { _ in }
      let disturbance = Disturbance(kind: .throttling, amount: 1, limit: 0)
      try sink.take(record(block: 0, disturbances: [disturbance]), at: .zero)
      try sink.endBlock(at: .zero)
      #expect(!sink.isEnough(atLook: 0))
      for block in 1..<4 {
        try sink.take(record(block: block), at: .zero)
        try sink.endBlock(at: .zero)
      }
      #expect(sink.isEnough(atLook: 0))
    }
  }

  @Test func `has never enough where the plan says how many there are`() throws {
    try withTemporaryDirectory { directory in
      let store = try Store(path: "\(directory)/store.sqlite", mode: .readWrite)
      let sink = try RunSink(run: run(), isResumption: false, store: store) { _ in }
      #expect(!sink.isEnough(atLook: 0))
    }
  }
}
