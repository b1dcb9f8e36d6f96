import ArgumentParser
import History
import LaunchCore
import Measuring

extension Launchlab {
  /// Takes stored runs out of history, and puts them back.
  struct Runs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "runs",
      abstract: "Exclude or remove stored runs from the history, or include them again.",
      discussion: """
        To leave out a night disturbed by a backup:
          launchlab runs exclude 20261121T043000Z-3fa2 --reason "backup ran into it"

        An excluded run is still listed and marked in `launchlab history`, but no trend, verdict, \
        replay, bisection or export of nights uses it. A removed run is listed only by `launchlab \
        history --all`. Nothing is deleted, so both can be undone:
          launchlab runs include 20261121T043000Z-3fa2

        Who decided what, when and why is stored. An alert that began with the run is judged \
        again from the nights that follow.
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

    @Option(file: "SQLite database to write (default: .launchlab/launchlab.sqlite).")
    var store: String?

    func decide(
      _ standing: RunDecision.Standing,
      because reason: String,
      on console: Console
    ) throws {
      let outcome = try RunDecisionWorkflow(store: store, in: .live)
        .decide(standing, on: id, reason: reason)
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
      commandName: "exclude",
      abstract: "Leave a run out of trends, verdicts and exports of nights."
    )

    @OptionGroup var choice: Choice

    @Option(help: .init("Reason to record.", valueName: "text"))
    var reason: String

    func run() async throws {
      try choice.decide(.excluded, because: reason, on: .standard)
    }
  }

  /// Takes a run out of history and out of lists.
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Exclude a run and hide it from lists; nothing is deleted."
    )

    @OptionGroup var choice: Choice

    @Option(help: .init("Reason to record.", valueName: "text"))
    var reason: String

    func run() async throws {
      try choice.decide(.removed, because: reason, on: .standard)
    }
  }

  /// Puts a run back into history.
  struct Include: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "include",
      abstract: "Include a run again that was excluded or removed."
    )

    @OptionGroup var choice: Choice

    @Option(help: .init("Reason to record.", valueName: "text"))
    var reason = ""

    func run() async throws {
      try choice.decide(.included, because: reason, on: .standard)
    }
  }
}
