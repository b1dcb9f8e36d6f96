import ArgumentParser
import LabReport
import LabWorkflows

extension Launchlab {
  /// Runs detectors over the stored nights.
  struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tells what would have been suspected, so that limits can be tuned.",
      discussion: """
        Each stored night is judged from the nights before it alone, by one detector after the \
        other. The segmentation of the whole history stands for the truth: an alert within 3 \
        nights of one of its changes has found it, any other is a false alarm.

        To tune: look at the false alarms first. Where `nightly` has more than 0.05 per series and \
        month, set `effect` or `floor` in the section `regression` of the scenario higher, or \
        launch more often each night. Where it misses changes that matter, do the opposite. \
        `threshold-10` shows what a fixed limit of 10 % would do. Nothing is stored, so try again \
        as often as you like; the rule is that of the newest night.

        What is suspected is only the first stage: `launchlab run` proves it by launching the last \
        good build beside the new one, so fewer false alarms reach a person.
        """
    )

    @Option(help: "Judge the nights since this <date>, such as 2026-10-01 (default: all).")
    var since: String?

    @Option(
      name: .customLong("detector"),
      help: """
        Run this <detector>: nightly, t-999, two-of-three, potts, perfherder or threshold-10; may be \
        given several times (default: all).
        """
    )
    var detectors: [String] = []

    @Option(help: "Read the nights of this scenario <name> (default: that of the newest night).")
    var scenario: String?

    @Option(
      help: "Read this SQLite <file> (default: .launchlab/launchlab.sqlite).",
      completion: .file()
    )
    var store: String?

    @Option(help: "Write the result as JSON to <file>; - means stdout.", completion: .file())
    var json: String?

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      let workflow = try ReplayWorkflow(store: store)
      try workflow.files.writing(json, as: "--json").check()
      let summary = try workflow.summary(scenario: scenario, since: since, detectors: detectors)
      if let json {
        return try ResultFile(json).write { try ReplayJSON(summary).write(to: $0) }
      }
      try console.write(ReplayText(summary, style: console.resultStyle).rendered())
    }
  }
}
