/// Reads what Python writes for `-X importtime`.
///
/// Modules come after those that they import. Source: Python/import.c of CPython 3.7 to 3.14.
struct PythonImportReader: LoaderLogReader {
  private var blocks = BlockList(LoaderLogFormat.pythonImportTime)

  var found: [FoundBlock] { blocks.found }

  mutating func take(_ line: inout LineScanner) -> Bool {
    guard line.find("import time:") else { return false }
    line.blanks()
    if line.take("self [us]") {
      blocks.open(line: line.number)
      return true
    }
    guard let own = cell(&line), let cumulative = cell(&line) else { return false }
    let indent = line.skip { $0 == Ascii.space }.count
    line.trimEnd()
    guard !line.isAtEnd else { return false }
    var value = LoaderLogValue(
      name: line.text(line.position..<line.end),
      amount: Self.amount(cumulative),
      line: line.number
    )
    value.own = Self.amount(own)
    value.depth = max(0, indent - 1) / 2
    if value.amount == nil { value.flags = [LoaderLogFlag.cached] }
    blocks.add(value)
    return true
  }

  /// A cell and the bar after it: digits, or `cached` for a module that was not imported again.
  private func cell(_ line: inout LineScanner) -> String? {
    line.blanks()
    let text = line.take("cached") ? "" : line.text(line.digits())
    let isCached = text.isEmpty && line.bytes[line.position - 1] == UInt8(ascii: "d")
    line.blanks()
    guard line.take(UInt8(ascii: "|")), isCached || !text.isEmpty else { return nil }
    return text
  }

  private static func amount(_ printed: String) -> LoaderLogAmount? {
    printed.isEmpty ? nil : LoaderLogAmount(printed, .microseconds)
  }
}
