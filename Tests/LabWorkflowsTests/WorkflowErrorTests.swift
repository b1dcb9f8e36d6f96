import Testing

@testable import LaunchCore
@testable import Measuring

@Suite struct WorkflowErrorTests {
  /// An error with its text and exit code.
  struct Case: Sendable {
    let error: WorkflowError
    let text: String
    let code: LabExitCode
  }

  @Test(arguments: [
    Case(
      error: .cannotResume(id: "2026", reason: "it is complete"),
      text: """
        error: cannot resume run "2026": it is complete
          help: list the runs with `launchlab history`, or start a new one without --resume
        """,
      code: .usage
    ),
    Case(
      error: .fileExists(path: "a.yml"),
      text: """
        error: "a.yml" exists already
          at: a.yml
          help: give another path with --output, or replace it with --force
        """,
      code: .usage
    ),
    Case(
      error: .nothingStored(store: "/x.sqlite"),
      text: """
        error: no run is stored
          at: /x.sqlite
          help: make one with `launchlab run scenario.yml`, or name its store with --store
        """,
      code: .couldNotMeasure
    ),
    Case(
      error: .ambiguousRun("20", candidates: ["20-a", "20-b"]),
      text: """
        error: 2 runs begin with "20"
          help: give more of the id, such as 20-a, 20-b
        """,
      code: .usage
    ),
  ])
  func `tells the problem, its place and the remedy`(_ test: Case) {
    #expect(test.error.diagnostics.map(\.description) == [test.text])
    #expect(test.error.exitCode == test.code)
  }
}
