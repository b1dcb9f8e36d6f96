import LabTestSupport
import Testing

@testable import Comparison
@testable import LaunchCore
@testable import LaunchStore
@testable import Measuring

/// Whole comparisons, on a laboratory without a machine.
@Suite(.temporaryDirectory) struct CompareWorkflowTests {
  private let events = ToldEvents()

  private func compare(
    _ words: String...,
    launches: String? = nil
  ) async throws
    -> ComparisonCommand.Answer
  {
    let options = CompareOptions(
      words: words,
      launching: MeasureOptions(
        command: [],
        states: [],
        launches: 0,
        directory: TemporaryDirectory.path
      ),
      launches: launches,
      seed: 7
    )
    return try await ComparisonCommand(options, in: .fake().telling(events.add)).run()
  }

  private func summary(_ answer: ComparisonCommand.Answer) throws -> ComparisonSummary {
    guard case .interleaved(let summary) = answer else { throw Unexpected() }
    return summary
  }

  private struct Unexpected: Error {}

  @Test(arguments: [Verdict.same, .regression, .improvement])
  func `launches until there is a verdict`(verdict: Verdict) async throws {
    let old = try FakeProgram.write("40 ms", to: "old")
    let time = [Verdict.same: 40, .regression: 60, .improvement: 30][verdict] ?? 0
    let new = try FakeProgram.write("\(time) ms", to: "new")
    let code = verdict == .regression ? LabExitCode.regression : .done

    let answer = try await compare(old, new)

    #expect(answer.exitCode == code)
    let summary = try summary(answer)
    #expect(summary.verdict == verdict)
    #expect(summary.run.run.status == .complete)
    #expect(summary.run.run.purpose == .comparison)
    // The plan allows far more than it takes to tell.
    #expect(summary.run.run.plan.launchCount > 1_000)
    #expect((20..<1_000).contains(events.launches))
    let store = try Store(
      path: "\(TemporaryDirectory.path)/.launchlab/launchlab.sqlite",
      mode: .readOnly
    )
    let listed = try #require(try store.runs().first)
    #expect(listed.launches == events.launches)
    #expect(listed.outcome?.verdict == verdict.rawValue)
    #expect(listed.outcome?.exitCode == Int(code.rawValue))
  }

  @Test func `launches as often as is asked for`() async throws {
    let old = try FakeProgram.write("40 ms", to: "old")
    let new = try FakeProgram.write("60 ms", to: "new")
    _ = try await compare(old, new, launches: "12")
    #expect(events.launches == 24)
  }

  @Test func `compares what was launched before`() async throws {
    let old = try FakeProgram.write("40 ms", to: "old")
    let new = try FakeProgram.write("60 ms", to: "new")
    _ = try await compare(old, new, launches: "12")
    _ = try await compare(old, new, launches: "12")

    let answer = try await compare("last~1", "last")

    guard case .stored(let found) = answer else { throw Unexpected() }
    // There is no history that would tell how much nights differ.
    #expect(answer.exitCode == .inconclusive)
    #expect(
      found.warnings.contains { $0.problem.hasPrefix("the runs were made one after the other") }
    )

    #expect(found.arms.map(\.pair.name) == ["A", "B"])
    #expect(events.launches == 48)
    for words in [["last", "last"], ["last~7", "last"], ["last", "/bin/true"]] {
      let error = await #expect(throws: WorkflowError.self) {
        try await compare(words[0], words[1])
      }
      #expect(error?.exitCode == .usage)
    }
  }

  @Test func `a program that fails ends it`() async throws {
    let old = try FakeProgram.write("40 ms", to: "old")
    let new = try FakeProgram.write("fails", to: "new")
    let answer = try await compare(old, new)
    #expect(answer.exitCode == .couldNotMeasure)
    #expect(try summary(answer).run.warnings.contains { $0.id == "target-fails" })
  }
}
