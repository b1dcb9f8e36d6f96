import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Takes what other tools measured into the store.
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Imports the results of hyperfine, or values of a CSV file, as nights of a history.",
      discussion: """
        A result of hyperfine becomes one run, and each of its commands a target:
          hyperfine --export-json night.json './app --version'
          launchlab import night.json --scenario app

        A CSV file has a header, a time and a value on each line; lines of one time form one run. \
        The columns unit, target, state, metric, commit and host are read too, where there are any:
          time,value,unit,commit
          2026-11-20,12.5,ms,4f2a91c
          2026-11-21T04:30:00Z,12.7,ms,8b07d3e
          launchlab import app.csv --scenario app

        Other names of columns, seconds since 1970, and no unit:
          launchlab import graph.csv --time-column push_timestamp --unit ms

        Nothing is stored when a file has a mistake. Values that were imported before are skipped.
        """
    )

    @Argument(help: "The files.", completion: .file())
    var files: [String]

    @Option(help: "The format: hyperfine or csv (default: by the extension, .json or .csv).")
    var format: ImportFormat?

    @Option(help: "The <name> of the scenario (default: the name of the only file).")
    var scenario: String?

    @Option(
      help: "Store in this SQLite <file> (default: .launchlab/launchlab.sqlite).",
      completion: .file()
    )
    var store: String?

    @Option(help: "When hyperfine ran, as an ISO 8601 <date> (default: when the file was written).")
    var date: String?

    @Option(help: "The <name> of the target (default: from the command or the name of the file).")
    var target: String?

    @Option(
      help: "The launch <state> of the values: reboot-cold, reinstall-cold, first-run or warm."
    )
    var state = "warm"

    @Option(help: "The <commit> that was measured.")
    var commit: String?

    @Option(help: "The <name> of the host; values of different hosts are never compared.")
    var host = "imported"

    @Option(help: "The <unit> of CSV values, such as ms, s, B or MiB.")
    var unit: String?

    @Option(help: "The <name> of the CSV column that tells the time.")
    var timeColumn = "time"

    @Option(help: "The <name> of the CSV column that holds the values.")
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
      let summary = try ImportWorkflow(request: request).run()
      try console.write(ImportText(summary).rendered())
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
