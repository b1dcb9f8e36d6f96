import ArgumentParser
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Launches the arms of a scenario in random blocks, and stores every launch.
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Runs a scenario: launches every arm in random blocks, stores and reports.",
      discussion: """
        Each block launches every arm once, in a new random order, so that drift of the machine \
        falls on all of them alike. The result is printed, and stored in \
        .launchlab/launchlab.sqlite beside the scenario.

        The run is one night of the scenario's history: it is judged against the nights before, a \
        suspicion is settled by launching the last good build beside tonight's, and the report is \
        written to report/latest.md. A run by hand that is no night: --no-verdict.

        See what would happen, without touching anything:
          launchlab run scenario.yml --dry-run
        """
    )

    @Argument(help: "The scenario file.", completion: .file(extensions: ["yml", "yaml"]))
    var scenario: String

    @Flag(help: "Print the plan, and touch nothing.")
    var dryRun = false

    @Option(help: "Build this <revision> of the scenario's source instead of HEAD.")
    var revision: String?

    @Option(help: "Draw the order of the blocks from this <seed>.")
    var seed: UInt64?

    @Option(help: "Go on with the cut-off run of this <id>; \"last\" means the newest.")
    var resume: String?

    @Option(
      help: "Write the report to this <directory> (default: report beside the scenario).",
      completion: .directory
    )
    var report: String?

    @Option(
      help: """
        File the run as if it had begun at this <instant>, such as 2026-03-14T02:00:00Z, to fill a \
        history with older revisions.
        """
    )
    var backdate: String?

    @Flag(help: "Keep the run out of the history, and give no verdict.")
    var noVerdict = false

    @Flag(help: "Launch no older build to settle a suspicion.")
    var noProof = false

    @OptionGroup var suppression: SuppressionOptions

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
      if resume != nil, backdate != nil {
        throw ValidationError("--backdate cannot be given with --resume: the run has begun")
      }
      if resume != nil, seed != nil {
        throw ValidationError("--seed cannot be given with --resume: the seed is the stored one")
      }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      var request = try RunRequest(
        scenarioPath: scenario,
        store: output.store,
        seed: seed,
        revision: revision,
        resume: resume,
        reportDirectory: report,
        backdate: backdate,
        suppressed: suppression.ids
      )
      if noVerdict { request.purpose = .trial }
      request.keptOptions =
        suppression.ids.flatMap { ["--suppress", $0] } + (noProof ? ["--no-proof"] : [])
        + (report.map { ["--report", $0] } ?? [])
      try await waiting.patiently(on: console) { [request] in
        try await output.execute(
          request,
          isDryRun: dryRun,
          provesSuspicions: !noProof,
          on: console
        )
      }
    }
  }
}
