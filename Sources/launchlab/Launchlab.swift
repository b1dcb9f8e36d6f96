// launchlab: the command line. A file in `Commands` is a subcommand; it has no logic.
//
// A command reads its options into one request, hands it to the workflow of a room, and shows what comes
// back: results on standard output, as text or JSON from the same value; progress, notes and warnings on
// standard error (`Terminal`). `UsageError` says what was typed wrong. Exit codes are in LaunchCore, since
// what a run came to decides them.

import ArgumentParser
import LaunchCore
import Measuring

/// The root command; it does nothing but name its subcommands.
///
/// Every command has a `commandName`, since ArgumentParser asks each of them for it: without one it is made
/// from the name of the type, for which the Swift runtime reads all conformances of the executable (0.1 ms).
struct Launchlab: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "launchlab",
    abstract: "Measure how long programs take to launch: after a reboot, after a reinstall, warm.",
    discussion: """
      Measure one program:
        launchlab measure --state reinstall-cold --state warm -- perl -e 0

      Write a scenario and run it every night:
        launchlab init && launchlab run scenario.yml

      Exit codes: 0 done, 1 regression or broken budget, 64 bad usage or scenario, \
      125 inconclusive, 128 could not measure, 130 interrupted.
      """,
    version: LaunchlabVersion.current,
    subcommands: [
      Run.self, Measure.self, Compare.self, Gate.self, Explain.self, Bisect.self, Report.self,
      Why.self,
      Ack.self, Dismiss.self, Unack.self, Stages.self, Mark.self, Files.self, History.self,
      Runs.self, Show.self, Push.self, DepotGroup.self, FleetGroup.self, Export.self, Import.self,
      Replay.self, Doctor.self, SelfTest.self, Restore.self, Allow.self, Init.self, Schema.self,
    ]
  )
}

/// The entry point: it maps every error to its text and exit code.
@main
enum Main {
  static func main() async {
    // Reading the command line by reflection takes longer than all the rest of this answer.
    if CommandLine.arguments.dropFirst() == ["--version"] { return print(LaunchlabVersion.current) }
    // A script waits for its marks, and is measured meanwhile.
    if let mark = quickMark { return mark.run() }
    Terminal.holdStreams()
    Terminal.chooseLocale()
    do {
      try Terminal.checkLimits()
      let words = Array(CommandLine.arguments.dropFirst())
      var command = try TypedWords.parsed(words) { note in
        if Set(words).isDisjoint(with: ["-q", "--quiet"]) { Console.standard.note(note) }
      }
      // Changes are undone, and marks made, wherever that is.
      if !(command is Launchlab.Restore || command is Launchlab.Mark) {
        try Terminal.checkWorkingDirectory()
      }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as any LabError {
      Console.standard.show(error.diagnostics)
      Launchlab.exit(withError: ExitCode(error.exitCode.rawValue))
    } catch let error as ExitCode {
      Launchlab.exit(withError: error)
    } catch {
      exit(withForeign: error)
    }
  }

  /// The mark of `launchlab mark NAME`; nil for anything that is to be parsed.
  private static var quickMark: MarkWorkflow? {
    let words = CommandLine.arguments.dropFirst()
    guard words.count == 2, words.first == "mark", let name = words.last, !name.hasPrefix("-")
    else { return nil }
    return try? MarkWorkflow(name: name)
  }

  /// Ends with help on stdout, with 64 if the command line is wrong, and with 128 otherwise.
  private static func exit(withForeign error: any Error) -> Never {
    let code = Launchlab.exitCode(for: error)
    guard code == .failure else {
      var words = Array(CommandLine.arguments.dropFirst())
      if words.first == "help" { words.removeFirst() }
      let usage = UsageError(error, words: words)
      let isHelp = words.first?.hasPrefix("-") ?? true
      guard code != .success || !isHelp && usage.isOfUnknownCommand else {
        showHelp(Launchlab.message(for: error), of: CommandPath(words), words: words)
        Launchlab.exit(withError: error)
      }
      Console.standard.show([usage.diagnostic])
      Launchlab.exit(withError: ExitCode(LabExitCode.usage.rawValue))
    }
    Console.standard.show([Diagnostic(.error, id: "unexpected", problem: "\(error)")])
    Launchlab.exit(withError: ExitCode(LabExitCode.couldNotMeasure.rawValue))
  }

  /// Shows the help that was asked for and ends, with `-h` only what is used most.
  private static func showHelp(_ text: String, of path: CommandPath, words: [String]) {
    guard text.hasPrefix("OVERVIEW:") else { return }
    let page = HelpPage(path.isDefault ? Launchlab.helpMessage(for: path.type) : text)
    let isBrief = words.contains("-h") && !words.contains("--help")
    print(isBrief ? page.brief(of: path.name) : page.text)
    Launchlab.exit()
  }
}
