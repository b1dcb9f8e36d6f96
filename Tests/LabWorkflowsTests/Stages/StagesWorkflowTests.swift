import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring

/// Launches that are split into stages, on a laboratory without a machine.
@Suite(.temporaryDirectory) struct StagesWorkflowTests {
  private let events = ToldEvents()

  private func stages(
    launches: Int,
    of command: [String] = ["/bin/true"],
    launching laboratory: @escaping (Plan) throws -> any LaunchLaboratory
  ) async throws -> StagesResult {
    var options = MeasureOptions(
      command: command,
      states: ["warm"],
      launches: launches,
      directory: TemporaryDirectory.path
    )
    let pattern = #"(?<stage>\w+) took (?<value>[0-9.]+) (?<unit>ms)"#
    options.stages = StagePlan(collectors: [.text], launches: launches, patterns: [pattern])
    let context = WorkflowContext.fake(launching: laboratory).telling(events.add)
    return try await StagesWorkflow(options: options, in: context).run()
  }

  /// What a launch of a program gives that prints how long its fonts took.
  private static func printing(_ milliseconds: Double) -> LaunchResult {
    let text = Array("fonts took \(milliseconds) ms\n".utf8)
    return LaunchResult(
      outcome: .ready,
      launch: .milliseconds(10),
      figures: Figures(majorFaults: 0),
      output: CapturedOutput(stderr: CapturedStream(head: text, totalBytes: Int64(text.count)))
    )
  }

  @Test func `takes the stages of every launch beside plain ones`() async throws {
    var laboratories: [FakeLaboratory] = []
    let result = try await stages(launches: 4) { _ in
      laboratories.append(FakeLaboratory { _, number in Self.printing(2 + Double(number) / 10) })
      return laboratories[0]
    }
    #expect(result.summary.exitCode == .done)
    #expect(
      result.launches.map(\.stages.launch.children.first?.name)
        == .init(repeating: "fonts", count: 4)
    )
    #expect(result.arms.map(\.arm.kind) == [.text])
    #expect(result.summary.arms.contains { $0.arm.kind == .plain })
    #expect(events.launches == 8)
    #expect(laboratories[0].isClosed)
  }

  @Test func `a single launch is compared with no plain one`() async throws {
    let result = try await stages(launches: 1) { _ in FakeLaboratory { _, _ in Self.printing(2) } }
    #expect(events.launches == 1)
    #expect(result.summary.arms.map(\.arm.kind) == [.text])
  }

  @Test func `a program that fails has no stages`() async throws {
    let result = try await stages(launches: 1) { _ in
      FakeLaboratory { _, _ in .ended(.exited(code: 3), stderr: "no display\n") }
    }
    #expect(result.summary.exitCode == .couldNotMeasure)
    let failure = try #require(result.summary.warnings.first { $0.id == "target-fails" })
    #expect(failure.problem.contains("no display"))
  }

  @Test func `ends when it is interrupted`() async throws {
    let result = try await stages(launches: 4) { _ in
      FakeLaboratory { _, number in
        if number == 5 { throw HostError.interrupted }
        return Self.printing(2)
      }
    }
    #expect(result.summary.exitCode == .interrupted)
    #expect(events.launches == 5)
  }
}
