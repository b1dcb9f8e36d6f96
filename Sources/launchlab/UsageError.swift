import ArgumentParser
import LaunchCore
import Rendering

/// What is wrong with a command line, in the form of all other errors.
struct UsageError {
  private let message: String

  private let path: CommandPath
  private let words: [String]

  /// - Parameters:
  ///   - error: An error of ArgumentParser, or of a command's own validation.
  ///   - words: The command line without the name of the program.
  init(_ error: any Error, words: [String]) {
    message = Launchlab.message(for: error)
    path = CommandPath(words)
    self.words = words
  }

  var isOfUnknownCommand: Bool { path.unknown != nil }

  var diagnostic: Diagnostic {
    let help = "see `\(path.name) --help`"
    if let unknown = path.unknown {
      let nearest = nearestWord(to: unknown.word, in: unknown.names)
      return Self.diagnostic(
        "unknown command \"\(unknown.word)\"",
        [nearest.map { "did you mean `\(path.name) \($0)`?" } ?? toMeasure(unknown.word), help]
      )
    }
    let own = message.split(separator: "; try ", maxSplits: 1)
    if own.count == 2 { return Self.diagnostic(String(own[0]), ["try \(withOptions(own[1]))"]) }
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
    if let option = problem.wholeMatch(of: #/Missing `(--[a-z-]+) <(.*)>`/#) {
      return "try `\(commandLine(adding: [String(option.1), option.2.uppercased()]))`;"
    }
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
    if let name = sentence.firstMatch(of: #/Did you mean `([^`]*)`/#),
      let word = problem.firstMatch(of: #/`([^`]*)`/#)
    {
      return "did you mean `\(commandLine(replacing: word.1, by: name.1))`?"
    }
    return
      sentence
      .replacing(#/Please provide one of( the following:\s+-)?/#, with: "use one of")
      .replacing(#/\n\s+- /#, with: ", ")
      .replacing(#/([^.;?])[.]?$/#) { "\($0.1);" }
  }

  /// What to type to measure a program whose name stands where a command has to be.
  private func toMeasure(_ word: String) -> String? {
    guard path.count == 0, word.namesProgram, words.first == word else { return nil }
    return "try `\(TypedWords(["measure"] + words).commandLine)`;"
  }

  /// An example of a program after the options that were typed, where only the program is missing.
  private func withOptions(_ example: Substring) -> String {
    let typed = words.dropFirst(path.count)
    guard message.hasPrefix("missing the command"), !typed.isEmpty, !typed.contains("--") else {
      return String(example)
    }
    let options = ShellQuoting.text(Array(typed))
    return String(example).replacing("`\(path.name) ", with: "`\(path.name) \(options) ")
  }

  private func commandLine(replacing option: Substring, by name: Substring) -> String {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    var mended = words
    if let place = words[..<end].firstIndex(where: { $0.prefix { $0 != "=" } == option }) {
      mended[place] = String(name) + mended[place].dropFirst(option.count)
    }
    return TypedWords(mended).commandLine
  }

  private func commandLine(adding option: [String]) -> String {
    var mended = TypedWords(words).words
    mended.insert(contentsOf: option, at: mended.firstIndex(of: "--") ?? mended.endIndex)
    return TypedWords(mended).commandLine
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
