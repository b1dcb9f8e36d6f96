import LabTestSupport
import Testing

@testable import LabChecks
@testable import LaunchCore
@testable import Rendering

@Suite struct ProbeSweepReportTests {
  private static let programs = [
    SweptProgram(path: "/usr/bin/a", arguments: ["--version"], verdict: .same),
    SweptProgram(
      path: "/usr/bin/b",
      arguments: ["--help"],
      verdict: .differsWithProbe,
      difference: .init(place: "stderr, line 1", plain: nil, other: "ERROR: \u{1B}[31mld.so")
    ),
    SweptProgram(
      path: "/usr/bin/c",
      arguments: ["--version"],
      verdict: .differsByItself,
      difference: .init(place: "stdout, line 1", plain: "pid 1", other: "pid 2")
    ),
    SweptProgram(
      path: "/usr/bin/go",
      verdict: .notProbed,
      reason: "/usr/bin/go is a static Go program, which no loader prepares"
    ),
    SweptProgram(
      path: "/usr/bin/gofmt",
      verdict: .notProbed,
      reason: "/usr/bin/gofmt is a static Go program, which no loader prepares"
    ),
    SweptProgram(path: "/usr/sbin/reboot", verdict: .leftOut, reason: "may change the machine"),
  ]

  @Test func `writes a table`() throws {
    let text = ProbeSweepText(Self.programs, style: TextStyle(width: 80)).rendered()
    try expectSnapshot(text, named: "text", suite: "ProbeSweep")
  }

  @Test func `writes JSON`() throws {
    let text = ProbeSweepJSON(Self.programs, notes: ["programs were run as nobody"]).rendered()
    try expectSnapshot(text, named: "json", suite: "ProbeSweep")
  }
}
