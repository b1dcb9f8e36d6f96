import LaunchCore
import LaunchStatistics
import Rendering

/// The modules of launches in words: those that differ, or the largest of one program.
struct ModuleText {
  private let comparison: ModuleComparison
  private let isSingle: Bool

  init?(_ result: ExplanationResult) {
    guard let comparison = result.modules else { return nil }
    self.comparison = comparison
    isSingle = result.outcome == .single
  }

  /// How many modules are shown, unless all are.
  private static let shown = 7

  private var unit: String { comparison.runtime.unit }

  private var numbers: ExplanationNumbers {
    let times = [comparison.total] + comparison.modules.map(\.change)
    let sizes = times.map { isSingle ? $0.after : $0.difference.magnitude }
    return ExplanationNumbers(forTableUpTo: sizes.max() ?? .zero)
  }

  /// Those that are shown, and how many are left out.
  private func shown(isVerbose: Bool) -> (modules: [ModuleComparison.Change], rest: Int) {
    let told = comparison.modules.filter { isSingle ? $0.change.after > .zero : $0.isSignificant }
    let shown = isVerbose ? told : Array(told.prefix(Self.shown))
    return (shown, told.count - shown.count)
  }

  /// A heading and a table; nothing where no module differs.
  func lines(isVerbose: Bool, style: TextStyle) -> [String] {
    let (modules, rest) = shown(isVerbose: isVerbose)
    guard !modules.isEmpty else { return [] }
    let numbers = numbers
    var rows = modules.map { module in
      [
        TextTable.Cell(Self.title(of: module).printable, module.isSignificant ? .bold : nil),
        TextTable.Cell(time(of: module.change, numbers)),
        TextTable.Cell(module.share.map(ExplanationNumbers.percent) ?? ""),
        TextTable.Cell(half(of: module.change, numbers), .dim),
        TextTable.Cell(module.importer.map { "in \($0)".printable } ?? "", .dim),
      ]
    }
    if rest > 0 {
      rows.append([
        TextTable.Cell("\(Quantity.count(rest, "smaller \(unit)")): see -v", .dim),
        TextTable.Cell(""), TextTable.Cell(""), TextTable.Cell(""), TextTable.Cell(""),
      ])
    }
    rows.append([
      TextTable.Cell("all \(unit)s", .dim), TextTable.Cell(time(of: comparison.total, numbers)),
      TextTable.Cell(""), TextTable.Cell(half(of: comparison.total, numbers), .dim),
      TextTable.Cell(""),
    ])
    let table = TextTable(columns: [.left, .decimal, .right, .decimal, .left], rows: rows)
    return ["by \(unit), as \(comparison.runtime.teller) tells:"]
      + table.lines(style: style).map { "  \($0)".truncated(to: style.width) }
  }

  /// The same as a table in Markdown.
  var markdown: [String] {
    let modules = shown(isVerbose: false).modules
    guard !modules.isEmpty else { return [] }
    let numbers = numbers
    let rows = modules.map { module in
      [
        Phrase.code(Self.title(of: module)),
        [time(of: module.change, numbers), half(of: module.change, numbers)]
          .filter { !$0.isEmpty }.joined(separator: " "),
        module.share.map(ExplanationNumbers.percent) ?? "",
        module.importer.map(Phrase.code) ?? "",
      ]
    }
    return MarkdownTable(
      titles: [unit, isSingle ? "time" : "difference", "share", "loaded by"],
      textColumns: [0, 3],
      rows: rows
    ).lines
  }

  /// Such as `importlib.metadata (new, with 31 others)`.
  private static func title(of module: ModuleComparison.Change) -> String {
    let novelty = module.novelty.flatMap(ExplanationWords.word)
    let others =
      module.others.isEmpty ? nil : "with \(Quantity.count(module.others.count, "other"))"
    let words = [novelty, others].compactMap(\.self)
    return words.isEmpty ? module.name : "\(module.name) (\(words.joined(separator: ", ")))"
  }

  private func time(of change: TimeChange, _ numbers: ExplanationNumbers) -> String {
    isSingle ? numbers.text(change.after) : numbers.signed(change.difference)
  }

  private func half(of change: TimeChange, _ numbers: ExplanationNumbers) -> String {
    change.interval.map { "± \(numbers.number(($0.high - $0.low) / 2))" } ?? ""
  }
}

extension ModuleRuntime {
  /// What prints the times.
  fileprivate var teller: String {
    switch self {
    case .python: "python -X importtime"
    case .go: "GODEBUG=inittrace=1"
    case .java: "java -Xlog:startuptime"
    case .node: "a wrapper of Node's require"
    }
  }

  /// What it tells of.
  fileprivate var unit: String { self == .java ? "phase" : "module" }
}
