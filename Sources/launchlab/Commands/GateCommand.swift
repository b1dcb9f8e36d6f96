import ArgumentParser
import Foundation
import Gate
import LaunchCore
import Measuring
import Rendering

extension Launchlab {
  /// Looks at what a change does to launches, before it is merged.
  struct Gate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "gate",
      abstract: "Check what a change does to launches, before it is merged.",
      discussion: """
        Both revisions of the scenario's source are built. What is in the files comes first \
        (libraries, initializers, start-up tasks, relocations), then what launches do (files, \
        programs, instructions, peak memory), then what they take, by an interleaved comparison:
          launchlab gate main...HEAD scenario.yml

        The section `gate` of the scenario says what a change may do. A new library, initializer \
        or task needs an approval, which is kept beside the scenario and reviewed with the code:
          launchlab gate approve library:libfoo.so.1 --reason "replaces libbar, #1234"

        Exit codes: 0 passed, 1 failed or to be approved, 125 cannot tell.
        """,
      subcommands: [Check.self, Approve.self],
      defaultSubcommand: Check.self
    )
  }
}

extension Launchlab.Gate {
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: Launchlab.Gate.configuration.abstract,
      usage: """
        launchlab gate <base..head> [<scenario>] [<options>]
        launchlab gate --artifacts <base> <head> [<scenario>] [<options>]
        """,
      discussion: Launchlab.Gate.configuration.discussion + """


        base..head compares two revisions, base...head what head has added since it parted from \
        base, as in git. With --artifacts two builds are compared that are there already: \
        executables, or directories that stand for the one of the scenario's sources.

        In a job of GitHub Actions what was found is also shown as annotations, and added to the \
        summary of the job.
        """
    )

    @Argument(
      help: ArgumentHelp(
        "Two revisions, such as main...HEAD, or two builds, and the scenario (default: scenario.yml).",
        valueName: "argument"
      ),
      completion: .file()
    )
    var arguments: [String] = []

    @OptionGroup var scenario: ScenarioOption

    @Flag(help: "Compare two builds instead of two revisions.")
    var artifacts = false

    @Option(
      name: .customLong("target"),
      help: .init("Check only this target; repeatable.", valueName: "name")
    )
    var targets: [String] = []

    @Option(
      help: .init(
        "Stop the comparison without a verdict after this time (default: 5m).",
        valueName: "duration"
      )
    )
    var maxTime: String?

    @Option(file: "SQLite database that keeps the launches (default: that beside the scenario).")
    var store: String?

    @Option(file: "Write the result as JSON; - is stdout.") var json: String?

    @Option(file: "Write the result as Markdown, for a comment on a pull request; - is stdout.")
    var markdown: String?

    @Option(file: "Write what was found as SARIF, for code scanning.") var sarif: String?

    @Option(file: "Write the result as test cases of JUnit.") var junit: String?

    @Option(file: "Write what was found as code quality report of GitLab.") var codeQuality: String?

    @Option(file: "Write the figures of head as metrics report of GitLab.") var metrics: String?

    @Flag(name: .shortAndLong, help: "Also show what passed.")
    var verbose = false

    @OptionGroup var suppression: SuppressionOptions

    @OptionGroup var waiting: WaitOptions

    func validate() throws { _ = try subject }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let progress = ProgressDisplay(console: console)
      defer { progress.clear() }
      let result = try await waiting.patiently(on: console) {
        try await GateWorkflow(options, in: .live.telling { progress.show($0) }) { step in
          progress.clear()
          console.note(step)
        }
        .run()
      }
      progress.clear()
      let report = GateReport(result, style: console.resultStyle)
      let job = GateJob(report, environment: ProcessInfo.processInfo.environment)
      if outputs.values.contains("-") {
        // GitHub reads both streams.
        try console.stderr.write(commands: job.annotations)
      } else {
        try console.write(report.text(isVerbose: verbose))
        try console.stdout.write(commands: job.annotations)
      }
      for (format, path) in outputs {
        try ResultFile(path).write { try $0(report.text(as: format)) }
      }
      if let problem = job.addToSummary() { console.note(problem) }
      if result.exitCode != .done { throw ExitCode(result.exitCode.rawValue) }
    }

    private var outputs: [GateFormat: String] {
      [
        .json: json, .markdown: markdown, .sarif: sarif, .junit: junit, .codeQuality: codeQuality,
        .metrics: metrics,
      ].compactMapValues(\.self)
    }

    private var subject: (GateOptions.Subject, scenario: String) {
      get throws {
        let count = artifacts ? 2 : 1
        // The scenario is known by its name, wherever it stands.
        let arguments = arguments.filter { !$0.namesYAML } + arguments.filter(\.namesYAML)
        guard (count...count + 1).contains(arguments.count) else {
          throw ValidationError(
            artifacts
              ? "--artifacts takes two builds, and a scenario: "
                + "launchlab gate --artifacts old new scenario.yml"
              : "gate takes two revisions, and a scenario: launchlab gate main...HEAD scenario.yml"
          )
        }
        let named = arguments.count > count ? arguments[count] : nil
        let scenario = try scenario.only(named) ?? "scenario.yml"
        return artifacts
          ? (.builds(base: arguments[0], head: arguments[1]), scenario)
          : (.revisions(arguments[0]), scenario)
      }
    }

    private var options: GateOptions {
      get throws {
        let (subject, scenario) = try subject
        var options = GateOptions(subject, scenario: scenario)
        options.maxTime = maxTime
        options.targets = targets
        options.store = store
        options.suppressed = suppression.ids
        options.outputs = outputs
        return options
      }
    }
  }

  struct Approve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "approve",
      abstract: "Approve a new library, initializer or start-up task.",
      discussion: """
        The approval goes to the file that the scenario names, launch-approvals.yml beside it \
        unless it says another. Commit it with the change.
        """
    )

    @Argument(
      help: ArgumentHelp(
        "What is approved: library:NAME, initializer:NAME or task:NAME.",
        valueName: "item"
      )
    )
    var item: String

    @Argument(
      help: .init("Scenario (default: scenario.yml).", valueName: "scenario-file"),
      completion: .file(extensions: ["yml", "yaml"])
    )
    var argument: String?

    @Option(help: .init("Why it may be part of a launch.", valueName: "text"))
    var reason: String

    @Option(
      name: .customLong("in"),
      help: .init("Library that an initializer or a task is in (default: any).", valueName: "name")
    )
    var library: String?

    @Option(help: .init("Who approves it (default: the user).", valueName: "name"))
    var by: String?

    @Option(help: .init("Last day on which it holds, such as 2027-01-31.", valueName: "date"))
    var until: String?

    @Flag(help: "Take * in the name for anything.")
    var pattern = false

    @OptionGroup var scenario: ScenarioOption

    func validate() throws { _ = try scenario.only(argument) }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let environment = ProcessInfo.processInfo.environment
      let user = environment["GIT_AUTHOR_NAME"] ?? environment["USER"] ?? NSUserName()
      let path = try scenario.only(argument) ?? "scenario.yml"
      let workflow = try ApprovalWorkflow(item, scenario: path, in: .live) { kind, name in
        GateApproval(
          kind: kind,
          name: name,
          library: library,
          isPattern: pattern,
          reason: reason,
          by: by ?? user,
          until: until
        )
      }
      try console.write([try workflow.run()].joinedLines())
    }
  }
}
