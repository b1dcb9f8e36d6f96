import LabTestSupport
import LaunchStatistics
import Rendering
import Testing

@testable import Explanation
@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring
@testable import Scenarios

/// Explanations of slow launches on a laboratory without a machine.
@Suite(.temporaryDirectory) struct SlowLaunchesWorkflowTests {
  private static let rights = TracingRights(
    profiles: TracingFailure(helper: "profiler", step: .event, errno: 13)
  )

  /// Launches of 2 ms that scatter by a percent, of which some sleep 3 ms more.
  ///
  /// - Parameter isSlow: Of the kind of a launch and its number.
  /// - Returns: What a laboratory answers.
  private static func launches(
    where isSlow: @escaping (Arm.Kind, Int) -> Bool
  ) -> (Arm, Int) throws -> LaunchResult {
    { arm, number in
      var generator = SplitMix64(seed: UInt64(number), part: 0)
      let work = 2_000_000 + Int64(generator.next(below: 20_000))
      let sleep: Int64 = isSlow(arm.kind, number) ? 3_000_000 : 0
      let timeline = ExplainWorkflowTests.timeline(work: work, sleep: sleep)
      var result = LaunchResult(outcome: .ready, launch: timeline.ready - timeline.begin)
      if arm.kind.hasTimeline { result.timeline = timeline }
      return result
    }
  }

  /// One launch in so many, in no order.
  private static func isDrawn(_ number: Int, outOf count: Int) -> Bool {
    var generator = SplitMix64(seed: UInt64(number), part: 1)
    return generator.next(below: count) == 0
  }

  private func explain(
    launches: Int = SlowLaunches.mostLaunches,
    fewest: Int? = SlowLaunches.fewestLaunches,
    from beginning: ExplanationBeginning = .unkept,
    answer: @escaping (Arm, Int) throws -> LaunchResult
  ) async throws -> ExplanationResult {
    let scenario = try ScenarioFile.loadForLaunch(
      options: MeasureOptions(
        command: ["/bin/true"],
        states: ["warm"],
        launches: 1,
        directory: "/"
      )
    )
    var request = ExplainRequest(
      scenario: scenario,
      state: .warm,
      launches: launches,
      timeLimit: .seconds(60),
      seed: 3,
      commandLine: ["launchlab", "explain", "--slow"]
    )
    request.fewestForSlow = fewest
    return try await ExplainWorkflow(
      request,
      in: .fake { _ in FakeLaboratory(result: answer) },
      from: beginning,
      rights: { _ in Self.rights }
    ).run()
  }

  /// Where the launches of a test are kept.
  private var location: LogLocation {
    LogLocation(.explanation, storeDirectory: "\(TemporaryDirectory.path)/.launchlab")
  }

  /// What is computed from the last log alone.
  private func explainedAgain() async throws -> ExplanationResult {
    try await ExplainWorkflow(
      resuming: ExplanationRecord(path: location.log(of: location.id("last"))),
      timeLimit: nil,
      in: .fake { _ in FakeLaboratory { _, _ in LaunchResult(outcome: .exited(code: 1)) } },
      rights: { _ in Self.rights }
    ).run()
  }

