import ArgumentParser
import Testing

@testable import Rendering
@testable import launchlab

@Suite struct UsageErrorTests {
  struct Case: CustomTestStringConvertible {
    let words: [String]
    let text: String
    var testDescription: String { words.joined(separator: " ") }
  }

  static let cases = [
    Case(
      words: ["mesure", "--", "true"],
      text: """
        error: unknown command "mesure"
          help: did you mean `launchlab measure`? see `launchlab --help`

        """
    ),
    Case(
      words: ["runs", "exclud", "x"],
      text: """
        error: unknown command "exclud"
          help: did you mean `launchlab runs exclude`? see `launchlab runs --help`

        """
    ),
    Case(
      words: ["measure", "--timeut", "3s", "--", "true"],
      text: """
        error: unknown option `--timeut`
          help: did you mean `--timeout`? see `launchlab measure --help`

        """
    ),
    Case(
      words: ["measure", "--foo", "--", "true"],
      text: """
        error: unknown option `--foo`
          help: see `launchlab measure --help`

        """
    ),
    Case(
      words: ["why"],
      text: """
        error: missing `<alert>`
          help: see `launchlab why --help`

        """
    ),
    Case(
      words: ["measure", "--launches", "x", "--", "true"],
      text: """
        error: invalid value "x" for --launches
          help: give a whole number; see `launchlab measure --help`

        """
    ),
    Case(
      words: ["export", "--format", "xml"],
      text: """
        error: invalid value "xml" for --format
          help: use one of `jsonl` and `csv`; see `launchlab export --help`

        """
    ),
    Case(
      words: ["measure"],
      text: """
        error: missing the command after --
          help: try `launchlab measure -- perl -e 0`

        """
    ),
  ]

  @Test(arguments: cases)
  func `says what is wrong, and what to type instead`(_ test: Case) throws {
    let error = try #require(throws: (any Error).self) {
      _ = try Launchlab.parseAsRoot(test.words)
    }
    let text = DiagnosticText(
      [UsageError(error, words: test.words).diagnostic],
      style: TextStyle(usesColor: false, width: 80)
    )
    #expect(text.rendered() == test.text)
  }
}
