import ArgumentParser
import LabModel
import LabReport
import LabWorkflows

/// The entry point: it maps every error to its text and exit code.
@main
enum Main {
  static func main() async {
    // Reading the command line by reflection takes longer than all the rest of this answer.
    if CommandLine.arguments.dropFirst() == ["--version"] { return print(LaunchlabVersion.current) }
    // A script waits for its marks, and is measured meanwhile.
    if let mark = quickMark { return mark.run() }
    Terminal.holdStreams()
    do {
      try Terminal.checkOpenFiles()
      var command = try Launchlab.parseAsRoot()
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
      guard code != .success else { Launchlab.exit(withError: error) }
      let words = Array(CommandLine.arguments.dropFirst())
      Console.standard.show([UsageError(error, words: words).diagnostic])
      Launchlab.exit(withError: code)
    }
    Console.standard.show([Diagnostic(.error, id: "unexpected", problem: "\(error)")])
    Launchlab.exit(withError: ExitCode(LabExitCode.couldNotMeasure.rawValue))
  }
}
