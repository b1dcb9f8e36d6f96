import ArgumentParser
import History
import LaunchCore
import Measuring

extension Launchlab {
  /// Acknowledges an alert.
  struct Ack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ack",
      abstract: "Acknowledge an alert and accept its level as the baseline.",
      discussion: """
        For an intended slowdown:
          launchlab ack R-17 --reason "loads the new fonts, agreed with design"

        The alert is no longer red, `launchlab run` no longer exits with 1 because of it, and the \
        nights from its first one on become the baseline. The reason is stored, and everyone who \
        is notified of alerts is told after the next night.

        Only an open alert can be acknowledged; `launchlab report` lists them. Undo it with \
        `launchlab unack`.
        """
    )

    @OptionGroup var decision: DecisionOptions

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      try decision.apply(on: console) { try $0.acknowledge($1, reason: $2) }
    }
  }

  /// Ends an alert that is wrong.
  struct Dismiss: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "dismiss",
      abstract: "Dismiss an alert as a false alarm.",
      discussion: """
        For a slowdown caused neither by the code nor by this machine:
          launchlab dismiss R-17 --reason "a backup ran on the host that night"

        The alert ends, and its nights count as normal ones. If the level stays, the nights that \
        follow raise a new alert. Undo it with `launchlab unack`.
        """
    )

    @OptionGroup var decision: DecisionOptions

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      try decision.apply(on: console) { try $0.dismiss($1, reason: $2) }
    }
  }

  /// Takes a decision on an alert back.
  struct Unack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unack",
      abstract: "Undo an acknowledgement or a dismissal.",
      discussion: """
        Puts the alert back into the state that the nights left it in:
          launchlab unack R-17 --reason "the fonts were taken out again"
        """
    )

    @OptionGroup var decision: DecisionOptions

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      try decision.apply(on: console) { try $0.reopen($1, reason: $2) }
    }
  }
}

/// What a person says of an alert.
struct DecisionOptions: ParsableArguments {
  @Argument(help: .init("Alert, such as R-17.", valueName: "alert"))
  var id: String

  @Option(help: .init("Reason to record.", valueName: "text"))
  var reason: String

  @Option(file: "SQLite database to write (default: .launchlab/launchlab.sqlite).")
  var store: String?

  /// Decides, and shows the alert as it is then.
  func apply(
    on console: Console,
    _ decide: (AcknowledgeWorkflow, String, String) throws -> Alert
  ) throws {
    let alert = try decide(AcknowledgeWorkflow(store: store, in: .live), id, reason)
    try console.write(AcknowledgementText(alert).rendered())
  }
}
