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
          help: did you mean `launchlab measure --timeout 3s true`? see `launchlab measure --help`

        """
    ),
    Case(
      words: ["measure", "--timeut=3 s", "git", "--version"],
      text: """
        error: unknown option `--timeut`
          help: did you mean `launchlab measure '--timeout=3 s' git --version`? see `launchlab measure --help`

        """
    ),
    Case(
      words: ["measure", "--launches", "3"],
      text: """
        error: missing the command
          help: try `launchlab measure --launches 3 perl -e 0`

        """
    ),
    Case(
      words: ["runs", "exclude", "2026"],
      text: """
        error: missing `--reason <text>`
          help: try `launchlab runs exclude 2026 --reason TEXT`; see `launchlab runs exclude --help`

        """
    ),
    Case(
      words: ["sh", "-c", "true"],
      text: """
        error: unknown command "sh"
          help: try `launchlab measure sh -c true`; see `launchlab --help`

        """
    ),
    Case(
      words: ["measure", "shop.yml"],
      text: """
        error: shop.yml is no program
          help: try `launchlab run shop.yml`

        """
    ),
    Case(
      words: ["measure", "ls -l", "sh -c true"],
      text: """
        error: there are several commands
          help: try `launchlab compare 'ls -l' 'sh -c true'`

        """
    ),
    Case(
      words: ["measure", "--style", "basic", "-r", "3", "ls"],
      text: """
        error: launchlab cannot use `--style` of hyperfine: colours depend on the terminal and on NO_COLOR
          help: try `launchlab measure --launches 3 ls`

        """
    ),
    Case(
      words: ["measure", "-m", "10", "ls", "-m"],
      text: """
        error: launchlab cannot use `--min-runs` of hyperfine: it makes a fixed number of launches
          help: try `launchlab measure --launches 10 ls -m`

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
        error: missing the command
          help: try `launchlab measure perl -e 0`

        """
    ),
  ]

  @Test(arguments: cases)
  func `says what is wrong, and what to type instead`(_ test: Case) throws {
    let error = try #require(throws: (any Error).self) {
      _ = try TypedWords.parsed(test.words)
    }
    let text = DiagnosticText(
      [UsageError(error, words: test.words).diagnostic],
      style: TextStyle(usesColor: false, width: 120)
    )
    #expect(text.rendered() == test.text)
  }
}
