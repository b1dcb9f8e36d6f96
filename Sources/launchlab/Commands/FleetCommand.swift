import ArgumentParser
import Fleet
import History
import LaunchCore
import Measuring

extension Launchlab {
  /// Has many hosts measure the same scenarios.
  struct FleetGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "fleet",
      abstract:
        "Run the same scenarios on many hosts each night, and report the combined result.",
      discussion: """
        A fleet file names the hosts, the scenarios and the depot:
          fleet: lab
          depot: postgresql://?service=lab
          partition: measure
          scenarios: [redis.yml, node.yml]

        Slurm gives the hosts their work, a job per host and night; with `engine: local` this machine does \
        it all. One line of cron on the head is enough:
          0 22 * * *  launchlab fleet run /srv/lab/fleet.yml
        """,
      subcommands: [
        Run.self, Status.self, Report.self, Bisect.self, Slot.self, Prove.self, Build.self,
      ]
    )

    struct Run: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run tonight's missing scenarios on every host, wait for them, and report.",
        discussion: """
          Submits a job for each host that lacks runs, and repeats until the depot has every run. It is \
          safe to interrupt it, to run it again, and to run it twice at once.

          Exit codes: 0 every host has measured and nothing is suspected, 1 the hosts suspect a regression \
          of the code, 128 runs are missing (whatever is suspected), 130 interrupted (the jobs go on).
          """
      )

      @OptionGroup var fleet: FleetArguments

      @OptionGroup var output: FleetOutput

      @Flag(name: .shortAndLong, help: "Print only the result, without progress and warnings.")
      var quiet = false

      @Option(
        help: .init("Seconds between two polls.", valueName: "seconds", visibility: .hidden)
      )
      var every: Int?

      func run() async throws { try await run(on: .standard) }

      func run(on console: Console) async throws {
        var run = try FleetRun(fleet.file, night: fleet.night, in: .live)
        if let every { run.pause = .seconds(every) }
        let terminal = console.stderr.isTerminal && !quiet ? console.stderr : nil
        func tell(_ line: String, _ problems: [Diagnostic]) {
          try? terminal?.redraw("")
          console.show(quiet ? problems.filter { $0.severity == .error } : problems)
          try? terminal?.redraw(line)
        }
        let status = try await run.measure { tell($0.line, $1) }
        var report = FleetReport(parts: [])
        if status.runs > 0 {
          report = try await run.report(into: output.report, ofTonight: true)
          if try await run.prove(report, tell) {
            report = try await run.report(into: output.report, ofTonight: true)
          }
        }
        try? terminal?.redraw("")
        if output.json != "-" {
          try console.write(status.text(style: console.resultStyle))
        }
        try output.show(report, on: console)
        var code = max(report.exitCode, status.isComplete ? .done : .couldNotMeasure)
        do {
          let notes = try await run.drain(report)
          console.show(quiet ? notes.filter { $0.severity == .error } : notes)
        } catch let error as any LabError {
          console.show(error.diagnostics)
          code = max(code, error.exitCode)
        }
        if code != .done { throw ExitCode(code.rawValue) }
      }
    }

    struct Status: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show progress by host tonight, and why runs are missing."
      )

      @OptionGroup var fleet: FleetArguments

      func run() async throws { try await run(on: .standard) }

      func run(on console: Console) async throws {
        let status = try await FleetRun(fleet.file, night: fleet.night, in: .live).status()
        try console.write(status.text(style: console.resultStyle))
      }
    }

    struct Report: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report the combined result of the hosts, in report/hosts/SCENARIO/latest.md.",
        discussion: """
          Exit codes: 0 nothing is suspected, 1 the hosts suspect a regression of the code, 128 the depot \
          cannot be read, or has no run of the night.
          """
      )

      @OptionGroup var fleet: FleetArguments

      @OptionGroup var output: FleetOutput

      func run() async throws { try await run(on: .standard) }

      func run(on console: Console) async throws {
        let report = try await FleetRun(fleet.file, night: fleet.night, in: .live)
          .report(into: output.report, ofTonight: false)
        try output.show(report, on: console)
        if report.exitCode != .done { throw ExitCode(report.exitCode.rawValue) }
      }
    }

    /// What a job does on a host.
    struct Slot: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "slot",
        abstract: "Run what is missing of a night on this host, and push it.",
        shouldDisplay: false
      )

      @OptionGroup var job: FleetJobArguments

      func run() async throws { try await job.execute { await $0.run($1) } }
    }

    /// What a job does on a host that is to settle a suspicion.
    struct Prove: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "prove",
        abstract: "Launch the last good build beside that of a night on this host, and push it.",
        shouldDisplay: false
      )

      @OptionGroup var job: FleetJobArguments

      @Option(help: .init("Name of the scenario.", valueName: "name"))
      var scenario: String

      @Option(help: .init("Series in doubt, such as app:warm:launch.", valueName: "series"))
      var series: String

      @Option(help: .init("How many pairs are launched.", valueName: "number"))
      var pairs: Int

      @Option(help: .init("Last night of the old level.", valueName: "date"))
      var lastGood: String?

      func run() async throws {
        let proof = SlotWorkflow.Proof(
          scenario: scenario,
          series: series,
          pairs: pairs,
          lastGood: lastGood
        )
        try await job.execute { await $0.prove(proof, $1) }
      }
    }
  }
}

/// Which night of a fleet a host is asked for.
struct FleetJobArguments: ParsableArguments {
  @Argument(help: .init("Fleet file.", valueName: "fleet-file"))
  var file: String

  @Option(help: .init("Label of the night.", valueName: "date"))
  var night: String

  @Option(help: .init("What the fleet calls this host.", valueName: "name"))
  var host: String

  @Option(help: .init("Digests of the files of the head.", valueName: "digests"))
  var expect: String

  /// Does the job, which waits for other labs of the machine.
  func execute(
    _ body: (SlotWorkflow, _ tell: ([Diagnostic]) -> Void) async -> LabExitCode
  ) async throws {
    let console = Console.standard
    let slot = FleetSlot(night: night, host: host)
    let workflow = try SlotWorkflow(file, slot: slot, expected: expect, in: .live)
    let patience = try LabPatience("30m") { LabWaiting(console: console).show($0) }
    let code = await LabPatience.$current.withValue(patience) {
      await body(workflow) { console.show($0) }
    }
    if code != .done { throw ExitCode(code.rawValue) }
  }
}

/// Where the report of a fleet goes.
struct FleetOutput: ParsableArguments {
  @Option(
    help: .init(
      "Output directory of the report (default: report beside the fleet file).",
      valueName: "directory"
    ),
    completion: .directory
  )
  var report: String?

  @Option(file: "Write the result as JSON; - is stdout.") var json: String?

  func show(_ report: FleetReport, on console: Console) throws {
    console.show(report.problems)
    if json != "-" { try console.write(report.text(style: console.resultStyle)) }
    if let json { try ResultFile(json).write(report.json) }
  }
}

/// Which fleet, and which night.
struct FleetArguments: ParsableArguments {
  @Argument(
    help: .init("Fleet file.", valueName: "fleet-file"),
    completion: .file(extensions: ["yml", "yaml"])
  )
  var file: String

  @Option(
    help: .init(
      "Night, as the date of its noon-to-noon start in UTC (default: the current one).",
      valueName: "date"
    )
  )
  var night: String?
}
