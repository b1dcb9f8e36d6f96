import Foundation
import LabTestSupport
import Testing

/// What scripts/test and .ci/run make of tests that fail or are skipped, with a swift of the test's own.
@Suite(.temporaryDirectory) struct TestScriptTests {
  private static let passed = "✔ Test run with 3 tests in 1 suite passed after 0.1 seconds."
  private static let skipped = """
    ➜ Suite WebhookTests skipped: "curl is missing"
    ➜ Test "posts the JSON as it is" skipped: "curl is missing"
    ➜ Test "needs \\"node\\"" skipped: "node of its makers is not installed"
    ➜ Test withoutReason() skipped.
    \(passed)
    """

  private func run(
    _ script: String,
    output: String,
    status: Int32 = 0,
    in lab: Launchlab = Launchlab()
  ) throws -> Tool.Output {
    for name in ["scripts", ".ci"] {
      try FileManager.default.copyItem(
        at: Repository.root.appending(path: name),
        to: URL(filePath: lab.path(name))
      )
    }
    try lab.write(output + "\n", to: "output")
    let tools = [
      "swift": """
      case "$*" in
      test*) echo "$*" > tested; cat output; exit \(status) ;;
      esac
      """, "swiftc": "echo \"x.a(y.o): warning: the use of \\`mktemp' is dangerous, use mkstemp\"",
      "dpkg-query": "echo installed", "cc": ":", "tsc": ":",
    ]
    for (name, text) in tools {
      try lab.write("#!/bin/bash\n\(text)\n", to: "bin/\(name)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755],
        ofItemAtPath: lab.path("bin/\(name)")
      )
    }
    let path = "\(lab.path("bin")):/usr/bin:/bin:/usr/sbin:/sbin"
    return try Tool.run("bash", ["-c", script], in: lab.directory, environment: ["PATH": path])
  }

  @Test func `lists skipped tests with their reasons at the end`() throws {
    let output = try run("scripts/test", output: Self.skipped)
    #expect(output.status == 0)
    #expect(
      output.stdout.hasSuffix(
        """
        \(Self.passed)
        skipped tests: 3
          "posts the JSON as it is": curl is missing
          withoutReason(): no reason
          "needs \\"node\\"": node of its makers is not installed

        """
      ),
      "\(output.stdout)"
    )
  }

  @Test func `fails in the pipeline on a skip that nobody expects`() throws {
    let output = try run(".ci/run", output: Self.skipped)
    #expect(output.status == 1)
    #expect(output.stdout.contains("\n\(Self.passed)\n"))
    #expect(output.stderr.contains("error: tests were skipped"))
    #expect(output.stderr.contains("\n  curl is missing\n  no reason\n  help: "))
    #expect(!output.stderr.contains("node"))
  }

  @Test func `passes in the pipeline with the skips that it expects`() throws {
    let node = "➜ Test \"a\" skipped: \"node of its makers is not installed\"\n"
    let output = try run(".ci/run", output: node + Self.passed)
    #expect(output.status == 0, "\(output.stderr)")
    #expect(output.stdout.contains("\n\(Self.passed)\nskipped tests: 1\n"))
    #expect(!(output.stdout + output.stderr).contains("mktemp"))
  }

  @Test(arguments: ["scripts/test", ".ci/run"])
  func `fails as the tests do`(script: String) throws {
    let output = try run(script, output: "✘ Test run with 3 tests failed", status: 3)
    #expect(output.status == 3)
    #expect(output.stdout.contains("✘ Test run with 3 tests failed\nskipped tests: 0\n"))
  }

  @Test(arguments: [
    ("scripts/test", true), ("scripts/test --all", false), ("scripts/test --filter Bisect", false),
    (".ci/run", false),
  ])
  func `leaves real launches out unless all or some are asked for`(
    script: String,
    leavesOut: Bool
  ) throws {
    let lab = Launchlab()
    _ = try run(script, output: Self.passed, in: lab)
    let tested = try String(contentsOfFile: lab.path("tested"), encoding: .utf8)
    #expect(tested.contains("--skip ^LaunchlabIntegrationTests") == leavesOut, "\(tested)")
  }
}
