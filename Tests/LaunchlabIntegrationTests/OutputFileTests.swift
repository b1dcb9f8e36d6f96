import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Outputs that are files which a command reads, or writes elsewhere.
  @Suite struct OutputFileTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
      var words: String
      var first: String
      var second: String

      var testDescription: String { words }
    }

    /// Words of a command and two parts of its message, in their order; `%` stands for the directory of
    /// the test, `STORE` for the words about its store.
    private static let mistakes = """
      measure --store x.sqlite --json x.sqlite -- ./program | --json | STORE
      measure --store x.sqlite --json link -- ./program | --json "link" | STORE
      measure --store x.sqlite --json hard -- ./program | --json "hard" | STORE
      measure --store link --json x.sqlite -- ./program | --json | the store
      measure --store x.sqlite --json x.sqlite-wal -- ./program | --json | the store's -wal file
      measure --store new --json ./new -- ./program | --json | the store
      measure --store dangling --json to-come -- ./program | --json | the store
      measure --store x.sqlite --export-hyperfine x.sqlite -- ./program | --export-hyperfine | STORE
      measure --store x.sqlite --json program -- ./program \
        | --json | the program of target "program" "%/program"
      measure --store x.sqlite --json data --files data -- ./program | --json | the file of target
      measure --store x.sqlite --json data -- ./program data | --json | an argument of target
      measure --store x.sqlite --json a --export-hyperfine ../%NAME/a -- ./program \
        | --json "a" | --export-hyperfine
      measure --store x.sqlite --json - --export-hyperfine - -- ./program \
        | --json | --export-hyperfine cannot both be written to stdout
      measure --store x.sqlite --dry-run --json x.sqlite -- ./program | --json | STORE
      run scenario.yml --store x.sqlite --json x.sqlite | --json | STORE
      run scenario.yml --json scenario.yml | --json | the scenario
      run scenario.yml --store report/latest.md | the store | the report
      run scenario.yml --report . --store index.html | the store | the report
      run scenario.yml --json report/2026-03-04.md | --json | is one of the files of the report
      run scenario.yml --json state/x.json | --json | the state directory of target
      compare --store x.sqlite --json x.sqlite ./program ./program | --json | STORE
      compare --store x.sqlite --json x.sqlite last last~1 | --json | STORE
      export --store x.sqlite -o x.sqlite | --output | STORE
      export --store x.sqlite -o hard | --output | STORE
      history --store x.sqlite --json link | --json | STORE
      why R-1 --store x.sqlite --json x.sqlite | --json | STORE
      replay --store x.sqlite --json x.sqlite | --json | STORE
      report --store night.sqlite --json night.sqlite | --json | the store
      report --store night.sqlite --json report/latest.md | --json | the report
      report --store night.sqlite --template report/latest.md | the template | the report
      stages --json a --trace a -- ./program | --json | --trace
      stages --trace program -- ./program | --trace | the program
      stages --parse data --json data | --json | --parse
      selftest --store s --json s -- ./program | --json | the store
      selftest --compare data --json data | --json | --compare
      bisect --artifacts versions --store x.sqlite --json x.sqlite -- app | --json | STORE
      bisect --artifacts versions --markdown versions/v1 -- app \
        | --markdown | is one of the files of the artifacts
      bisect --artifacts versions --json a --git-log a -- app | --json | --git-log
      bisect --replay data --json data | --json | --replay
      import empty.csv --store empty.csv | the file | the store
      doctor --json x.sqlite | --json | would replace an SQLite database
      restore --json hard | --json | would replace an SQLite database
      init --force -o x.sqlite | --output | would replace an SQLite database
      init --force -o program -- ./program | --output | the program
      """.split(separator: "\n").map { line in
        let parts = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        return Mistake(words: parts[0], first: parts[1], second: parts[2])
      }

    @Test(arguments: mistakes)
    func `writes no output over a file that is read or written as another`(
      _ mistake: Mistake
    ) async throws {
      let lab = Launchlab()
      try await prepare(lab)
      let before = lab.contents
      let name = (lab.directory as NSString).lastPathComponent
      let filled = { (text: String) in
        text.replacing("STORE", with: "the store \"%/x.sqlite\"").replacing("%NAME", with: name)
          .replacing("%", with: lab.directory)
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
        "measure --launches 2 --store x.sqlite --json /dev/null --export-hyperfine /dev/null -- "
          + "./program"
      )
      #expect(devices.status == 0, "\(devices.stderr)")
      let files = try await lab.run(
        "measure --launches 2 --store x.sqlite --json result.json --export-hyperfine - -- ./program"
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
