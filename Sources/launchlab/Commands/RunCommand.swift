import ArgumentParser
import LaunchCore
import Measuring

extension Launchlab {
  /// Launches the arms of a scenario in random blocks, and stores every launch.
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Run a scenario: launch everything in random order, store and report.",
      discussion: """
        Each block launches every arm once, in a new random order, so that machine drift affects \
        all of them alike. The result is printed, and stored in .launchlab/launchlab.sqlite \
        beside the scenario.

        The run is one night of the scenario's history: it is compared with earlier nights, a \
        suspicion is settled by launching the last good build next to tonight's, and the report \
        is written to report/latest.md. Use --no-verdict for a run by hand.

        To see the plan without running it:
          launchlab run scenario.yml --dry-run
        """
    )

    @Argument(
      help: .init("Scenario file.", valueName: "scenario-file"),
      completion: .file(extensions: ["yml", "yaml"])
    )
    var argument: String?

    @OptionGroup var scenario: ScenarioOption

    @Flag(help: "Print the plan and exit.")
    var dryRun = false

    @Option(
      name: .shortAndLong,
      help: .init("Launches of each arm (default: as in the scenario).", valueName: "number")
    )
    var launches: Int?

    @Option(help: .init("Revision of the source to build (default: HEAD).", valueName: "revision"))
    var revision: String?

    @Option(help: .init("Seed for the random order of launches.", valueName: "seed"))
    var seed: UInt64?

    @Option(help: .init("Resume an interrupted run; \"last\" is the newest one.", valueName: "run"))
    var resume: String?

    @Option(
      help: .init(
        "Output directory of the report (default: report beside the scenario).",
        valueName: "directory"
      ),
      completion: .directory
    )
    var report: String?

    @Option(
      help: .init(
        """
        Date the run as if it began at this time, such as 2026-03-14T02:00:00Z, to fill a \
        history with older revisions.
        """,
        valueName: "time"
      )
    )
    var backdate: String?

    @Flag(help: "Give no verdict, and keep the run out of the history.")
    var noVerdict = false

    @Flag(help: "Do not launch the last good build to settle a suspicion.")
    var noProof = false

    @OptionGroup var suppression: SuppressionOptions

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
      if try scenario.only(argument) == nil {
        throw ValidationError("missing the scenario file; try `launchlab run scenario.yml`")
      }
      if let launches, launches < 1 { throw ValidationError("--launches must be at least 1") }
      if resume != nil, launches != nil {
        throw ValidationError("--launches cannot be used with --resume")
      }
      if resume != nil, backdate != nil {
        throw ValidationError("--backdate cannot be used with --resume")
      }
      if resume != nil, seed != nil {
        throw ValidationError("--seed cannot be used with --resume, which uses the stored seed")
      }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      var request = try RunRequest(
        scenarioPath: try scenario.only(argument) ?? "",
        store: output.store,
        seed: seed,
        revision: revision,
        resume: resume,
        reportDirectory: report,
        backdate: backdate.map { try RunRequest.past($0, now: WorkflowContext.live.now()) },
        suppressed: suppression.ids
      )
      if let launches {
        request.scenario.launches = launches
        request.scenario.adaptive = nil
      }
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
