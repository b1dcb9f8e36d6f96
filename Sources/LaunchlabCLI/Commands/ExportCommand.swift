import ArgumentParser
import LabReport
import LabWorkflows

extension Launchlab {
  /// Prints what is stored: launches, nights or alerts.
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints stored launches, nights or alerts, as JSON lines or CSV.",
      discussion: """
        Launches are those of one run, named by its id, or by the beginning of it; without one the \
        newest is taken:
          launchlab export --format csv > launches.csv

        Nights are the values that trends are made of, one line per night, target, state and metric:
          launchlab export --what nights --scenario redis --format csv > nights.csv

        Alerts come with everything that happened to them, as JSON only:
          launchlab export --what alerts > alerts.jsonl
        """
    )

    @Argument(help: ArgumentHelp("The id of the run, or its beginning.", valueName: "run"))
    var id: String?

    @Option(help: "What to export: launches, nights or alerts.")
    var what = ExportRequest.Subject.launches

    @Flag(help: "Export every run of the store, oldest first.")
    var all = false

    @Option(help: "Export what belongs to this scenario <name> only.")
    var scenario: String?

    @Option(help: "The format: jsonl (JSON lines) or csv.")
    var format = Format.jsonl

    @Option(
      help: "Read this SQLite <file> (default: .launchlab/launchlab.sqlite).",
      completion: .file()
    )
    var store: String?

    @Option(name: .shortAndLong, help: "Write to <file> instead of stdout.", completion: .file())
    var output = "-"

    /// A format of exported launches and nights.
    enum Format: String, ExpressibleByArgument, CaseIterable {
      case jsonl
      case csv
    }

    func validate() throws {
      if all, id != nil { throw ValidationError("give a run or --all, not both") }
      if what == .alerts, id != nil {
        throw ValidationError("alerts belong to no single run; choose them with --scenario")
      }
    }

    func run() async throws {
      let request = ExportRequest(
        subject: what,
        run: id,
        all: all,
        scenario: scenario,
        isCSV: format == .csv
      )
      let workflow = try ExportWorkflow(store: store)
      try workflow.files.writing(output, as: "--output").check()
      try ResultFile(output).write { sink in try workflow.write(request, to: sink) }
    }
  }
}

extension ExportRequest.Subject: ExpressibleByArgument {}
