import ArgumentParser
import History
import Measuring

extension Launchlab {
  /// Replays the rule of nights over the stored ones.
  struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "replay",
      abstract: "Replay the nightly rule over the stored history to tune its limits.",
      usage: "launchlab replay [<options>]",
      discussion: """
        Each stored night is judged only from the nights before it. The segmentation of the whole \
        history is taken as the truth: an alert within 3 nights of a change point has found it, \
        any other alert is a false alarm.

        To tune, look at the false alarms first: if many are of changes too small to matter, raise \
        `effect` or `floor` in the scenario's section `regression`; if they are noise, launch more \
        often each night. If it misses changes that matter, do the opposite. `--effect 2% --effect \
        5%` shows what each would have found. Nothing is stored; the rule is the one of the newest \
        night.

        A suspicion is only the first stage: `launchlab run` then launches the last good build \
        next to the new one, so fewer false alarms reach anyone.
        """
    )

    @Option(
      help: .init("First night to judge, such as 2026-10-01 (default: all).", valueName: "date")
    )
    var since: String?

    @Option(
      name: .customLong("effect"),
      help: .init(
        "Smallest change that matters, such as 3%; repeatable (default: that of the scenario).",
        valueName: "percent"
      )
    )
    var effects: [String] = []

    @Option(
      help: .init("Scenario to replay (default: that of the newest night).", valueName: "name")
    )
    var scenario: String?

    @Option(file: "SQLite database to read (default: .launchlab/launchlab.sqlite).")
    var store: String?

    @Option(file: "Write the result as JSON; - is stdout.") var json: String?

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      let workflow = try ReplayWorkflow(store: store, in: .live)
      try workflow.files.writing(json, as: "--json").check()
      let summary = try workflow.summary(scenario: scenario, since: since, effects: effects)
      if let json {
        return try ResultFile(json).write(ReplayJSON(summary))
      }
      try console.write(ReplayText(summary, style: console.resultStyle).rendered())
    }
  }
}
