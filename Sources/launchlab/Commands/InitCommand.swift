import ArgumentParser
import Measuring

extension Launchlab {
  /// Writes a scenario to begin with.
  struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "init",
      abstract: "Write a commented example scenario that is ready to run.",
      discussion: """
        With a command after --, the scenario measures that command:
          launchlab init -- node -e 0
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
      help: .init("Command to measure, after --.", valueName: "command")
    )
    var command: [String] = []

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      let program = command.first.flatMap { $0.contains("/") ? $0 : nil }
      try CommandFiles().reading(program, as: "the program").writing(output, as: "--output").check()
      try ScenarioWorkflow.writeTemplate(to: output, command: command, replacing: force)
      console.note("wrote \(output); next: launchlab run \(output)")
    }
  }
}
