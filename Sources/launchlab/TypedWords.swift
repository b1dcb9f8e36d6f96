import ArgumentParser
import Foundation
import Rendering

/// A command that launches a program, which may follow its options with or without `--` before it.
protocol ProgramCommand: ParsableCommand {
  /// Whether a word that is no option is an argument of the command itself, and not the program.
  static func isArgument(_ word: String, in words: TypedWords) -> Bool
}

extension ProgramCommand {
  static func isArgument(_ word: String, in words: TypedWords) -> Bool { false }
}

/// The words of a command line that ArgumentParser refuses, as their user means them.
///
/// Options end at the first word that is none, as after `time` and `strace`: `--` is put before the
/// program there. Options of hyperfine, and former ones, become those of launchlab.
struct TypedWords {
  let path: CommandPath

  /// The words for ArgumentParser.
  private(set) var words: [String]

  /// The arguments of the command so far, and what follows the word that is looked at.
  private(set) var arguments: [String] = []
  private(set) var rest: ArraySlice<String>

  /// What the user should know of options that were left out or have another name.
  private(set) var notes: [String] = []

  private let page: HelpPage
  private var refusal: String?
  private var bounds: (low: String?, high: String?)

  /// - Parameter typed: The command line without the name of the program.
  init(_ typed: [String]) {
    path = CommandPath(typed)
    page = HelpPage(of: path.type)
    words = Array(typed.prefix(path.count))
    rest = typed.dropFirst(path.count)
    guard path.count > 0 else {
      words += rest
      return
    }
    var end: [String] = []
    while end.isEmpty, let word = rest.popFirst() {
      if word == "--" {
        end = [word] + rest
      } else if word.hasPrefix("-"), word != "-" {
        takeOption(word)
      } else if let type = path.type as? any ProgramCommand.Type, !type.isArgument(word, in: self) {
        end = ["--", word] + rest
      } else {
        arguments.append(word)
        words.append(word)
      }
    }
    addBounds()
    words += end
  }

  /// Parses a command line, also where its user left out `--` or gave options of hyperfine.
  ///
  /// - Throws: What ArgumentParser throws.
  static func parsed(
    _ typed: [String],
    note: @Sendable (String) -> Void = { _ in }
  ) throws -> any ParsableCommand {
    do {
      return try Launchlab.parseAsRoot(typed)
    } catch {
      let meant = TypedWords(typed)
      if let refusal = meant.refusal {
        throw ValidationError("\(refusal); try `\(meant.commandLine)`")
      }
      guard meant.words != typed else { throw error }
      let command = try Launchlab.parseAsRoot(meant.words)
      meant.notes.forEach(note)
      return command
    }
  }

  /// The words with which a shell calls launchlab.
  var commandLine: String {
    var shown = words
    if let end = words.firstIndex(of: "--") { shown.remove(at: end) }
    if TypedWords(shown).words != words { shown = words }
    return ShellQuoting.text(["launchlab"] + shown)
  }

  /// Whether the command has an option of this name.
  func knows(_ name: String) -> Bool { page.option(Self.renamed[name] ?? name) != nil }

  /// Whether an option was given so far.
  func has(_ option: String) -> Bool {
    words.contains { $0 == option || $0.hasPrefix("\(option)=") }
  }

  private mutating func takeOption(_ word: String) {
    let isLong = word.hasPrefix("--")
    let name = String(isLong ? word.prefix { $0 != "=" } : word.prefix(2))
    var joined = word.count > name.count ? String(word.dropFirst(name.count)) : nil
    if joined?.first == "=" { joined?.removeFirst() }
    if let option = page.option(name) {
      guard option.takesValue else { return takeFlags(word, isLong: isLong) }
      words += isLong || joined == nil ? [word] : [name, joined ?? ""]
      if joined == nil { takeValues(of: option) }
      return
    }
    if let own = Self.renamed[name], page.option(own) != nil {
      notes.append("\(name) is now \(own), whose file \(Self.readers) open")
      return takeOption(own + word.dropFirst(name.count))
    }
    guard let foreign = HyperfineOption.all.first(where: { $0.names.contains(name) }) else {
      words.append(word)
      return
    }
    var values = joined.map { [$0] } ?? []
    while values.count < foreign.valueCount, let value = rest.popFirst() { values.append(value) }
    if foreign.valueCount == 0, let joined {
      // Further flags of the same word.
      rest.insert("-\(joined)", at: rest.startIndex)
    }
    take(name, foreign, values)
  }

  /// Former options, with the present ones that do the same.
  private static let renamed = [
    "--speedscope": "--trace", "--firefox": "--trace", "--perfetto": "--trace",
  ]

  /// Speedscope takes a name that ends so for one of a file in its own format.
  private static let readers =
    "Perfetto, the Firefox Profiler and, by any name but *.speedscope.json, speedscope"

  /// Takes flags in one word such as `-vq`, the last of which may have a value.
  private mutating func takeFlags(_ word: String, isLong: Bool) {
    words.append(word)
    guard !isLong, let last = word.last, let option = page.option("-\(last)"), option.takesValue
    else { return }
    takeValues(of: option)
  }

