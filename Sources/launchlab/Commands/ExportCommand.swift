import ArgumentParser
import History
import Measuring

extension Launchlab {
  /// Prints what is stored: launches, nights or alerts.
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Export stored launches, nights or alerts as JSON lines or CSV.",
      usage: "launchlab export [<options>] [<run>]",
      discussion: """
        Launches of one run, given by the start of its id (default: the newest run):
          launchlab export --format csv > launches.csv

        Nights are the values behind the trends, one line per night, target, state and metric:
          launchlab export --what nights --scenario redis --format csv > nights.csv

        Alerts with their whole history, as JSON only:
          launchlab export --what alerts > alerts.jsonl
        """
    )

    @Argument(help: ArgumentHelp("The id of the run, or its beginning.", valueName: "run"))
    var id: String?

    @Option(help: .init("What to export.", valueName: "what"))
    var what = ExportRequest.Subject.launches

    @Flag(help: "Export every stored run, oldest first.")
    var all = false

    @Option(help: .init("Export only this scenario.", valueName: "name"))
    var scenario: String?

    @Option(help: .init("Output format; jsonl is JSON lines.", valueName: "format"))
    var format = ExportRequest.Format.jsonl

    @OptionGroup var stored: StoredOptions

    @Option(
      name: .shortAndLong,
      help: .init("Output file; - is stdout.", valueName: "file"),
      completion: .file()
    )
    var output = "-"

    func validate() throws {
      if all, id != nil { throw ValidationError("give a run or --all, not both") }
      if what == .alerts, id != nil {
        throw ValidationError("alerts do not belong to a run; select them with --scenario")
      }
    }

    func run() async throws {
      let request = ExportRequest(
        subject: what,
        run: id,
        all: all,
        scenario: scenario,
        format: format
      )
      let workflow = try ExportWorkflow(
        store: try await stored.path(scenario: scenario, on: .standard),
        in: .live
      )
      try workflow.files.writing(output, as: "--output").check()
      try ResultFile(output).write { sink in try workflow.write(request, to: sink) }
    }
  }
}

extension ExportRequest.Subject: ExpressibleByArgument {}
extension ExportRequest.Format: ExpressibleByArgument {}
