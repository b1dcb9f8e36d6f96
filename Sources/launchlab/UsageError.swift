import ArgumentParser
import LaunchCore

/// What is wrong with a command line, in the form of all other errors.
struct UsageError {
  private let message: String

  /// The names of the command, such as `launchlab runs exclude`.
  private var command = "launchlab"

  /// The first word that is no command where one has to be, and those that may be.
  private var unknown: (word: String, names: [String])?

  /// - Parameters:
  ///   - error: An error of ArgumentParser, or of a command's own validation.
  ///   - words: The command line without the name of the program.
  init(_ error: any Error, words: [String]) {
    message = Launchlab.message(for: error)
    var configuration = Launchlab.configuration
    for word in words where !configuration.subcommands.isEmpty && !word.hasPrefix("-") {
      let commands = configuration.subcommands
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        if configuration.defaultSubcommand == nil {
          unknown = (word, commands.compactMap { $0.configuration.commandName })
        }
        break
      }
      command += " \(word)"
      configuration = next.configuration
    }
  }

  var isOfUnknownCommand: Bool { unknown != nil }

  var diagnostic: Diagnostic {
    let help = "see `\(command) --help`"
    if let unknown {
      let nearest = nearestWord(to: unknown.word, in: unknown.names)
      return Self.diagnostic(
        "unknown command \"\(unknown.word)\"",
        [nearest.map { "did you mean `\(command) \($0)`?" }, help]
      )
    }
    let own = message.split(separator: "; try ", maxSplits: 1)
    if own.count == 2 { return Self.diagnostic(String(own[0]), ["try \(own[1])"]) }
    let sentences = message.split(separator: #/[.] (?=[A-Z])/#, maxSplits: 1)
      .map { String($0).replacing(#/'([^'\n]*)'/#) { "`\($0.1)`" } }
    let problem = Self.problem(sentences.first ?? "")
    return Self.diagnostic(problem, [advice(on: problem, in: sentences.dropFirst().first), help])
  }

  /// The first sentence of ArgumentParser, as the errors of launchlab have it.
  private static func problem(_ sentence: String) -> String {
    sentence
      .replacing(#/^The value `(.*)` is invalid for `([^` ]*)(?: <.*>)?`$/#) {
        "invalid value \"\($0.1)\" for \($0.2)"
      }
      .replacing("Missing expected argument `", with: "Missing `")
  }

  /// What ArgumentParser advises, where that helps; a value of a number has a form.
  private func advice(on problem: String, in sentence: String?) -> String? {
    guard let sentence else {
      let isNumber = message.contains(#/is invalid for '.*<(number|seed)>'/#)
      return isNumber ? "give a whole number;" : nil
    }
    if let name = sentence.firstMatch(of: #/Did you mean `-*([^`]*)`/#),
      let word = problem.firstMatch(of: #/`-*([^`]*)`/#),
      nearestWord(to: String(word.1), in: [String(name.1)]) == nil
    {
      return nil
    }
    return sentence.replacing("Did you mean", with: "did you mean")
      .replacing(#/Please provide one of( the following:\s+-)?/#, with: "use one of")
      .replacing(#/\n\s+- /#, with: ", ")
      .replacing(#/([^.;?])[.]?$/#) { "\($0.1);" }
  }

  private static func diagnostic(_ problem: String, _ remedies: [String?]) -> Diagnostic {
    Diagnostic(
      .error,
      id: "usage",
      problem: problem.prefix(1).lowercased() + problem.dropFirst(),
      remedy: remedies.compactMap(\.self).joined(separator: " ")
    )
  }
}
