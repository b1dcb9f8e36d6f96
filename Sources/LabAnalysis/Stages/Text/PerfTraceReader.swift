/// Reads the lines of `perf trace`, such as `0.279 ( 0.016 ms): true/19288 openat(…) = 3`.
struct PerfTraceReader: StageTextReader {
  private var blocks = BlockList(StageTextFormat.perfTrace)

  var found: [FoundBlock] { blocks.found }

  mutating func take(_ line: inout LineScanner) -> Bool {
    line.blanks()
    let start = line.take(UInt8(ascii: "?")) ? nil : line.decimal()
    guard start != nil || line.position > line.range.lowerBound else { return false }
    line.blanks()
    guard line.take(Ascii.opening) else { return false }
    line.blanks()
    let duration = line.decimal()
    line.blanks()
    if duration != nil, !line.take("ms") { return false }
    guard line.take("):") else { return false }
    line.blanks()
    let pid = Self.process(&line)
    line.blanks()
    if line.take("... [continued]:") { line.blanks() }
    let name = line.skip { Ascii.isLetter($0) || Ascii.isDigit($0) || $0 == UInt8(ascii: "_") }
    guard !name.isEmpty, line.take(Ascii.opening) else { return false }
    var value = StageTextValue(
      name: line.text(name),
      amount: duration.map { StageTextAmount($0, .milliseconds) },
      line: line.number,
      instant: start.map { StageTextAmount($0, .milliseconds) }
    )
    value.pid = pid
    blocks.add(value)
    return true
  }

  /// The number in a process such as `Web Content/19288`; nil when the line does not tell it.
  private static func process(_ line: inout LineScanner) -> Int64? {
    let start = line.position
    // The kernel keeps 15 bytes of a name, blanks among them.
    while line.position - start <= 16, !line.isAtEnd {
      guard line.take("/") else {
        line.advance()
        continue
      }
      if let pid = line.integer(), line.next == Ascii.space { return pid }
    }
    line.position = start
    return nil
  }
}
