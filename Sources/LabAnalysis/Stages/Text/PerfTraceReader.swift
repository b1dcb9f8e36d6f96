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

  /// The number in a process such as `true/19288`; nil when the line does not tell it.
  private static func process(_ line: inout LineScanner) -> Int64? {
    let start = line.position
    let word = line.skip { !LineScanner.isAsciiBlank($0) && $0 != Ascii.opening }
    guard let slash = line.bytes[word].lastIndex(of: UInt8(ascii: "/")),
      let pid = Int64(line.text(slash + 1..<word.upperBound))
    else {
      line.position = start
      return nil
    }
    return pid
  }
}
