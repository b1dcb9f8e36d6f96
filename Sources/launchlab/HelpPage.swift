import ArgumentParser

/// The help of a command as ArgumentParser writes it, with its options in sections.
///
/// It is also where the options of a command are looked up, with whether they take a value.
struct HelpPage {
  /// An argument, an option or a subcommand, with its explanation.
  struct Entry: Equatable {
    var lines: [String]

    /// All names, such as `-l` and `--launches`.
    var names: [String] {
      label.split(separator: #/, |\//#).map { String($0.prefix { $0 != " " }) }
    }

    var takesValue: Bool { label.contains("<") }

    /// Whether all words up to the next option are values, which the name of the value then says.
    var takesSeveral: Bool { label.hasSuffix("s>") }

    private var label: Substring {
      let line = lines[0].dropFirst(2)
      let option = line.prefixMatch(of: #/(?:--?[A-Za-z][A-Za-z-]*(?:, |\/)?)+(?: <[^>]*>)?/#)
      return option?.0 ?? line.prefix { $0 != " " }
    }
  }

  private var head: [String] = []
  private var arguments: [Entry] = []
  private(set) var options: [Entry] = []
  private var commands: [Entry] = []
  private var foot: [String] = []

  /// Reads what ArgumentParser wrote.
  init(_ text: String) {
    var header = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if ["ARGUMENTS:", "OPTIONS:", "SUBCOMMANDS:"].contains(line) {
        header = line
        continue
      }
      if line.hasPrefix("  See '") { header = "SEE" }
      switch header {
      case "ARGUMENTS:": Self.add(line, to: &arguments)
      case "OPTIONS:": Self.add(line, to: &options)
      case "SUBCOMMANDS:": Self.add(line, to: &commands)
      case "SEE": foot.append(line)
      // ArgumentParser does not know that `--` may be left out.
      default: head.append(line.replacing(" -- [<command>", with: " [--] [<command>"))
      }
    }
  }

  init(of type: any ParsableCommand.Type) {
    self.init(Launchlab.helpMessage(for: type, columns: 80))
  }

  private static func add(_ line: String, to entries: inout [Entry]) {
    guard !line.isEmpty else { return }
    if line.hasPrefix("   ") {
      entries[entries.endIndex - 1].lines.append(line)
    } else {
      entries.append(Entry(lines: [line]))
    }
  }

  /// The option of a name such as `--launches` or `-l`.
  func option(_ name: String) -> Entry? { options.first { $0.names.contains(name) } }

  // MARK: - What is shown

  /// Everything; the ten options used most come first where there are many.
  var text: String {
    var blocks = [head, Self.section("ARGUMENTS", arguments)]
    if options.count <= 12 {
      blocks.append(Self.section("OPTIONS", options))
    } else {
      let most = Self.most(options)
      blocks.append(Self.section("OPTIONS", most))
      var rest = options.filter { !most.contains($0) }
      for (title, names) in Self.sections {
        let own = rest.filter { !names.isDisjoint(with: $0.names) }
        rest.removeAll { !names.isDisjoint(with: $0.names) }
        blocks.append(Self.section(title, own))
      }
      blocks.append(Self.section("OTHER OPTIONS", rest))
    }
    return Self.joined(blocks + [Self.section("SUBCOMMANDS", commands), foot])
  }

  /// What fits on a screen of 45 lines: all of a short page, else what is used most.
  ///
  /// - Parameter command: Such as `launchlab measure`.
  /// - Returns: Lines without a line feed after the last one.
  func brief(of command: String) -> String {
    guard text.split(separator: "\n", omittingEmptySubsequences: false).count > Self.height else {
      return text
    }
    var head = head
    var (options, commands) = (Self.most(options), Self.most(commands))
    while true {
      let hidden = self.options.count + self.commands.count - options.count - commands.count
      let note = hidden == 0 ? [] : ["  \(hidden) more: see `\(command) --help`"]
      let page = Self.joined([
        head, Self.section("ARGUMENTS", arguments), Self.section("OPTIONS", options),
        Self.section("SUBCOMMANDS", commands), note,
      ])
      if page.split(separator: "\n", omittingEmptySubsequences: false).count <= Self.height {
        return page
      }
      // Paragraphs before the usage go first, from the last on.
      if let end = head.firstIndex(where: { $0.hasPrefix("USAGE:") }), end > 1,
        let start = head[..<(end - 1)].lastIndex(of: "")
      {
        head.removeSubrange(start..<(end - 1))
      } else if options.popLast() == nil {
        return page
      }
    }
  }

  private static let height = 45

  private static func section(_ title: String, _ entries: [Entry]) -> [String] {
    entries.isEmpty ? [] : ["\(title):"] + entries.flatMap(\.lines)
  }

  private static func joined(_ blocks: [[String]]) -> String {
    blocks.map { block in
      Array(block.reversed().drop(while: \.isEmpty).reversed())
    }
    .filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  /// The ten that are used most, in that order.
  private static func most(_ entries: [Entry]) -> [Entry] {
    let ranked = entries.enumerated().sorted {
      (place($0.element), $0.offset) < (place($1.element), $1.offset)
    }
    return ranked.prefix(10).map(\.element)
  }

  private static func place(_ entry: Entry) -> Int {
    entry.names.compactMap(mostUsed.firstIndex).min() ?? mostUsed.count
  }

  /// Options and subcommands, the ones that are used most first.
  static let mostUsed = [
    "--state", "--launches", "--revisions", "--parse", "--scenario", "--build", "--artifacts",
    "--alert", "--bisect", "--resume", "--target", "--metric", "--ready", "--prepare", "--slow",
    "--env", "--timeout", "--tty", "--max-time", "--json", "--markdown", "--verbose", "--quiet",
    "--dry-run", "--revision", "--report", "--no-verdict", "--collect", "--run", "--output",
    "--junit", "--fail-on", "--all",
    "measure", "compare", "run", "init", "explain", "stages", "bisect", "gate", "report", "doctor",
  ]

  /// The sections of further options, in this order.
  static let sections: [(title: String, names: Set<String>)] = [
    (
      "WHAT TO LAUNCH",
      [
        "--command-name", "--env", "--stdin", "--tty", "--display", "--program", "--prepare",
        "--conclude",
        "--setup", "--cleanup", "--exit-status", "--ignore-exit-status", "--baseline", "--counter",
        "--target", "--build", "--submodules", "--revision", "--release", "--skip", "--path",
      ]
    ),
    (
      "UNTIL WHEN A TARGET RUNS",
      ["--ready", "--timeout", "--stop-signal", "--stop-grace", "--stop-when", "--stop-after"]
    ),
    ("COLD STATES", ["--files", "--own", "--install", "--home", "--state-directory"]),
    (
      "HOW MUCH IS MEASURED",
      [
        "--launches", "--max-time", "--time", "--precision", "--effect", "--confidence", "--find",
        "--min-effect", "--all", "--force", "--max-launches", "--max-builds", "--build-timeout",
        "--jobs", "--retry-failed", "--no-explain", "--callgrind", "--collector", "--collect",
        "--probe-hidden", "--no-verdict", "--no-proof", "--metric", "--backdate",
      ]
    ),
    ("MACHINE", ["--control", "--suppress", "--wait", "--seed"]),
    (
      "OUTPUT",
      [
        "--store", "--json", "--markdown", "--export-hyperfine", "--film", "--verbose", "--quiet",
        "--report", "--output", "--svg", "--trace", "--git-log", "--sarif", "--junit",
        "--code-quality", "--metrics", "--openmetrics", "--template", "--print-template",
        "--charts", "--fail-on",
      ]
    ),
  ]
}
