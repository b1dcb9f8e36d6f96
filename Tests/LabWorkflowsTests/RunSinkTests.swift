import Foundation
import LabAnalysis
import LabModel
import LabStore
import LabTestSupport
import Testing

@testable import LabWorkflows

@Suite struct RunSinkTests {
  private static let run: RunRecord = {
    let target = Target(name: "tool", command: ["/bin/tool"], directory: "/")
    let scenario = Scenario(
      name: "test",
      targets: [target],
      states: [.warm],
      launches: 2,
      directory: "/",
      stages: StagePlan(launches: 2),
      controls: ControlPlan(steal: DisturbanceLimits(share: 0.5))
    )
    let arms = [Arm(target: "tool", state: .warm, kind: .probe)]
    return RunRecord(
      id: "20261121T043000Z-3fa2",
      startedAt: Date(timeIntervalSince1970: 0),
      plan: Plan(scenario: scenario, seed: 1, arms: arms, blockCount: 2),
      host: HostFacts(architecture: "x86_64", kernel: "6.18", fingerprint: "f"),
      tool: "1"
    )
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
    return LaunchRecord(
      block: block,
      position: position,
      arm: 0,
      startedAt: .zero,
      preparation: Preparation(),
      result: LaunchResult(outcome: .ready, launch: .milliseconds(1)),
      stateReached: .reached,
      stages: LaunchStages(collector: .probe, launch: launch)
    )
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
      #expect(sink.repetition.repeated == 1)
      try sink.finish(.interrupted, at: Date(timeIntervalSince1970: 1))

      var counts: [[Int]] = []
      var resumed = try RunSink(run: Self.run, isResumption: true, store: store) { event in
        if case .launched(_, _, let done, let total, let repeated) = event {
          counts.append([done, total, repeated])
        }
      }
      #expect(resumed.repetition.repeated == 1)
      try resumed.take(record(block: 1), at: .zero)
      try resumed.take(record(block: 1, position: 1), at: .zero)
      #expect(counts == [[3, 3, 1], [4, 4, 2]])
    }
  }
}
