import Testing

@testable import LaunchCore
@testable import Measuring

@Suite struct ExitCodeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var status = RunRecord.Status.complete
    var outcome = Outcome.ready
    var state = StateReached.reached
    let code: LabExitCode

    var testDescription: String { name }

    private static let pinned = StateReached.notReached(reason: "pinned")

    static let all = [
      Self(name: "all is well", code: .done),
      Self(name: "not verified", state: .notVerified(reason: "no right"), code: .done),
      Self(name: "unreached", state: pinned, code: .inconclusive),
      Self(name: "nothing ready", outcome: .timedOut, code: .couldNotMeasure),
      Self(name: "failed", status: .failed, code: .couldNotMeasure),
      Self(name: "failed and unreached", status: .failed, state: pinned, code: .couldNotMeasure),
      Self(name: "interrupted", status: .interrupted, code: .interrupted),
      Self(
        name: "interrupted with nothing ready",
        status: .interrupted,
        outcome: .timedOut,
        code: .interrupted
      ),
    ]
  }

  @Test(arguments: Case.all)
  func `tells what became of the run`(test: Case) {
    var builder = RunBuilder(
      arms: [Arm(target: "perl", state: .warm), Arm(target: "git", state: .warm)],
      status: test.status
    )
    builder.add([1_000], arm: 0)
    builder.add([1_000], arm: 1, outcome: test.outcome, state: test.state)
    #expect(builder.summary.exitCode == test.code)
  }

  @Test func `an arm without a launch could not be measured`() {
    var builder = RunBuilder(
      arms: [Arm(target: "perl", state: .warm), Arm(target: "git", state: .warm)])
    builder.add([1_000], arm: 0)
    #expect(builder.summary.exitCode == .couldNotMeasure)
  }
}
