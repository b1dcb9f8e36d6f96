import ArgumentParser
import History
import LaunchCore
import Measuring

extension Launchlab {
  /// Takes what other tools measured into the store.
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Import results of hyperfine, or values from a CSV file, as nights.",
      usage: "launchlab import [<options>] <file> ...",
      discussion: """
        A hyperfine result becomes one run, and each of its commands a target:
          hyperfine --export-json night.json './app --version'
          launchlab import night.json --scenario app

        A CSV file has a header, and a time and a value on each line; lines with the same time \
        form one run. The columns unit, target, state, metric, commit and host are optional:
          time,value,unit,commit
          2026-11-20,12.5,ms,4f2a91c
          2026-11-21T04:30:00Z,12.7,ms,8b07d3e
          launchlab import app.csv --scenario app

        Other column names, times in seconds since 1970, and no unit column:
          launchlab import graph.csv --time-column push_timestamp --unit ms

        If a file has an error, nothing is stored. Values imported before are skipped.

        The newest night is judged by its history: a level that got worse is an alert, which \
        `launchlab report` shows and `launchlab ack` accepts as the baseline.
        """
    )

    @Argument(help: .init("Files to import.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
      help: .init(
        "Input format: hyperfine or csv (default: by the file extension, .json or .csv).",
        valueName: "format"
      )
    )
    var format: ImportFormat?

    @Option(
      help: .init("Name of the scenario (default: the name of the only file).", valueName: "name")
    )
    var scenario: String?

    @Option(file: "SQLite database to write (default: .launchlab/launchlab.sqlite).")
    var store: String?

    @Option(
      help: .init(
        "Date of the hyperfine run, in ISO 8601 (default: when the file was written).",
        valueName: "date"
      )
    )
    var date: String?

    @Option(
      help: .init(
        "Name of the target (default: from the command or the file name).",
        valueName: "name"
      )
    )
    var target: String?

    @Option(
      help: .init(
        "Launch state of the values: reboot-cold, reinstall-cold, first-run or warm.",
        valueName: "state"
      )
    )
    var state = "warm"

    @Option(help: .init("Commit that was measured.", valueName: "commit"))
    var commit: String?

    @Option(
      help: .init(
        "Name of the host. Values from different hosts are never compared.",
        valueName: "name"
      )
    )
    var host = "imported"

    @Option(help: .init("Unit of the CSV values, such as ms, s, B or MiB.", valueName: "unit"))
    var unit: String?

    @Option(help: .init("Name of the CSV column with the time.", valueName: "column"))
    var timeColumn = "time"

    @Option(help: .init("Name of the CSV column with the values.", valueName: "column"))
    var valueColumn = "value"

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      let request = ImportRequest(
        files: files,
        format: format,
        scenario: scenario,
        store: store,
        options: try options
      )
      let summary = try ImportWorkflow(request, in: .live).run()
      try console.write(ImportText(summary, style: console.resultStyle).rendered())
      console.show(summary.warnings)
    }

    private static var states: String {
      "one of " + LaunchState.allCases.map(\.rawValue).joined(separator: ", ")
    }

    private var options: ImportOptions {
      get throws {
        ImportOptions(
          target: target,
          state: try known("--state", state, LaunchState.init(rawValue:), Self.states),
          commit: commit,
          host: host,
          date: try date.map {
            try known("--date", $0, ImportedTime.date, "a date such as 2026-11-21T04:30:00Z")
          },
          unit: try unit.map {
            try known("--unit", $0, ImportedUnit.init, "one of \(ImportedUnit.list)")
          },
          timeColumn: timeColumn,
          valueColumn: valueColumn
        )
      }
    }

    private func known<Value>(
      _ option: String,
      _ text: String,
      _ read: (String) -> Value?,
      _ expected: String
    ) throws -> Value {
      guard let value = read(text) else {
        throw WorkflowError.badOption(name: option, value: text, expected: expected)
      }
      return value
    }
  }
}

extension ImportFormat: ExpressibleByArgument {}