  private mutating func takeValues(of option: HelpPage.Entry) {
    repeat {
      guard let value = rest.first, !option.takesSeveral || !value.hasPrefix("-") else { return }
      words.append(value)
      rest.removeFirst()
    } while option.takesSeveral
  }

  // MARK: - Options of hyperfine

  private mutating func take(_ name: String, _ option: HyperfineOption, _ values: [String]) {
    switch option.meaning {
    case .same(let own) where page.option(own) != nil: words += [own] + values
    case .same(let own): refuse(name, "`\(path.name)` has no `\(own)`")
    case .needless(let usual, let note?) where usual.isEmpty:
      notes.append("\(name) has no effect: \(note)")
    case .needless(let usual, let note):
      if let note, !values.allSatisfy(usual.contains) { refuse(name, note) }
    case .refused(let reason): refuse(name, reason)
    case .low: bounds.low = values.first
    case .high: bounds.high = values.first
    }
  }

  private mutating func refuse(_ name: String, _ reason: String) {
    if refusal == nil { refusal = "launchlab cannot use `\(name)` of hyperfine: \(reason)" }
  }

  /// The fewest and the most launches, where they may differ.
  private mutating func addBounds() {
    guard bounds.low != nil || bounds.high != nil, page.option("--launches") != nil else { return }
    if path.type is Launchlab.Compare.Type {
      let low = bounds.low ?? "\(min(10, bounds.high.flatMap(Int.init) ?? 10))"
      let high = bounds.high ?? "\(max(1_280, bounds.low.flatMap(Int.init) ?? 0))"
      words += ["--launches", "\(low)..\(high)"]
    } else {
      refuse(bounds.low == nil ? "--max-runs" : "--min-runs", "it makes a fixed number of launches")
      words += ["--launches", bounds.high ?? bounds.low ?? ""]
    }
  }
}

/// An option of hyperfine that launchlab has under another name, or not.
struct HyperfineOption {
  enum Meaning {
    /// An option of launchlab does the same.
    case same(String)

    /// launchlab always works as with one of these values; with a note of why any other has no effect.
    case needless([String], String? = nil)

    case refused(String)
    case low
    case high
  }

  let names: [String]
  let meaning: Meaning
  let valueCount: Int

  private init(_ names: [String], _ meaning: Meaning, values: Int = 1) {
    self.names = names
    self.meaning = meaning
    valueCount = values
  }

  static let all = [
    Self(["-r", "--runs"], .same("--launches")),
    Self(["-m", "--min-runs"], .low),
    Self(["-M", "--max-runs"], .high),
    Self(["-w", "--warmup"], .needless([], "unmeasured launches precede warm ones by themselves")),
    Self(["-p"], .same("--prepare")),
    Self(["-C"], .same("--conclude")),
    Self(["-s"], .same("--setup")),
    Self(["-c"], .same("--cleanup")),
    Self(["-N"], .needless([]), values: 0),
    Self(
      ["-S", "--shell"],
      .needless(["none"], "no shell is used; launch `sh -c` to measure one")
    ),
    Self(["--input"], .same("--stdin")),
    Self(["--output"], .needless(["null"], "what a measured program prints is not shown")),
    Self(["--show-output"], .refused("what a measured program prints is not shown"), values: 0),
    Self(["--export-json"], .same("--export-hyperfine")),
    Self(["--export-markdown"], .same("--markdown")),
    Self(["--export-csv"], .refused("use `launchlab export --format csv` afterwards")),
    Self(["--export-asciidoc", "--export-orgmode"], .refused("there is no such format")),
    Self(["-n", "--command-name"], .refused("targets have the names of the scenario")),
    Self(["--reference-name"], .refused("give `launchlab compare` a --command-name per command")),
    Self(["--reference"], .refused("`launchlab compare` compares with its first command")),
    Self(
      ["-P", "--parameter-scan"],
      .refused("give `launchlab compare` a command per value"),
      values: 3
    ),
    Self(
      ["-L", "--parameter-list"],
      .refused("give `launchlab compare` a command per value"),
      values: 2
    ),
    Self(["-D", "--parameter-step-size"], .refused("there are no parameters")),
    Self(["-u", "--time-unit"], .refused("units are chosen by themselves")),
    Self(["--style"], .refused("colours depend on the terminal and on NO_COLOR")),
    Self(["--sort"], .refused("results have the order of the commands")),
    Self(["--min-benchmarking-time"], .refused("give a number, or `compare` a --max-time")),
  ]
}

extension String {
  /// The text as one word of a shell.
  var shellWord: String { ShellQuoting.text([self]) }

  var namesYAML: Bool { hasSuffix(".yml") || hasSuffix(".yaml") }

  /// Whether it is the path of a scenario file, by its name, or by being a file that is no program.
  var namesScenario: Bool {
    namesYAML || isFile && !FileManager.default.isExecutableFile(atPath: self)
  }

  /// Whether there is a program of this path, or of this name in `PATH`.
  var namesProgram: Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let places = contains("/") ? [self] : path.split(separator: ":").map { "\($0)/\(self)" }
    return places.contains { $0.isFile && FileManager.default.isExecutableFile(atPath: $0) }
  }

  var namesFile: Bool { FileManager.default.fileExists(atPath: self) }

  private var isFile: Bool { namesFile && !"\(self)/.".namesFile }
}
