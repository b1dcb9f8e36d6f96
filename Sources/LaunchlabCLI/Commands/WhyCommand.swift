import ArgumentParser
import LabReport
import LabWorkflows

extension Launchlab {
  /// Tells what an alert rests on.
  struct Why: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tells why there is an alert: every condition with its value, limit and n.",
      discussion: """
        The first line says what changed, by how much, since when, and whether it is the code or \
        the machine. Then follow the events of the alert, each with everything that was looked at, \
        the comparison of the last good build with the new one, and whom it was told to:
          launchlab why R-17

        `launchlab export --what nights` and `launchlab export RUN` give the values that the \
        numbers are computed from; docs/verdicts.md has the formulas.
        """
    )

    @Argument(help: "The <id> of the alert, such as R-17.")
    var id: String

    @Option(
      help: "Read this SQLite <file> (default: .launchlab/launchlab.sqlite).",
      completion: .file()
    )
    var store: String?

    @Option(help: "Write the finding as JSON to <file>; - means stdout.", completion: .file())
    var json: String?

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      let workflow = try WhyWorkflow(store: store)
      try workflow.files.writing(json, as: "--json").check()
      let found = try workflow.explanation(of: id)
      if let json {
        let finding = FindingJSON(found.alert, nights: found.nights)
        return try ResultFile(json).write { try finding.write(to: $0) }
      }
      let text = AlertText(
        found.alert,
        nights: found.nights,
        deliveries: found.deliveries,
        style: console.resultStyle
      )
      try console.write(text.rendered())
    }
  }
}
