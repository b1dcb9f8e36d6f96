import ArgumentParser
import History
import Measuring

extension Launchlab {
  /// Tells what an alert rests on.
  struct Why: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "why",
      abstract: "Explain an alert: every condition with its value, limit and n.",
      discussion: """
        The first line says what changed, by how much, since when, and whether the code or the \
        machine changed. Then follow the events of the alert with everything that was checked, \
        the comparison of the last good build with the new one, and who was notified:
          launchlab why R-17

        `launchlab export --what nights` and `launchlab export RUN` print the values behind the \
        numbers; docs/verdicts.md has the formulas.
        """
    )

    @Argument(help: .init("Alert to show, such as R-17.", valueName: "alert"))
    var id: String

    @OptionGroup var stored: StoredOptions

    @Option(file: "Write the explanation as JSON; - is stdout.") var json: String?

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let workflow = try WhyWorkflow(
        store: try await stored.path(scenario: nil, on: console),
        in: .live
      )
      try workflow.files.writing(json, as: "--json").check()
      let found = try workflow.explanation(of: id)
      if let json {
        let finding = FindingJSON(
          found.alert,
          nights: found.nights,
          explanation: found.explanation,
          scenarioFile: found.scenarioFile
        )
        return try ResultFile(json).write(finding)
      }
      let text = AlertText(
        found.alert,
        nights: found.nights,
        deliveries: found.deliveries,
        scenarioFile: found.scenarioFile,
        style: console.resultStyle
      )
      try console.write(text.rendered())
    }
  }
}
