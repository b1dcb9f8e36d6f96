import ArgumentParser
import Foundation
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Acknowledges an alert.
  struct Ack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes the new level of an alert as the normal one.",
      discussion: """
        A slower launch that is meant, because it pays for something else:
          launchlab ack R-17 --reason "loads the new fonts, agreed with design"

        From then on the alert is not red, `launchlab run` does not exit with 1 because of it, and \
        the nights from its first one on are what others are held against. The reason is kept, and \
        those who are notified are told of it after the next night.

        Only an open alert can be acknowledged; `launchlab report` lists them.
        """
    )

    @Argument(help: "The <id> of the alert, such as R-17.")
    var id: String

    @Option(help: "Keep this <text> as the reason.")
    var reason: String

    @Option(
      help: "Write to this SQLite <file> (default: .launchlab/launchlab.sqlite).",
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
