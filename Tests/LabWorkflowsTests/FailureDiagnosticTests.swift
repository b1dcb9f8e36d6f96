import LabModel
import Testing

@testable import LabWorkflows

@Suite struct FailureDiagnosticTests {
  @Test func `shows what the target printed, and where it failed`() {
    let output = CapturedOutput(
      stdout: CapturedStream(head: Array("hi\n".utf8), totalBytes: 3),
      stderr: CapturedStream(head: Array("no such\nfile\n".utf8), totalBytes: 13)
    )

    let diagnostic = FailureDiagnostic.make(
      arm: Arm(target: "sh", state: .warm),
      ready: .exit,
      record: record(.exited(code: 3), output)
    )

    #expect(
      diagnostic.description == """
        error: exited(3) 3 times in a row, so the run stops
            stdout | hi
            stderr | no such
            stderr | file
          at: target "sh", warm, block 2
          help: run the command by hand, or set `ready` to the condition that ends its launch
        """
    )
  }

  @Test func `shows the end of a long stream`() {
    let stream = CapturedStream(
      head: Array("first\n".utf8),
      tail: Array("last\n".utf8),
      totalBytes: 1_000_000
    )

    let diagnostic = FailureDiagnostic.make(
      arm: Arm(target: "x", state: .warm),
      ready: .exit,
      record: record(.timedOut, CapturedOutput(stdout: stream))
    )

    #expect(diagnostic.problem.hasSuffix("stdout | last"))
    #expect(diagnostic.remedy?.contains("`tty: true`") == true)
  }

  @Test func `says that nothing was printed`() {
    let diagnostic = FailureDiagnostic.make(
      arm: Arm(target: "x", state: .warm),
      ready: .exit,
      record: record(.signalled(signal: 11), CapturedOutput())
    )
    #expect(diagnostic.problem.hasSuffix("it printed nothing"))
  }

  @Test func `says with which collector a target fails`() {
    let diagnostic = FailureDiagnostic.make(
      unready: Arm(target: "x", state: .warm, kind: .probe),
      ready: .exit,
      record: record(.exited(code: 1), CapturedOutput())
    )
    #expect(diagnostic.place == "target \"x\", warm, launches with probe, block 2")
    #expect(diagnostic.problem.hasPrefix("exited(1), so that the launch has no total"))
    #expect(diagnostic.remedy?.contains("`probe_hidden: true`") == true)
  }

  @Test func `says which launch mark was waited for, and how it is made`() {
    let diagnostic = FailureDiagnostic.make(
      arm: Arm(target: "x", state: .warm),
      ready: .mark(name: "first frame"),
      record: record(.timedOut, CapturedOutput())
    )
    #expect(
      diagnostic.remedy
        == "raise `timeout`, or call `launch_mark(\"first frame\")` of launch_marks.h in the "
        + "program; it did not make the launch mark \"first frame\" in time"
    )
    let exited = FailureDiagnostic.make(
      arm: Arm(target: "x", state: .warm),
      ready: .mark(name: "ready"),
      record: record(.exited(code: 0), CapturedOutput())
    )
    #expect(exited.remedy?.contains("call `launch_ready()` of launch_marks.h") == true)
  }

  private func record(_ outcome: Outcome, _ output: CapturedOutput) -> LaunchRecord {
    LaunchRecord(
      block: 2,
      position: 0,
      arm: 0,
      startedAt: .zero,
      preparation: Preparation(),
      result: LaunchResult(outcome: outcome, output: output),
      stateReached: .reached
    )
  }
}
