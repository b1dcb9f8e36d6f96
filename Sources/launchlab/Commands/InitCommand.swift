import ArgumentParser
import Measuring

extension Launchlab {
  /// Writes a scenario to begin with.
  struct Init: AsyncParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
      commandName: "init",
      abstract: "Write a commented example scenario that is ready to run.",
      discussion: """
        With a command, the scenario measures that command. It is started once, to see \
        whether a launch ends with its exit, a port or a window:
          launchlab init node -e 0
        """
    )

    @Option(
      name: .shortAndLong,
      help: .init("File to write.", valueName: "file"),
      completion: .file()
    )
    var output = "scenario.yml"

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @Argument(
      parsing: .postTerminator,
      help: .init("Command to measure.", valueName: "command")
    )
    var command: [String] = []

    func validate() throws {
      guard command.count == 1, command[0].namesYAML else { return }
      let file = command[0].shellWord
      throw ValidationError("\(file) is no program; try `launchlab init --output \(file)`")
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let program = command.first.flatMap { $0.contains("/") ? $0 : nil }
      try CommandFiles().reading(program, as: "the program").writing(output, as: "--output").check()
      let problems = try await ScenarioWorkflow.writeTemplate(
        to: output,
        command: command,
        replacing: force,
        in: .live
      )
      console.show(problems)
      console.note("wrote \(output); next: launchlab run \(output)")
    }
  }
}
