package import LaunchCore
package import Measuring
import Scenarios

/// Which targets are launched in the same blocks, and how they are judged.
package struct CompareRequest: Sendable {
  /// Its targets are those of the pairs.
  package var scenario: Scenario

  /// Names of targets of the scenario, at least one pair.
  package var pairs: [ComparedPair]

  /// At least one, each once.
  package var metrics: [Metric]

  /// When two targets are called different, before the looks and the noise of the host are known.
  package var rule: ComparisonRule

  /// What the run is stored as.
  package var purpose: RunRecord.Purpose

  /// Which night of a fleet it is part of.
  package var slot: FleetSlot?

  /// The absolute path of the SQLite file.
  package var store: String

  /// The seed of the blocks and of the resampling; drawn when nil.
  package var seed: UInt64?

  /// The command that repeats the comparison.
  package var commandLine: [String]

  package init(
    scenario: Scenario,
    pairs: [ComparedPair],
    metrics: [Metric] = [.launch],
    rule: ComparisonRule = ComparisonRule(),
    purpose: RunRecord.Purpose = .comparison,
    store: String,
    seed: UInt64? = nil,
    commandLine: [String]
  ) {
    self.scenario = scenario
    self.pairs = pairs
    self.metrics = metrics
    self.rule = rule
    self.purpose = purpose
    self.store = store
    self.seed = seed
    self.commandLine = commandLine
  }
}

extension CompareRequest {
  /// Compares command lines; each with the first one.
  ///
  /// The targets are called A, B and so on, unless they are given names.
  ///
  /// - Throws: `ScenarioError` with every problem of the options, and ``WorkflowError``.
  package init(commands options: CompareOptions) throws {
    guard (2...Self.names.count).contains(options.words.count) else {
      throw WorkflowError.badOption(
        name: "the number of commands",
        value: "\(options.words.count)",
        expected: "2 to \(Self.names.count) commands, each in quotes"
      )
    }
    let rule = try options.rule(in: nil)
    let count = try options.launchCount() ?? LaunchCount().bounding(rule.tailLimit)
    let commands = try options.words.map { try CommandWords($0).words }
    let names = options.launching.names
    guard names.isEmpty || names.count == commands.count && Set(names).count == names.count else {
      throw WorkflowError.badOption(
        name: "--command-name",
        value: names.joined(separator: ", "),
        expected: "\(commands.count) different names, one for each command"
      )
    }
    let scenarios = try commands.enumerated().map { index, command in
      var launching = options.launching.launching(command, at: index, of: commands.count)
      launching.launches = count.fewest
      if launching.states.isEmpty { launching.states = [LaunchState.warm.rawValue] }
      return try ScenarioFile.loadForLaunch(options: launching)
    }
    var scenario = scenarios[0]
    try Preflight.check(scenario.controls?.suppressed ?? [])
    scenario.name = "compare"
    scenario.adaptive = count.adaptive
    let chosen = names.isEmpty ? Self.names : names
    let targets = zip(chosen, scenarios.flatMap(\.targets)).map { name, target in
      var target = target
      target.name = name
      return target
    }
    let store = StoreLocation.path(options.store, beside: scenario.directory)
    let compared = scenario.comparing(targets)
    try options.files.keeping(store: store).reading(compared).check()
    self.init(
      scenario: compared,
      pairs: targets.dropFirst().map { target in
        ComparedPair(name: target.name, baseline: targets[0].name, candidate: target.name)
      },
      metrics: try options.chosenMetrics(),
      rule: rule,
      store: store,
      seed: options.seed,
      commandLine: ["launchlab", "compare"] + options.words
    )
  }

  /// What commands are called, in their order.
  private static let names = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map { String($0) }
}

/// A command line as words, split as a POSIX shell would, but that nothing is expanded.
///
/// Blanks separate words. Single quotes keep everything, double quotes everything but a backslash
/// before `"`, `\`, `$`, a grave accent or a line feed, and a backslash elsewhere keeps the next
/// character. A dollar sign, a star or a tilde stands for itself.
package struct CommandWords: Hashable, Sendable {
  /// At least one word.
  package let words: [String]

  /// Splits a command line.
  ///
  /// - Throws: ``WorkflowError/badCommandLine(_:reason:remedy:)`` for no words, an open quote, and
  ///   characters that only a shell could obey, such as `|`.
  package init(_ text: String) throws(WorkflowError) {
    var splitter = Splitter(text: text)
    words = try splitter.words()
    guard !words.isEmpty else {
      throw .badCommandLine(
        text,
        reason: "it is empty",
        remedy: "give a program, such as \"ls -l\""
      )
    }
  }
}

/// Reads a command line from its beginning to its end.
private struct Splitter {
  let text: String

  private var rest: Substring
  private var found: [String] = []

  /// The word that is being read; nil between words, and empty after `''`.
  private var word: String?

  init(text: String) {
    self.text = text
    rest = text[...]
  }

  mutating func words() throws(WorkflowError) -> [String] {
    while let character = rest.popFirst() {
      switch character {
      case " ", "\t", "\n", "\r\n": endWord()
      case "'": try readSingleQuoted()
      case "\"": try readDoubleQuoted()
      case "\\": try readEscaped()
      case "|", "&", ";", "<", ">": throw shellNeeded(character)
      default: word = (word ?? "") + String(character)
      }
    }
    endWord()
    return found
  }

  private mutating func endWord() {
    if let word { found.append(word) }
    word = nil
  }

  private mutating func readSingleQuoted() throws(WorkflowError) {
    guard let end = rest.firstIndex(of: "'") else { throw open("single") }
    word = (word ?? "") + rest[..<end]
    rest = rest[rest.index(after: end)...]
  }

  private mutating func readDoubleQuoted() throws(WorkflowError) {
    var quoted = word ?? ""
    while let character = rest.popFirst() {
      if character == "\"" {
        word = quoted
        return
      }
      guard character == "\\", let next = rest.first, "\"\\$`\n".contains(next) else {
        quoted.append(character)
        continue
      }
      rest.removeFirst()
      if next != "\n" { quoted.append(next) }
    }
    throw open("double")
  }

  private mutating func readEscaped() throws(WorkflowError) {
    guard let next = rest.popFirst() else {
      throw .badCommandLine(
        text,
        reason: "nothing follows the last backslash",
        remedy: "write \\\\ for a backslash"
      )
    }
    if next != "\n" { word = (word ?? "") + String(next) }
  }

  private func open(_ kind: String) -> WorkflowError {
    .badCommandLine(
      text,
      reason: "a \(kind) quote has no end",
      remedy: "close it, or write \\ before it"
    )
  }

  private func shellNeeded(_ character: Character) -> WorkflowError {
    .badCommandLine(
      text,
      reason: "there is no shell to interpret \(character)",
      remedy:
        "quote it to use it literally, or compare \"sh -c '…'\", with the shell's own "
        + "launch in it"
    )
  }
}
