import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Outputs that are files which a command reads, or writes elsewhere.
  @Suite struct OutputFileTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
      /// The words of the command; `%` stands for the directory of the test.
      var words: String

      /// Two parts of the message, in their order.
      var first: String
      var second: String

      var testDescription: String { words }
    }

    private static let store = "the store \"%/x.sqlite\""

    private static let mistakes = [
      Mistake(
        words: "measure --store x.sqlite --json x.sqlite -- ./program",
        first: "--json",
        second: store
      ),
      Mistake(
        words: "measure --store x.sqlite --json link -- ./program",
        first: "--json \"link\"",
        second: store
      ),
      Mistake(
        words: "measure --store x.sqlite --json hard -- ./program",
        first: "--json \"hard\"",
        second: store
      ),
      Mistake(
        words: "measure --store link --json x.sqlite -- ./program",
        first: "--json",
        second: "the store"
      ),
      Mistake(
        words: "measure --store x.sqlite --json x.sqlite-wal -- ./program",
        first: "--json",
        second: "the store's -wal file"
      ),
      Mistake(
        words: "measure --store new --json ./new -- ./program",
        first: "--json",
        second: "the store"
      ),
      Mistake(
        words: "measure --store dangling --json to-come -- ./program",
        first: "--json",
        second: "the store"
      ),
      Mistake(
        words: "measure --store x.sqlite --export-hyperfine x.sqlite -- ./program",
        first: "--export-hyperfine",
        second: store
      ),
      Mistake(
        words: "measure --store x.sqlite --json program -- ./program",
        first: "--json",
        second: "the program of target \"program\" \"%/program\""
      ),
      Mistake(
        words: "measure --store x.sqlite --json data --files data -- ./program",
        first: "--json",
        second: "the file of target"
      ),
      Mistake(
        words: "measure --store x.sqlite --json data -- ./program data",
        first: "--json",
        second: "an argument of target"
      ),
      Mistake(
        words: "measure --store x.sqlite --json a --export-hyperfine ../%NAME/a -- ./program",
        first: "--json \"a\"",
        second: "--export-hyperfine"
      ),
      Mistake(
        words: "measure --store x.sqlite --json - --export-hyperfine - -- ./program",
        first: "--json",
        second: "--export-hyperfine cannot both be written to stdout"
      ),
      Mistake(
        words: "measure --store x.sqlite --dry-run --json x.sqlite -- ./program",
        first: "--json",
        second: store
      ),
      Mistake(
        words: "run scenario.yml --store x.sqlite --json x.sqlite",
        first: "--json",
        second: store
      ),
      Mistake(
        words: "run scenario.yml --json scenario.yml",
        first: "--json",
        second: "the scenario"
      ),
      Mistake(
        words: "run scenario.yml --store report/latest.md",
        first: "the store",
        second: "the report"
      ),
      Mistake(
        words: "run scenario.yml --report . --store index.html",
        first: "the store",
        second: "the report"
      ),
      Mistake(
        words: "run scenario.yml --json report/2026-03-04.md",
        first: "--json",
        second: "is one of the files of the report"
      ),
      Mistake(
        words: "run scenario.yml --json state/x.json",
        first: "--json",
        second: "the state directory of target"
      ),
      Mistake(
        words: "compare --store x.sqlite --json x.sqlite ./program ./program",
        first: "--json",
        second: store
      ),
      Mistake(
        words: "compare --store x.sqlite --json x.sqlite last last~1",
        first: "--json",
        second: store
      ),
      Mistake(words: "export --store x.sqlite -o x.sqlite", first: "--output", second: store),
      Mistake(words: "export --store x.sqlite -o hard", first: "--output", second: store),
      Mistake(words: "history --store x.sqlite --json link", first: "--json", second: store),
      Mistake(words: "why R-1 --store x.sqlite --json x.sqlite", first: "--json", second: store),
      Mistake(words: "replay --store x.sqlite --json x.sqlite", first: "--json", second: store),
      Mistake(
        words: "report --store night.sqlite --json night.sqlite",
        first: "--json",
        second: "the store"
      ),
      Mistake(
        words: "report --store night.sqlite --json report/latest.md",
        first: "--json",
        second: "the report"
      ),
      Mistake(
        words: "report --store night.sqlite --template report/latest.md",
        first: "the template",
        second: "the report"
      ),
      Mistake(words: "stages --json a --trace a -- ./program", first: "--json", second: "--trace"),
      Mistake(
        words: "stages --trace program -- ./program",
        first: "--trace",
        second: "the program"
      ),
      Mistake(words: "stages --parse data --json data", first: "--json", second: "--parse"),
      Mistake(
        words: "selftest --store s --json s -- ./program",
        first: "--json",
        second: "the store"
      ),
      Mistake(words: "selftest --compare data --json data", first: "--json", second: "--compare"),
      Mistake(
        words: "bisect --artifacts versions --store x.sqlite --json x.sqlite -- app",
        first: "--json",
        second: store
      ),
      Mistake(
        words: "bisect --artifacts versions --markdown versions/v1 -- app",
        first: "--markdown",
        second: "is one of the files of the artifacts"
      ),
      Mistake(
        words: "bisect --artifacts versions --json a --git-log a -- app",
        first: "--json",
        second: "--git-log"
      ),
      Mistake(words: "bisect --replay data --json data", first: "--json", second: "--replay"),
      Mistake(words: "import empty.csv --store empty.csv", first: "the file", second: "the store"),
      Mistake(
        words: "doctor --json x.sqlite",
        first: "--json",
        second: "would replace an SQLite database"
      ),
      Mistake(
        words: "restore --json hard",
        first: "--json",
        second: "would replace an SQLite database"
      ),
      Mistake(
        words: "init --force -o x.sqlite",
        first: "--output",
        second: "would replace an SQLite database"
      ),
      Mistake(
        words: "init --force -o program -- ./program",
        first: "--output",
        second: "the program"
      ),
    ]

    @Test(arguments: mistakes)
    func `writes no output over a file that is read or written as another`(
      _ mistake: Mistake
    ) async throws {
      let lab = Launchlab()
      try await prepare(lab)
      let before = lab.contents
      let name = (lab.directory as NSString).lastPathComponent
      let filled = { (text: String) in
        text.replacing("%NAME", with: name).replacing("%", with: lab.directory)
      }

      let output = try await lab.start(
        filled(mistake.words).split(separator: " ").map(String.init)
      ).finish()

      #expect(output.status == 64, "\(output.stderr)")
      let line = try #require(output.stderr.split(separator: "\n").first)
      #expect(line.hasPrefix("error: "))
      let first = try #require(line.range(of: filled(mistake.first)), "\(line)")
      #expect(line[first.upperBound...].contains(filled(mistake.second)), "\(line)")
      #expect(output.stderr.contains("  help: give "))
      // Reading a store makes files beside it.
      let after = lab.contents.filter { path, _ in
        !path.hasPrefix(".lab") && !path.hasSuffix("-shm") && !path.hasSuffix("-wal")
      }
      #expect(after == before)
    }

    @Test func `lets a device be named twice, and results be written where nothing is`()
      async throws
    {
      let lab = Launchlab()
      try await prepare(lab)
      let devices = try await lab.run(
        "measure",
        "--launches",
        "2",
        "--store",
        "x.sqlite",
        "--json",
        "/dev/null",
        "--export-hyperfine",
        "/dev/null",
        "--",
        "./program"
      )
      #expect(devices.status == 0, "\(devices.stderr)")
      let files = try await lab.run(
        "measure",
        "--launches",
        "2",
        "--store",
        "x.sqlite",
        "--json",
        "result.json",
        "--export-hyperfine",
        "-",
        "--",
        "./program"
      )
      #expect(files.status == 0, "\(files.stderr)")
      #expect(lab.exists("result.json"))
      let again = try await lab.run("history", "--store", "x.sqlite", "--json", "result.json")
      #expect(again.status == 0, "\(again.stderr)")
    }

    /// Two stores, with links to the first, and files of every kind that a command reads.
    private func prepare(_ lab: Launchlab) async throws {
      try lab.writeProgram("exit 0")
      try lab.write("1 2 3\n", to: "data")
      try lab.write("", to: "empty.csv")
      for version in ["v1", "v2"] { try lab.writeProgram("exit 0", to: "versions/\(version)") }
      try lab.write(
        """
        scenario: files
        targets:
          program: {command: [./program], state: [state]}
        states: [first-run]
        launches: 5
        """,
        to: "scenario.yml"
      )
      try FileManager.default.createDirectory(
        atPath: lab.path("state"),
        withIntermediateDirectories: false
      )
      try lab.write("time,value,unit\n2026-01-02,1,ms\n2026-01-03,1,ms\n", to: "night.csv")
      for store in ["night.sqlite", "x.sqlite"] {
        let night = try await lab.start([
          "import", "night.csv", "--scenario", "files", "--store", store,
        ]).finish()
        try #require(night.status == 0, "\(night.stderr)")
      }
      let files = FileManager.default
      try files.createSymbolicLink(atPath: lab.path("link"), withDestinationPath: "x.sqlite")
      try files.linkItem(atPath: lab.path("x.sqlite"), toPath: lab.path("hard"))
      try files.createSymbolicLink(atPath: lab.path("dangling"), withDestinationPath: "to-come")
    }
  }
}
