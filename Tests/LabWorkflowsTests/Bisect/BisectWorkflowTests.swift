import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring

/// Whole bisections of ready-made executables, on a laboratory without a machine.
@Suite(.temporaryDirectory) struct BisectWorkflowTests {
  private var root: String { TemporaryDirectory.path }

  /// Sixteen versions, of which the tenth and later ones are slower.
  private func makeVersions() throws {
    for version in 0..<16 {
      try FakeProgram.write(version < 9 ? "40 ms" : "48 ms", to: "nightly/v\(version)")
    }
  }

  private func options(mostLaunches: Int? = nil) -> BisectOptions {
    BisectOptions(
      launching: MeasureOptions(command: ["app"], states: ["warm"], launches: 1, directory: root),
      artifacts: "\(root)/nightly",
      mostLaunches: mostLaunches,
      words: []
    )
  }

  private func bisect(
    _ context: WorkflowContext = .fake(),
    resuming id: String? = nil,
    mostLaunches: Int? = nil
  ) async throws -> BisectSummary {
    var options = options(mostLaunches: mostLaunches)
    let request: BisectRequest
    if let id {
      options.artifacts = nil
      request = try BisectRequest(resuming: id, options, in: context)
    } else {
      request = try await BisectRequest(options, in: context)
    }
    return try await BisectWorkflow(request, in: context, rights: TracingRights.refused).run { _ in
    }
  }

  private func culprits(of summary: BisectSummary) -> [String] {
    summary.answer.culprits.map { summary.start.revisions[$0.revisions.upperBound].id }
  }

  @Test func `finds the version that is slower, and writes down how`() async throws {
    try makeVersions()

    let summary = try await bisect()

    #expect(culprits(of: summary) == ["v9"])
    #expect(summary.exitCode == .done)
    #expect(try BisectReplay(path: summary.log).summary().answer == summary.answer)
    let report = LogLocation(.bisection, storeDirectory: "\(root)/.launchlab").report(
      of: summary.start.id
    )
    #expect(try String(contentsOfFile: report, encoding: .utf8).contains("v9"))
    // The machine is nobody's afterwards.
    try WorkflowContext.fake().session(for: ["test"]).end()
  }

  @Test func `goes on where it was interrupted`() async throws {
    try makeVersions()
    var left = 30
    let context = WorkflowContext.fake { plan in
      let whole = FakeLaboratory(launching: plan)
      return FakeLaboratory { arm, _ in
        left -= 1
        if left < 0 { throw HostError.interrupted }
        return try whole.launch(arm)
      }
    }

    let cut = try await bisect(context)
    #expect(cut.isInterrupted)
    #expect(cut.exitCode == .interrupted)

    let whole = try await bisect(resuming: "last")
    #expect(whole.start.id == cut.start.id)
    #expect(culprits(of: whole) == ["v9"])
    #expect(whole.launches > cut.launches)
  }

  @Test func `finds nothing where nothing differs`() async throws {
    for version in 0..<8 { try FakeProgram.write("40 ms", to: "nightly/v\(version)") }
    let summary = try await bisect()
    #expect(culprits(of: summary).isEmpty)
    #expect(summary.exitCode == .inconclusive)
  }

  @Test func `more launches let one that has ended go on`() async throws {
    try makeVersions()
    let short = try await bisect(mostLaunches: 20)
    #expect(culprits(of: short).isEmpty)
    #expect(short.exitCode == .inconclusive)
    let whole = try await bisect(resuming: "last", mostLaunches: 4_000)
    #expect(culprits(of: whole) == ["v9"])
    await #expect(throws: WorkflowError.self) {
      try await bisect(resuming: "last", mostLaunches: 10)
    }
  }

  @Test func `leaves out what cannot be launched`() async throws {
    try makeVersions()
    try FakeProgram.write("fails", to: "nightly/v8")
    let summary = try await bisect()
    #expect(summary.failures.keys.sorted() == [8])
    #expect(summary.interval == 8...9)
  }

  @Test func `a lab that is at work keeps a bisection out`() async throws {
    try makeVersions()
    let other = try WorkflowContext.fake().session(for: ["launchlab", "run"])
    let error = try await #require(throws: HostError.self) { try await bisect() }
    #expect(error.exitCode == .couldNotMeasure)
    other.end()
  }
}