  @Test func `names what slow launches do`() async throws {
    let result = try await explain(
      from: .kept(location),
      answer: Self.launches { _, number in Self.isDrawn(number, outOf: 8) }
    )
    let slow = try #require(result.slow)
    #expect(slow.gap != nil)
    #expect(slow.traced.launches > 80 && slow.traced.slow >= 12)
    #expect(!slow.areInRuns && !slow.isShareDifferent)
    let reason = try #require(result.explanation.reasons.first)
    #expect(reason.kind == .sleep && reason.call == "clock_nanosleep")
    #expect(abs(reason.change.difference.count - 3_000_000) < 60_000)
    #expect(result.arms.map(\.name) == ["fast", "slow"])
    #expect(result.exitCode == .done)
    let text = ExplanationText(result, style: TextStyle(width: .max)).rendered()
    #expect(text.contains(" % of launches take 3.00 ms longer (2.1"), "\(text)")
    #expect(text.contains("because they sleep (clock_nanosleep)"), "\(text)")
    #expect(
      text.contains("slow are \(slow.traced.slow) of \(slow.traced.launches) traced launches")
    )
    // All of it is computed again from what is kept.
    #expect(try await explainedAgain() == result)
  }

  @Test func `goes on to slow launches where an explanation finds two kinds`() async throws {
    let result = try await explain(
      launches: 40,
      fewest: nil,
      from: .kept(location),
      answer: Self.launches { _, number in Self.isDrawn(number, outOf: 4) }
    )
    let slow = try #require(result.slowOnes.first)
    #expect(
      result.slow == nil && slow.slow?.gap != nil && slow.arms.map(\.name) == ["fast", "slow"]
    )
    #expect(slow.explanation.reasons.first?.call == "clock_nanosleep")
    let told = "because they sleep"
    for text in [
      ExplanationText(result, style: TextStyle(width: .max)).rendered(),
      ExplanationMarkdown(result).rendered(), ExplanationJSON(result).rendered(),
    ] { #expect(text.contains(told), "\(text)") }
    #expect(try await explainedAgain() == result)
    // Another machine takes it from a depot.
    let kept = AlertExplanation(
      run: "r",
      before: "A",
      after: "B",
      why: "",
      markdown: "",
      section: ExplanationMarkdown(result).section(includesWarnings: false),
      text: ""
    )
    #expect(kept.foreignPart == nil && kept.section.contains("\n**Slow launches**: "))
    let alike = try await explain(
      launches: 40,
      fewest: nil,
      answer: Self.launches { _, _ in false }
    )
    #expect(alike.slowOnes.isEmpty)
  }

  @Test func `says that launches are of one kind`() async throws {
    let result = try await explain(answer: Self.launches { _, _ in false })
    let slow = try #require(result.slow)
    #expect(slow.gap == nil && slow.traced.launches == 80)
    #expect(result.explanation.reasons.isEmpty && result.exitCode == .done)
    let text = ExplanationText(result, style: TextStyle(width: .max)).rendered()
    #expect(text.hasPrefix("no two kinds of launches among 80; "), "\(text)")
  }

  @Test func `too few launches say nothing`() async throws {
    let result = try await explain(
      launches: 40,
      answer: Self.launches { _, _ in false }
    )
    #expect(result.slow?.traced.launches == 40 && result.exitCode == .inconclusive)
    let text = ExplanationText(result, style: TextStyle(width: .max)).rendered()
    #expect(text.contains("among 40, which are too few to be sure"), "\(text)")
  }

  @Test func `too few slow launches do not say why`() async throws {
    let result = try await explain(
      launches: 80,
      answer: Self.launches { _, number in number % 40 < 3 }
    )
    let slow = try #require(result.slow)
    #expect(slow.gap != nil && slow.traced.slow < 8 && result.exitCode == .inconclusive)
    let text = ExplanationText(result, style: TextStyle(width: .max)).rendered()
    let end = "when traced), and \(slow.traced.slow) slow ones are too few to say why"
    #expect(text.split(separator: "\n").first?.contains(end) == true, "\(text)")
  }

  @Test func `a race that tracing removes is told`() async throws {
    let result = try await explain(
      answer: Self.launches { kind, number in kind == .plain && Self.isDrawn(number, outOf: 4) }
    )
    #expect(result.slow?.isHiddenByTracing == true && result.exitCode == .inconclusive)
    let text = ExplanationText(result, style: TextStyle(width: .max)).rendered()
    #expect(text.contains("plain ones are slow: tracing may remove a race"), "\(text)")
  }

  @Test func `slow launches that follow each other are the machine's`() async throws {
    // Of a block one launch is plain and one traced.
    let result = try await explain(
      answer: Self.launches { _, number in (40..<80).contains(number) }
    )
    #expect(result.slow?.areInRuns == true)
    let text = ExplanationText(result, style: TextStyle(width: .max)).rendered()
    #expect(text.contains("; they come in runs, as where the machine is slow at times"), "\(text)")
    #expect(result.diagnostics.contains { $0.id == "slow-in-runs" })
  }
}
