@testable import LaunchCore
@testable import Stages

/// What a model of a printer writes, and what a reader of it must find.
struct PrintedText {
  var lines: [String] = []

  /// What each block must give, in the form of ``LoaderLogResult/facts``.
  var facts: [[String]] = []

  var text: String { lines.map { $0 + "\n" }.joined() }

  static func + (first: Self, second: Self) -> Self {
    PrintedText(lines: first.lines + second.lines, facts: first.facts + second.facts)
  }
}

extension LoaderLogResult {
  /// All that the blocks say but for where they stand and what marks the lines carry.
  var facts: [[String]] {
    blocks.map { block in
      let total = block.total.map { ["total " + fact($0)] } ?? []
      let marks = ["elided", "localized_decimal", "markup", "nbsp", "quoted"]
      return ["format \(block.format) \(block.isStandard)"] + total
        + block.stages.map { "stage " + fact($0) } + block.images.map { "image " + fact($0) }
        + block.counters.map { "count \($0.key)=\($0.value)" }.sorted()
        + block.flags.filter { !marks.contains($0) }.map { "flag \($0)" }
    }
  }

  /// What was not read as it was printed; nil when all was.
  func difference(from printed: PrintedText) -> String? {
    guard facts != printed.facts else { return nil }
    guard facts.count == printed.facts.count else {
      return "\(facts.count) blocks for \(printed.facts.count)"
    }
    return zip(facts, printed.facts).flatMap { $0.difference(from: $1) }.map { change in
      switch change {
      case .insert(_, let fact, _): "read \(fact)"
      case .remove(_, let fact, _): "lost \(fact)"
      }
    }.joined(separator: "; ")
  }

  private func fact(_ value: LoaderLogValue) -> String {
    let amount = value.amount
    var parts = [
      value.name, amount?.seconds ?? "-", amount?.printed ?? "-", amount?.unit.rawValue ?? "-",
      value.percent ?? "-",
    ]
    parts += value.instant.map { ["@\($0.seconds ?? "-")"] } ?? []
    parts += value.own.map { ["self \($0.seconds ?? "-")"] } ?? []
    parts += value.depth.map { ["depth \($0)"] } ?? []
    parts += value.pid.map { ["pid \($0)"] } ?? []
    parts += value.cycles.map { ["cycles \($0)"] } ?? []
    parts += value.counters.map { "\($0.key)=\($0.value)" }.sorted() + value.flags
    return parts.joined(separator: "|")
  }
}

/// The decimal digits that a count of small units has in a large one, without zeros at the end.
func decimal(_ count: UInt64, places: Int) -> String {
  var digits = "\(count)"
  digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
  guard places > 0 else { return digits }
  var fraction = String(digits.suffix(places))
  while fraction.hasSuffix("0") { fraction.removeLast() }
  let whole = String(digits.dropLast(places))
  return fraction.isEmpty ? whole : whole + "." + fraction
}

extension String {
  /// At the right end of a field of so many characters, as `%5s` prints.
  func right(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - utf8.count)) + self
  }
}

extension SplitMix64 {
  mutating func pick<T>(_ values: [T]) -> T { values[next(below: values.count)] }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { next(below: whole) < part }

  /// A number whose digits are as likely few as many, below ten to the power of `digits`.
  mutating func spread(digits: Int) -> UInt64 {
    let count = 1 + next(below: digits)
    return (0..<count).reduce(0) { sum, _ in sum * 10 + UInt64(next(below: 10)) }
  }
}
