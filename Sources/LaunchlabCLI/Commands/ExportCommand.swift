import ArgumentParser
import LabReport
import LabWorkflows

extension Launchlab {
  /// Prints every stored launch of a run.
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints every launch of a run, as JSON lines or CSV.",
      discussion: """
        The run is named by its id, or by the beginning of it; without one the newest is taken.
          launchlab export --format csv > launches.csv
        """
    )

    @Argument(help: ArgumentHelp("The id of the run, or its beginning.", valueName: "run"))
    var id: String?

    @Flag(help: "Export every run of the store, oldest first.")
    var all = false

    @Option(help: "The format: jsonl (JSON lines) or csv.")
    var format = Format.jsonl

    @Option(
      help: "Read this SQLite <file> (default: .launchlab/launchlab.sqlite).",
      completion: .file()
    )
    var store: String?

    @Option(name: .shortAndLong, help: "Write to <file> instead of stdout.", completion: .file())
    var output = "-"

    /// A format of exported launches.
    enum Format: String, ExpressibleByArgument, CaseIterable {
      case jsonl
      case csv
    }

    func validate() throws {
      if all, id != nil { throw ValidationError("give a run or --all, not both") }
    }

    func run() async throws {
      let workflow = try ExportWorkflow(store: store)
      try ResultFile(output).write { sink in
        try workflow.write(id, all: all, asCSV: format == .csv, to: sink)
      }
    }
  }
}
