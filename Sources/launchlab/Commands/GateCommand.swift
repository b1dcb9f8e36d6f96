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
      abstract: "Check what a change does to launches, before it is merged.",
      discussion: """
        Both revisions of the scenario's source are built. What is in the files comes first \
        (libraries, initializers, start-up tasks, relocations), then what launches do (files, \
        programs, instructions, peak memory), then what they take, by an interleaved comparison:
          launchlab gate main...HEAD scenario.yml

        The section `gate` of the scenario says what a change may do. A new library, initializer \
        or task needs an approval, which is kept beside the scenario and reviewed with the code:
          launchlab gate approve library:libfoo.so.1 --reason "replaces libbar, #1234"

        `launchlab gate check --help` shows the options of a check.

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
      abstract: "Check a change; the word check may be left out.",
      discussion: """
        base..head compares two revisions, base...head what head has added since it parted from \
        base, as in git.
        """
    )

    @Argument(help: ArgumentHelp("Two revisions, such as main...HEAD.", valueName: "base..head"))
    var range: String

    @Argument(
      help: ArgumentHelp("Scenario with a source.", valueName: "scenario"),
      completion: .file(extensions: ["yml", "yaml"])
    )
    var scenario = "scenario.yml"

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

    @Option(
      help: .init(
        "SQLite database that keeps the launches (default: that beside the scenario).",
        valueName: "file"
      ),
      completion: .file()
    )
    var store: String?

    @Option(
      help: .init("Write the result as JSON; - is stdout.", valueName: "file"),
      completion: .file()
    )
    var json: String?

    @Option(
      help: .init(
        "Write the result as Markdown, for a comment on a pull request; - is stdout.",
        valueName: "file"
      ),
      completion: .file()
    )
    var markdown: String?

    @Flag(name: .shortAndLong, help: "Also show what passed.")
    var verbose = false

    @OptionGroup var suppression: SuppressionOptions

    @OptionGroup var waiting: WaitOptions

    func validate() throws {
      if json == "-", markdown == "-" {
        throw ValidationError("--json and --markdown cannot both write to stdout")
      }
    }

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
      if json != "-", markdown != "-" {
        try console.write(report.text(isVerbose: verbose))
      }
      if let markdown { try ResultFile(markdown).write { try $0(report.markdown()) } }
      if let json {
        try ResultFile(json).write { try JSONText.write(report.json(), .indented, to: $0) }
      }
      if result.exitCode != .done { throw ExitCode(result.exitCode.rawValue) }
    }

    private var options: GateOptions {
      var options = GateOptions(range: range, scenario: scenario)
      options.maxTime = maxTime
      options.targets = targets
      options.store = store
      options.suppressed = suppression.ids
      options.files = CommandFiles().writing(json, as: "--json").writing(markdown, as: "--markdown")
      return options
    }
  }

  struct Approve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
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

    @Option(
      help: .init("Scenario (default: scenario.yml).", valueName: "file"),
      completion: .file(extensions: ["yml", "yaml"])
    )
    var scenario = "scenario.yml"

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let environment = ProcessInfo.processInfo.environment
      let user = environment["GIT_AUTHOR_NAME"] ?? environment["USER"] ?? NSUserName()
      let workflow = try ApprovalWorkflow(item, scenario: scenario, in: .live) { kind, name in
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
      try console.write(try workflow.run() + "\n")
    }
  }
}
