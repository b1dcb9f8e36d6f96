import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchHost
@testable import LaunchStore
@testable import Measuring

/// Whole nights of a scenario file, on a laboratory without a machine.
@Suite(.temporaryDirectory) struct NightWorkflowTests {
  private let events = ToldEvents()

  private func file(_ name: String) -> String { "\(TemporaryDirectory.path)/\(name)" }

  private func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: file(name))
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: file(name), encoding: .utf8)
  }

  private var store: Store {
    get throws { try Store(path: file(".launchlab/launchlab.sqlite"), mode: .readOnly) }
  }

  /// Runs the night of a day.
  private func night(
    _ day: Int,
    purpose: RunRecord.Purpose = .night,
    provesSuspicions: Bool = true,
    keeping limit: Int64? = nil,
    launching laboratory: @escaping (Plan) throws -> any LaunchLaboratory = {
      FakeLaboratory(launching: $0)
    }
  ) async throws -> NightResult {
    let path = file("scenario.yml")
    if !exists("scenario.yml") {
      let text = """
        scenario: app
        targets: {app: {command: [./app]}}
        states: [warm]
        launches: 10
        regression: {metrics: [launch], effect: 5%, proof: 40}
        """
      try Data(text.utf8).write(to: URL(filePath: path))
    }
    var request = try RunRequest(
      scenarioPath: path,
      store: nil,
      seed: UInt64(day),
      revision: nil,
      resume: nil,
      reportDirectory: nil
    )
    request.purpose = purpose
    request.scenario.artifactLimit = limit
    let now = SampleNight.evening + 86_400 * Double(day)
    return try await NightWorkflow(
      request,
      provesSuspicions: provesSuspicions,
      in: .fake(at: now, launching: laboratory).telling(events.add),
      bisect: nil
    ).run()
  }

  /// Makes a history of six quiet nights of a program that takes 40 ms.
  private func makeHistory() async throws {
    try FakeProgram.write("40 ms")
    for day in 0..<6 { #expect(try await night(day).exitCode == .done) }
  }

  /// A laboratory on which no proof comes to its end.
  private func interruptingProofs(_ plan: Plan) -> any LaunchLaboratory {
    guard plan.scenario.targets.count > 1 else { return FakeLaboratory(launching: plan) }
    return FakeLaboratory { _, _ in throw HostError.interrupted }
  }

  @Test func `proves a regression of the code the same night, and stays red until acknowledged`()
    async throws
  {
    try await makeHistory()
    #expect(try text("report/latest.md").contains("🟢"))
    try FakeProgram.write("60 ms")

    let red = try await night(6)

    #expect(red.exitCode == .regression)
    #expect(events.proofs == ["app warm"])
    let alert = try #require(try store.alerts(scenario: "app").first)
    #expect(red.trend?.alerts == [alert])
    #expect(alert.id == "R-1")
    #expect(alert.state == .confirmed)
    #expect(alert.cause == .code)
    let proof = try #require(alert.proof)
    #expect(proof.scope == .executable)
    #expect(proof.verdict == .regression)
    #expect(try store.run(proof.run).purpose == .proof)
    for name in ["latest.md", "run.md", "index.html"] { #expect(exists("report/\(name)")) }
    #expect(try text("report/latest.md").contains("R-1"))
    #expect(try store.runs().first { $0.id == red.summary.run.id }?.outcome?.exitCode == 1)

    // An open regression keeps the exit code, and is proved once.
    #expect(try await night(7).exitCode == .regression)
    #expect(events.proofs.count == 1)

    _ = try AcknowledgeWorkflow(store: nil, in: .fake()).acknowledge("R-1", reason: "is meant")
    #expect(try await night(8).exitCode == .done)
  }

  @Test func `does not blame code that is the same`() async throws {
    try await makeHistory()

    let slow = try await night(6) { FakeLaboratory(launching: $0, slowedBy: 1.5) }

    #expect(events.proofs.isEmpty)
    let alert = try #require(try store.alerts(scenario: "app").first)
    #expect(alert.cause != .code)
    #expect(slow.exitCode != .regression)
  }

  @Test func `a suspicion that is not to be proved stays one`() async throws {
    try await makeHistory()
    try FakeProgram.write("60 ms")

    let result = try await night(6, provesSuspicions: false)

    #expect(events.proofs.isEmpty)
    #expect(try store.alerts(scenario: "app").map(\.state) == [.suspected])
    #expect(result.exitCode == .inconclusive)
    let warning = try #require(result.summary.warnings.first { $0.id == "no-proof" })
    #expect(warning.problem.hasSuffix("no proof was wanted"))
  }

  @Test func `a proof that is interrupted is made the next night`() async throws {
    try await makeHistory()
    try FakeProgram.write("60 ms")

    let cut = try await night(6, launching: interruptingProofs)

    #expect(cut.exitCode == .interrupted)
    #expect(try store.alerts(scenario: "app").map(\.state) == [.suspected])
    #expect(try await night(7).exitCode == .regression)
    #expect(events.proofs.count >= 2)
    #expect(try store.alerts(scenario: "app").map(\.state) == [.confirmed])
  }

  @Test func `a failed night is reported without verdicts`() async throws {
    try FakeProgram.write("40 ms")
    #expect(try await night(0).exitCode == .done)
    try FakeProgram.write("fails")

    let failed = try await night(1)

    #expect(failed.exitCode == .couldNotMeasure)
    let trend = try #require(failed.trend)
    #expect(trend.exitCode == .couldNotMeasure)
    #expect(trend.failure == "app warm exited with status 3")
    let title = try text("report/latest.md").split(separator: "\n").first
    #expect(title?.hasSuffix("❌ failed, the run has no result") == true)
    // A report by hand does not go back to the last night that was good.
    let reports = try ReportWorkflow(ReportRequest(), in: .fake()).reports()
    #expect(reports.map(\.summary.exitCode) == [.couldNotMeasure])
  }

  @Test func `tells of a failed night and of an alert`() async throws {
    let tell = try FakeProgram.write("\ncat >> \(file("told"))", to: "tell")
    let scenario = """
      scenario: app
      targets: {app: {command: [./app]}}
      states: [warm]
      launches: 10
      regression: {metrics: [launch], effect: 5%, proof: 40}
      notify: [{command: ["\(tell)"]}]
      """
    try Data(scenario.utf8).write(to: URL(filePath: file("scenario.yml")))
    try await makeHistory()
    #expect(!exists("told"))
    try FakeProgram.write("fails")
    _ = try await night(6)
    #expect(try text("told").contains("launchlab.failure/1"))
    try FakeProgram.write("60 ms")
    _ = try await night(7)
    #expect(try text("told").contains("\"R-1\""))
  }

  @Test func `a night warns that nothing of former nights could be removed`() async throws {
    try FakeProgram.write("40 ms")
    #expect(try await night(0).summary.warnings.allSatisfy { $0.id != "not-trimmed" })
    // A store of a newer launchlab may need anything.
    let newer = file(".launchlab/newer.sqlite")
    _ = try Store(path: newer, mode: .readWrite)
    let header = try FileHandle(forUpdating: URL(filePath: newer))
    try header.seek(toOffset: 60)
    try header.write(contentsOf: Data([0x7f, 0xff, 0xff, 0xff]))
    try header.close()

    let result = try await night(1, keeping: 0)

    let warning = try #require(result.summary.warnings.first { $0.id == "not-trimmed" })
    #expect(warning.severity == .warning)
    #expect(warning.place?.hasSuffix("newer.sqlite") == true)
    #expect(result.exitCode == .done)
  }

  @Test func `a run without verdict is no night`() async throws {
    try FakeProgram.write("40 ms")

    let result = try await night(0, purpose: .trial)

    #expect(result.exitCode == .done)
    #expect(result.trend == nil)
    #expect(exists("report/run.md"))
    #expect(!exists("report/latest.md"))
    #expect(!exists(".launchlab/artifacts"))
    #expect(try store.nights(scenario: "app").isEmpty)
  }

  @Test func `a night before those that are stored is refused`() async throws {
    try FakeProgram.write("40 ms")
    _ = try await night(5)
    let error = try await #require(throws: WorkflowError.self) { try await night(0) }
    #expect(error.diagnostics[0].id == "night-in-future")
    #expect(error.exitCode == .couldNotMeasure)
  }
}
