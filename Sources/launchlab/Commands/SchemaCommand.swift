import ArgumentParser
import Measuring

extension Launchlab {
  /// Prints the JSON Schema of scenario files.
  struct Schema: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "schema",
      abstract: "Print the JSON Schema of scenario files, for editors.",
      discussion: """
        Editors with the YAML language server read it from the first line of a scenario:
          # yaml-language-server: $schema=launchlab.schema.json
        """
    )

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      try console.write(ScenarioWorkflow.schema)
    }
  }
}
