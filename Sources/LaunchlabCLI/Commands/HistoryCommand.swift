import ArgumentParser
import LabReport
import LabWorkflows

extension Launchlab {
  /// Lists the stored runs.
  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists what was run, newest first.",
      discussion: """
        A run that was excluded with `launchlab runs exclude` is marked; one that was removed is \
        listed with --all only.
        """
    )

    @Option(help: "Show at most this <number> of runs.")
    var limit = 20

    @Option(help: "Show the runs of this scenario <name> only.")
    var scenario: String?

    @Flag(help: "List removed runs too.")
    var all = false

    @Option(
      help: "Read this SQLite <file> (default: .launchlab/launchlab.sqlite).",
      completion: .file()
    )
    var store: String?

    @Option(help: "Write the list as JSON to <file>; - means stdout.", completion: .file())
    var json: String?

    func validate() throws {
      guard limit > 0 else { throw ValidationError("--limit must be at least 1, not \(limit)") }
    }

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      let workflow = try HistoryWorkflow(store: store)
      try workflow.files.writing(json, as: "--json").check()
      let runs = try workflow.runs(limit: limit, scenario: scenario, includesRemoved: all)
      if let json { return try ResultFile(json).write { try HistoryJSON(runs).write(to: $0) } }
      try console.write(HistoryText(runs, style: console.resultStyle).rendered())
    }
  }
}
