import ArgumentParser
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Shows which files a launch opens, and which of them are the target's own.
  struct Files: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows the files that a launch opens, and which of them cold launches evict.",
      discussion: """
        The command is launched once, and every file that its processes open, map or execute is \
        written down:
          launchlab files -- git status

        The largest first, by another rule:
          launchlab files --sort size --own prefix -- /opt/app/bin/app

        One target of a scenario, which is built first if it has a source:
          launchlab files scenario.yml --target app

        What is learnt is kept beside the store, for the cold launches to come. They learn it by \
        themselves too, and again when a program has changed.
        """
    )

    @Argument(help: "The scenario file.", completion: .file(extensions: ["yml", "yaml"]))
    var scenario: String?

    @Option(name: .customLong("target"), help: "Show the files of this <name> of the scenario.")
    var targetName: String?

    @Option(help: "Sort the files of each class by: opened, size or path.")
    var sort = FileSetText.Order.opened

    @OptionGroup var target: TargetOptions

    @OptionGroup var waiting: WaitOptions

    @Option(help: "Write the result as JSON to <file>; - means stdout.", completion: .file())
    var json: String?

    func validate() throws {
      if scenario == nil, target.command.isEmpty {
        throw ValidationError("give a scenario file, or the command after --")
      }
      if scenario == nil, targetName != nil {
        throw ValidationError("--target names a target of a scenario file")
      }
      guard scenario != nil else { return }
      if !target.command.isEmpty {
        throw ValidationError("give either a scenario file or a command")
      }
      var others = target.launch
      others.own = nil
      if let option = others.firstForCommands {
        throw ValidationError("\(option) is for a command; a scenario file says it itself")
      }
      if let own = target.launch.own, OwnRule(rawValue: own) == nil {
        throw ValidationError("--own is one of package, prefix, all and listed")
      }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let workflow = try workflow
      try workflow.files.writing(json, as: "--json").check()
      let set = try await waiting.patiently(on: console) { try await workflow.run() }
      if json != "-" {
        try console.write(FileSetText(set, order: sort, style: console.resultStyle).rendered())
      }
      console.show(set.notes)
      if let json { try ResultFile(json).write { try FileSetJSON(set).write(to: $0) } }
    }

    private var workflow: FilesWorkflow {
      get throws {
        guard let scenario else {
          return try FilesWorkflow(options: target.measuring(states: [], launches: 1))
        }
        return try FilesWorkflow(
          scenarioPath: scenario,
          target: targetName,
          rule: target.launch.own.flatMap(OwnRule.init(rawValue:))
        )
      }
    }
  }
}

extension FileSetText.Order: ExpressibleByArgument {}
