import ArgumentParser
import History
import Measuring

extension Launchlab {
  /// Lists the stored runs.
  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "history",
      abstract: "List stored runs, newest first.",
      usage: "launchlab history [<options>]",
      discussion: """
        Runs excluded with `launchlab runs exclude` are marked; removed ones are listed only with \
        --all.
        """
    )

    @Option(help: .init("Maximum number of runs to show.", valueName: "number"))
    var limit = 20

    @Option(help: .init("Show only runs of this scenario.", valueName: "name"))
    var scenario: String?

    @Flag(help: "Include removed runs.")
    var all = false

    @OptionGroup var stored: StoredOptions

    @Option(file: "Write the list as JSON; - is stdout.") var json: String?

    func validate() throws {
      guard limit > 0 else { throw ValidationError("--limit must be at least 1, not \(limit)") }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let workflow = try HistoryWorkflow(
        store: try await stored.path(scenario: scenario, on: console),
        in: .live
      )
      try workflow.files.writing(json, as: "--json").check()
      let runs = try workflow.runs(limit: limit, scenario: scenario, includesRemoved: all)
      if let json { return try ResultFile(json).write(HistoryJSON(runs)) }
      try console.write(HistoryText(runs, style: console.resultStyle).rendered())
    }
  }
}
