import ArgumentParser
import Foundation
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Acknowledges an alert.
  struct Ack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Acknowledge an alert and accept its level as the baseline.",
      discussion: """
        A slower launch that is intended, because it pays for something else:
          launchlab ack R-17 --reason "loads the new fonts, agreed with design"

        The alert is no longer red, `launchlab run` no longer exits with 1 because of it, and the \
        nights from its first one on become the baseline. The reason is stored, and everyone who \
        is notified of alerts is told after the next night.

        Only an open alert can be acknowledged; `launchlab report` lists them.
        """
    )

    @Argument(help: .init("Alert to acknowledge, such as R-17.", valueName: "alert"))
    var id: String

    @Option(help: .init("Reason to record.", valueName: "text"))
    var reason: String

    @Option(
      help: .init(
        "SQLite database to write (default: .launchlab/launchlab.sqlite).",
        valueName: "file"
      ),
      completion: .file()
    )
    var store: String?

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      let alert = try AcknowledgeWorkflow(store: store)
        .acknowledge(id, reason: reason, at: Date())
      try console.write(AcknowledgementText(alert).rendered())
    }
  }
}
