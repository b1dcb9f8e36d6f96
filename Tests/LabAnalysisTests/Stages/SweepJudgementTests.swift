import Testing

@testable import LaunchCore
@testable import Stages

/// Whether a program does the same with the probe.
@Suite struct SweepJudgementTests {
  private static func run(
    _ stdout: String,
    _ stderr: String = "",
    _ outcome: Outcome = .ready
  ) -> ProgramRun {
    func stream(_ text: String) -> CapturedStream {
      CapturedStream(head: Array(text.utf8), totalBytes: Int64(text.utf8.count))
    }
    return ProgramRun(outcome: outcome, stdout: stream(stdout), stderr: stream(stderr))
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var plain: [ProgramRun]
    var probed: [ProgramRun]
    var verdict: SweptProgram.Verdict
    var place: String?
    var lines: [String?] = [nil, nil]
  }

  static let cases = [
    Case(
      testDescription: "the same",
      plain: [run("1\n"), run("1\n")],
      probed: [run("1\n")],
      verdict: .same
    ),
    Case(
      testDescription: "another status",
      plain: [run("1\n"), run("1\n")],
      probed: [run("1\n"), run("", "killed", .signalled(signal: 11))],
      verdict: .differsWithProbe,
      place: "end",
      lines: ["exit status 0", "signal 11"]
    ),
    Case(
      testDescription: "a line of a loader",
      plain: [run("1\n"), run("1\n")],
      probed: [run("1\n", "ERROR: ld.so\n")],
      verdict: .differsWithProbe,
      place: "stderr, line 1",
      lines: ["", "ERROR: ld.so"]
    ),
    Case(
      testDescription: "a number that never changes without the probe",
      plain: [run("a\nfd 3\n"), run("a\nfd 3\n")],
      probed: [run("a\nfd 4\n")],
      verdict: .differsWithProbe,
      place: "stdout, line 2",
      lines: ["fd 3", "fd 4"]
    ),
    Case(
      testDescription: "a process id",
      plain: [run("pid 17\n"), run("pid 180\n")],
      probed: [run("pid 18\n"), run("pid 0x7fab\n")],
      verdict: .differsWithProbe,
      place: "stdout, line 1",
      lines: ["pid 17", "pid 0x7fab"]
    ),
    Case(
      testDescription: "an address",
      plain: [run("at 7fab0\n"), run("at 18ee\n")],
      probed: [run("at 9\n")],
      verdict: .differsByItself,
      place: "stdout, line 1",
      lines: ["at 7fab0", "at 18ee"]
    ),
    Case(
      testDescription: "another word each time",
      plain: [run("tmp.xyz\n"), run("tmp.zyx\n")],
      probed: [run("tmp.uvw\n", "", .exited(code: 1))],
      verdict: .differsByItself,
      place: "stdout, line 1",
      lines: ["tmp.xyz", "tmp.zyx"]
    ),
    Case(
      testDescription: "a process id, and a status",
      plain: [run("17\n"), run("18\n")],
      probed: [run("19\n", "", .exited(code: 1))],
      verdict: .differsWithProbe,
      place: "end",
      lines: ["exit status 0", "exit status 1"]
    ),
  ]

  @Test(arguments: cases) func `tells what the probe does from what the program does`(
    example: Case
  ) {
    let found = SweepJudgement.verdict(plain: example.plain, probed: example.probed)
    #expect(found.verdict == example.verdict)
    #expect(found.difference?.place == example.place)
    #expect([found.difference?.plain, found.difference?.other] == example.lines)
  }
}
