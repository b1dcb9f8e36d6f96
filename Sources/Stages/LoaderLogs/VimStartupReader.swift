/// Reads what Vim and Neovim write for `--startuptime`.
///
/// Sourced files come after those that they source. Source: `time_msg` in src/main.c of Vim 9.0
/// and src/nvim/profile.c of Neovim 0.7 to 0.10.
struct VimStartupReader: LoaderLogReader {
  private var blocks = BlockList(LoaderLogFormat.vimStartupTime)

  mutating func take(_ line: inout LineScanner) -> Bool {
    line.blanks()
    let start = line.position
    if line.take("times in msec") || line.take("--- Startup times for process:") {
      let isBegun = blocks.hasOpenBlock && blocks.count == 0
      if isBegun { blocks.use(line: line.number) } else { blocks.open(line: line.number) }
      return true
    }
    guard blocks.hasOpenBlock else { return false }
    if line.take("clock ") {
      blocks.use(line: line.number)
      return true
    }
    line.position = start
    guard let clock = Self.number(&line), let time = Self.number(&line) else { return false }
    let own = Self.number(&line)
    guard line.take(": ") else { return false }
    line.trimEnd()
    guard !line.isAtEnd else { return false }
    var value = LoaderLogValue(
      name: line.text(line.position..<line.end),
      amount: LoaderLogAmount(time, .milliseconds),
      line: line.number,
      instant: LoaderLogAmount(clock, .milliseconds)
    )
    value.own = own.map { LoaderLogAmount($0, .milliseconds) }
    blocks.add(value)
    return true
  }

  /// A number of three decimals, with the blanks before it.
  private static func number(_ line: inout LineScanner) -> String? {
    let start = line.position
    line.blanks()
    guard let number = line.decimal(), ExactDecimal.fractionDigits(of: number) == 3 else {
      line.position = start
      return nil
    }
    return number
  }

  var found: [FoundBlock] {
    blocks.found.map { found in
      var found = found
      found.block = found.block.map { block in
        var block = block
        Self.nest(&block.stages)
        let last = block.stages.last
        block.total = last.map {
          LoaderLogValue(name: "total", amount: $0.instant, line: $0.line)
        }
        return block
      }
      return found
    }
  }

  /// Sets how deep each value is nested: a file holds what was printed since it began.
  private static func nest(_ values: inout [LoaderLogValue]) {
    var parents = [Int?](repeating: nil, count: values.count)
    var roots: [Int] = []
    for index in values.indices {
      if values[index].own != nil, let end = values[index].instant?.nanoseconds,
        let time = values[index].amount?.nanoseconds
      {
        let began = end.subtractingReportingOverflow(time).partialValue
        while let last = roots.last, (values[last].instant?.nanoseconds ?? 0) > began {
          parents[last] = index
          roots.removeLast()
        }
      }
      roots.append(index)
    }
    // A parent comes after its children, so that backwards its depth is known first.
    for index in values.indices.reversed() {
      values[index].depth = parents[index].map { (values[$0].depth ?? 0) + 1 } ?? 0
    }
  }
}
