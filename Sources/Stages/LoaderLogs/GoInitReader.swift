/// Reads what Go programs write for `GODEBUG=inittrace=1`.
///
/// A time that goes back begins a block. Source: `doInit1` and `fmtNSAsMS` in src/runtime of Go
/// 1.16 to 1.24.
struct GoInitReader: LoaderLogReader {
  private var blocks = BlockList(LoaderLogFormat.goInitTrace)
  private var latest: Int64 = 0

  var found: [FoundBlock] { blocks.found }

  mutating func take(_ line: inout LineScanner) -> Bool {
    guard line.find("init "), line.passBlanks(), let package = line.takeWord(), line.passBlanks(),
      line.take("@"), let start = line.decimal(), line.take(" ms,"), line.passBlanks(),
      let clock = line.decimal(), line.take(" ms clock,"), line.passBlanks(),
      let bytes = line.integer(), line.take(" bytes,"), line.passBlanks(),
      let count = line.integer(), line.take(" allocs")
    else { return false }
    let instant = Self.amount(start)
    let time = instant.nanoseconds ?? latest
    if time < latest { blocks.close() }
    latest = time
    var value = LoaderLogValue(
      name: package,
      amount: Self.amount(clock),
      line: line.number,
      instant: instant
    )
    value.counters = ["bytes": bytes, "allocs": count]
    blocks.add(value)
    return true
  }

  /// An amount in milliseconds; a zero is less than a microsecond.
  private static func amount(_ printed: String) -> LoaderLogAmount {
    var amount = LoaderLogAmount(printed, .milliseconds)
    if printed == "0" { (amount.places, amount.resolution) = (6, 1_000) }
    return amount
  }
}

extension LineScanner {
  /// Passes blanks, of which those who align columns by hand add more.
  fileprivate mutating func passBlanks() -> Bool {
    blanks()
    return true
  }

  /// Passes what is before the next blank; nil when there is nothing.
  mutating func takeWord() -> String? {
    let word = skip { !Self.isAsciiBlank($0) }
    return word.isEmpty ? nil : text(word)
  }
}

/// The blocks of a grammar whose blocks are lists of values.
struct BlockList {
  private let format: String
  private(set) var found: [FoundBlock] = []
  private var isOpen = false

  init(_ format: String) { self.format = format }

  /// Ends the block, so that the next value begins another.
  mutating func close() { isOpen = false }

  /// Begins a block without values.
  mutating func open(line: Int) {
    found.append(
      FoundBlock(block: LoaderLogBlock(format: format, lines: line...line), usedLines: [line])
    )
    isOpen = true
  }

  /// Adds a value to the block.
  mutating func add(_ value: LoaderLogValue) {
    use(line: value.line)
    found[found.count - 1].block?.stages.append(value)
  }

  /// Notes that a line belongs to the block.
  mutating func use(line: Int) {
    guard isOpen, let lines = found.last?.block?.lines else { return open(line: line) }
    found[found.count - 1].usedLines.append(line)
    found[found.count - 1].block?.lines = lines.lowerBound...max(line, lines.upperBound)
  }

  /// Changes the block that is open.
  mutating func change(_ change: (inout LoaderLogBlock) -> Void) {
    guard isOpen, var block = found.last?.block else { return }
    found[found.count - 1].block = nil
    change(&block)
    found[found.count - 1].block = block
  }

  /// Whether a block is open.
  var hasOpenBlock: Bool { isOpen }

  /// How many values the last block has.
  var count: Int { found.last?.block?.stages.count ?? 0 }
}
