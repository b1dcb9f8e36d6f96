import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite struct StoreErrorTests {
  struct Case: CustomTestStringConvertible {
    var error: StoreError
    var text: String
    var code = LabExitCode.couldNotMeasure
    var testDescription: String { text }
  }

  @Test(arguments: [
    Case(
      error: .newerSchema(path: "/lab.sqlite", found: 7, supported: 1),
      text: """
        error: the store has schema version 7, and this launchlab knows versions up to 1
          at: /lab.sqlite
          help: update launchlab, or name another file with `--store FILE`; this one was not touched
        """
    ),
    Case(
      error: .cutShort(run: "2026-a", blocks: 12, cause: .full(path: "/lab.sqlite")),
      text: """
        error: no space is left for the store; of run "2026-a", 12 blocks are stored
          at: /lab.sqlite
          help: free some space, or name a file on another disk with `--store FILE`
        """
    ),
    Case(
      error: .cutShort(run: "2026-a", blocks: 1, cause: .busy(path: "/lab.sqlite")),
      text: """
        error: the store is locked by another process; of run "2026-a", 1 block is stored
          at: /lab.sqlite
          help: wait until the other launchlab has ended, and try again
        """
    ),
    Case(
      error: .readOnly(path: "/lab.sqlite"),
      text: """
        error: cannot write to the store: it is read-only
          at: /lab.sqlite
          help: name a file in a directory that you can write to with `--store FILE`
        """
    ),
    Case(
      error: .notADatabase(path: "/letter.txt"),
      text: """
        error: the store is not an SQLite database
          at: /letter.txt
          help: name another file with `--store FILE`
        """
    ),
    Case(
      error: .missingDirectory(path: "/proc/x/", reason: "No such file"),
      text: """
        error: cannot create the directory of the store: No such file
          at: /proc/x/
          help: name a file in a directory that you can write to with `--store FILE`
        """
    ),
    Case(
      error: .unknownRun(text: "2027"),
      text: """
        error: no stored run begins with "2027"
          help: list the stored runs with `launchlab history`
        """,
      code: .usage
    ),
    Case(
      error: .unknownAlert(number: 17),
      text: """
        error: there is no alert "R-17"
          help: list the alerts with `launchlab report`
        """,
      code: .usage
    ),
    Case(
      error: .changedAlert(number: 17),
      text: """
        error: alert "R-17" was changed by another launchlab meanwhile
          help: wait until the other launchlab has ended, and try again
        """
    ),
    Case(
      error: .ambiguousRun(text: "20", matches: ["2026-a", "2026-b"]),
      text: """
        error: "20" begins the ids of several runs: 2026-a, 2026-b
          help: give more of the id
        """,
      code: .usage
    ),
  ])
  func `says what happened, where, and what to do`(example: Case) {
    #expect(example.error.diagnostics.map(\.description) == [example.text])
    #expect(example.error.exitCode == example.code)
  }
}
