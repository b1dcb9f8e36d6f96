import ArgumentParser
import LabChecks
import LaunchCore
import Measuring

extension Launchlab {
  /// Shows which files a launch opens, and which of them are the target's own.
  struct Files: AsyncParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
      commandName: "files",
      abstract: "Show the files that a launch opens, and which of them cold launches evict.",
      discussion: """
        Launches the command once and records every file that its processes open, map or execute:
          launchlab files -- git status

        The largest first, with another rule for what belongs to the target:
          launchlab files --sort size --own prefix -- /opt/app/bin/app

        One target of a scenario, built first if it has a source:
          launchlab files scenario.yml --target app

        The result is stored beside the database and used by later cold launches, which also record \
        it themselves, and again when a program changes.
        """
    )

    @Argument(
      help: .init("Scenario file.", valueName: "scenario-file"),
      completion: .file(extensions: ["yml", "yaml"])
    )
    var argument: String?

    @OptionGroup var option: ScenarioOption

    private var scenario: String? { argument ?? option.file }

    @Option(name: .customLong("target"), help: .init("Target of the scenario.", valueName: "name"))
    var targetName: String?

    @Option(
      help: .init("Sort the files of each class by opened, size or path.", valueName: "order")
    )
    var sort = FileSetText.Order.opened

    @OptionGroup var target: TargetOptions

    @OptionGroup var waiting: WaitOptions

    @Option(file: "Write the result as JSON; - is stdout.") var json: String?

    static func isArgument(_ word: String, in words: TypedWords) -> Bool {
      words.arguments.isEmpty && word.namesScenario
    }

    func validate() throws {
      if let argument = try option.only(argument), argument != option.file, !argument.namesScenario
      {
        throw ValidationError("\(argument) is no scenario file")
      }
      if scenario == nil, target.command.isEmpty {
        throw ValidationError(
          "missing a scenario file or a command; try `launchlab files git status`"
        )
      }
      if scenario == nil, targetName != nil {
        throw ValidationError("--target needs a scenario file")
      }
      guard scenario != nil else { return }
      if !target.command.isEmpty {
        throw ValidationError("give a scenario file or a command, not both")
      }
      var others = target.launch
      others.own = nil
      if let option = others.firstForCommands {
        throw ValidationError(
          "\(option) cannot be used with a scenario file; set it in the scenario"
        )
      }
      if let own = target.launch.own, OwnRule(rawValue: own) == nil {
        throw ValidationError("--own must be package, prefix, all or listed")
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
      if let json { try ResultFile(json).write(FileSetJSON(set)) }
    }

    private var workflow: FilesWorkflow {
      get throws {
        guard let scenario else {
          return try FilesWorkflow(
            options: target.measuring(states: [], launches: 1),
            in: .live
          )
        }
        return try FilesWorkflow(
          scenarioPath: scenario,
          target: targetName,
          rule: target.launch.own.flatMap(OwnRule.init(rawValue:)),
          in: .live
        )
      }
    }
  }
}

extension FileSetText.Order: ExpressibleByArgument {}
