import ArgumentParser
import Foundation
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Takes stored runs out of history, and puts them back.
  struct Runs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Excludes or removes stored runs from history, and includes them again.",
      discussion: """
        To leave out a night disturbed by a backup:
          launchlab runs exclude 20261121T043000Z-3fa2 --reason "backup ran into it"

        An excluded run stays in `launchlab history`, with a mark, but no trend, verdict, replay, \
        bisection or export of nights uses it. A removed run is listed only by \
        `launchlab history --all`. Nothing is deleted, so that both can be undone:
          launchlab runs include 20261121T043000Z-3fa2

        Who decided what, when and why is kept in the store. An alert that began with the run is \
        judged again by the nights that follow.
        """,
      subcommands: [Exclude.self, Remove.self, Include.self]
    )
  }
}

extension Launchlab.Runs {
  /// The run that is meant, and the store that has it.
  struct Choice: ParsableArguments {
    @Argument(help: ArgumentHelp("The id of the run, or its beginning.", valueName: "run"))
    var id: String

    @Option(
      help: "Write to this SQLite <file> (default: .launchlab/launchlab.sqlite).",
      completion: .file()
    )
    var store: String?

    func decide(
      _ standing: RunDecision.Standing,
      because reason: String,
      on console: Console
    ) throws {
      let outcome = try RunDecisionWorkflow(store: store)
        .decide(standing, on: id, reason: reason, at: Date())
      let text = RunDecisionText(
        outcome.run,
        outcome.decision,
        alerts: outcome.alerts,
        store: store
      )
      try console.write(text.rendered())
    }
  }

  /// Takes a run out of history.
  struct Exclude: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Leaves a run out of trends, verdicts and exports of nights."
    )

    @OptionGroup var choice: Choice

    @Option(help: "Keep this <text> as the reason.")
    var reason: String

    func run() async throws {
      try choice.decide(.excluded, because: reason, on: .standard)
    }
  }

  /// Takes a run out of history and out of lists.
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Excludes a run, and hides it from lists too; nothing is deleted."
    )

    @OptionGroup var choice: Choice

    @Option(help: "Keep this <text> as the reason.")
    var reason: String

    func run() async throws {
      try choice.decide(.removed, because: reason, on: .standard)
    }
  }

  /// Puts a run back into history.
  struct Include: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Puts a run back that was excluded or removed."
    )

    @OptionGroup var choice: Choice

    @Option(help: "Keep this <text> as the reason.")
    var reason = ""

    func run() async throws {
      try choice.decide(.included, because: reason, on: .standard)
    }
  }
}
