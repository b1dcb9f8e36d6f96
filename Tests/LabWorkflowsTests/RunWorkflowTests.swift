import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost
@testable import LaunchStore
@testable import Measuring

/// Whole runs, on a laboratory without a machine.
@Suite(.temporaryDirectory) struct RunWorkflowTests {
  private let events = ToldEvents()

  private var path: String { "\(TemporaryDirectory.path)/store.sqlite" }

  private var scenario: Scenario {
    Scenario(
      name: "app",
      targets: [
        Target(name: "app", command: ["\(TemporaryDirectory.path)/app"], directory: "/")
      ],
      states: [.reinstallCold, .warm],
      launches: 4,
      directory: TemporaryDirectory.path
    )
  }

  private func request(resuming run: String? = nil) -> RunRequest {
    RunRequest(
      scenario: scenario,
      store: path,
      seed: 7,
      resume: run,
      purpose: .trial,
      commandLine: ["launchlab", "run", "scenario.yml"]
    )
  }

  private func run(
    _ request: RunRequest? = nil,
    at now: Date = SampleNight.evening,
    launching laboratory: @escaping (Plan) throws -> any LaunchLaboratory = {
      FakeLaboratory(launching: $0)
    }
  ) async throws -> RunSummary {
    let context = WorkflowContext.fake(at: now, launching: laboratory).telling(events.add)
    return try await RunWorkflow(request ?? self.request(), in: context).run().summary
  }

  private func stored() throws -> RunListing {
    try #require(try Store(path: path, mode: .readOnly).runs().first)
  }

  /// The numbers of the blocks of the stored launches.
  private func blocks(of run: String) throws -> [Int] {
    var blocks: [Int] = []
    try Store(path: path, mode: .readOnly).forEachLaunch(of: run) { blocks.append($0.block) }
    return blocks
  }

  @Test func `stores every block of a complete run, and closes what it was launched on`()
    async throws
  {
    try FakeProgram.write("40 ms")
    var laboratories: [FakeLaboratory] = []

    let summary = try await run { plan in
      laboratories.append(FakeLaboratory(launching: plan))
      return laboratories[0]
    }

    #expect(summary.exitCode == .done)
    #expect(summary.arms.map(\.arm.state) == [.reinstallCold, .warm])
    let run = try stored()
    #expect(run.id == summary.run.id)
    #expect(run.status == .complete)
    #expect(run.startedAt >= SampleNight.evening)
    #expect(try #require(run.finishedAt) > run.startedAt)
    #expect(try blocks(of: run.id) == [0, 0, 1, 1, 2, 2, 3, 3])
    #expect(events.launches == 8)
    #expect(events.starts == [0])
    #expect(laboratories.map(\.isClosed) == [true])
    let rows = try Store(path: path, mode: .readOnly).summaries(run: run.id)
    #expect(Set(rows.map(\.arm)) == Set(summary.arms.map(\.arm)))
    #expect(rows.allSatisfy { $0.n == 4 })
  }

  @Test func `ends when a target fails three times in a row, and says why`() async throws {
    try FakeProgram.write("fails")

    let summary = try await run()

    #expect(summary.exitCode == .couldNotMeasure)
    #expect(try stored().status == .failed)
    let failure = try #require(summary.warnings.first)
    #expect(failure.id == "target-fails")
    #expect(failure.problem.contains("exited with status 3, 3 times in a row"))
    await #expect(throws: WorkflowError.self) { try await run(request(resuming: "last")) }
  }

  @Test func `keeps what is complete of a run that is interrupted, and goes on with it`()
    async throws
  {
    try FakeProgram.write("40 ms")

    let cut = try await run { plan in
      let whole = FakeLaboratory(launching: plan)
      return FakeLaboratory { arm, number in
        if number == 5 { throw HostError.interrupted }
        return try whole.launch(arm)
      }
    }

    #expect(cut.exitCode == .interrupted)
    #expect(try stored().status == .interrupted)
    #expect(try blocks(of: cut.run.id) == [0, 0, 1, 1])
    let note = try #require(cut.warnings.first { $0.id == "interrupted" })
    #expect(note.remedy?.contains("--resume \(cut.run.id)") == true)

    let whole = try await run(request(resuming: "last"), at: SampleNight.evening + 3_600)
    #expect(whole.run.id == cut.run.id)
    #expect(whole.exitCode == .done)
    #expect(try stored().status == .complete)
    #expect(try blocks(of: cut.run.id) == [0, 0, 1, 1, 2, 2, 3, 3])
    #expect(events.starts == [0, 4])
    #expect(whole.arms.map(\.outcomes) == [["ready": 4], ["ready": 4]])
  }

  @Test func `refuses to go on with what is complete, and with another scenario`() async throws {
    try FakeProgram.write("40 ms")
    let complete = try await run().run.id
    func reason(_ request: RunRequest) async throws -> String {
      let error = try await #require(throws: WorkflowError.self) { try await run(request) }
      #expect(error.exitCode == .usage)
      return error.diagnostics[0].problem
    }
    let resumed = request(resuming: complete)
    #expect(try await reason(resumed) == "cannot resume run \"\(complete)\": it is complete")
    var other = resumed
    other.resume = "20200101T000000Z-0000"
    await #expect(throws: StoreError.self) { try await run(other) }
    other = resumed
    other.purpose = .night
    #expect(try await reason(other).hasSuffix("it was made for another purpose: trial"))
    other = request(resuming: "last")
    other.scenario.name = "other"
    #expect(try await reason(other).hasSuffix("no run of this scenario is stored"))
  }

  @Test func `the run ends as failed when the machine does`() async throws {
    try FakeProgram.write("40 ms")
    await #expect(throws: HostError.self) {
      try await run { plan in
        let whole = FakeLaboratory(launching: plan)
        return FakeLaboratory { arm, number in
          if number == 5 { throw HostError.system(operation: "fork", path: nil, errno: 12) }
          return try whole.launch(arm)
        }
      }
    }
    #expect(try stored().status == .failed)
    #expect(try blocks(of: stored().id) == [0, 0, 1, 1])
  }

  @Test func `a lab that is at work keeps others out, and changes nothing`() async throws {
    try FakeProgram.write("40 ms")
    let other = try WorkflowContext.fake().session(for: ["launchlab", "measure"])

    let error = try await #require(throws: HostError.self) { try await run() }

    #expect(error.exitCode == .couldNotMeasure)
    #expect(error.diagnostics[0].problem.contains("another launchlab is measuring"))
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(events.all.isEmpty)
    other.end()
    #expect(try await run().exitCode == .done)
  }

  @Test func `gives the lab back when the machine refuses what is asked for`() async throws {
    try FakeProgram.write("40 ms")
    await #expect(throws: HostError.self) {
      try await run { _ in
        throw HostError.stateRefused(.reinstallCold, .cannotDropCaches(path: "/proc"))
      }
    }
    #expect(try Store(path: path, mode: .readOnly).runs().isEmpty)
    #expect(try await run().exitCode == .done)
  }

  @Test func `a run may be said to have begun before`() async throws {
    try FakeProgram.write("40 ms")
    var past = request()
    past.backdate = SampleNight.evening - 86_400 * 30
    let run = try await run(past).run
    #expect(run.startedAt == past.backdate)
    let time = try #require(run.finishedAt).timeIntervalSince(run.startedAt)
    #expect((0.5...60).contains(time))
  }
}
