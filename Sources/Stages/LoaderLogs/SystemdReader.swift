/// Reads what `systemd-analyze time` and `systemd-analyze blame` print.
struct SystemdReader: LoaderLogReader {
  private var times = BlockList(LoaderLogFormat.systemdAnalyze)
  private var blame = BlockList(LoaderLogFormat.systemdBlame)

  var found: [FoundBlock] { times.found + blame.found }

  mutating func take(_ line: inout LineScanner) -> Bool {
    let start = line.position
    if line.find("Startup finished in ") {
      let place = line.position
      if takeTimes(&line) { return true }
      line.position = place
      return takeTotal(&line, from: start)
    }
    line.position = start
    if times.hasOpenBlock, takeReached(&line) { return true }
    line.position = start
    return takeBlame(&line)
  }

  /// Uses a sum such as `3.507s (kernel) + 16.334s (userspace) = 19.842s`.
  private mutating func takeTimes(_ line: inout LineScanner) -> Bool {
    var stages: [LoaderLogValue] = []
    repeat {
      line.blanks()
      guard let span = SystemdSpan.read(&line), line.take(Ascii.opening) else { return false }
      let name = line.word()
      guard !name.isEmpty, line.take(Ascii.closing) else { return false }
      stages.append(LoaderLogValue(name: line.text(name), amount: span, line: line.number))
      line.blanks()
    } while line.take("+")
    times.open(line: line.number)
    let hasTotal = line.take("=")
    line.blanks()
    let total = hasTotal ? SystemdSpan.read(&line) : nil
    // Where systemd runs in a container it knows the user space only, and adds nothing up.
    let isCut = total == nil && stages.map(\.name) != ["userspace"]
    let value = LoaderLogValue(name: "total", amount: total, line: line.number)
    times.change { block in
      block.stages = stages
      block.total = total == nil ? nil : value
      if isCut { block.flags = [LoaderLogFlag.truncated] }
    }
    return true
  }

  /// Uses the message of the systemd of a user, such as `systemd[7]: Startup finished in 389ms`.
  private mutating func takeTotal(_ line: inout LineScanner, from start: Int) -> Bool {
    guard let span = SystemdSpan.read(&line) else { return false }
    _ = line.take(".")
    guard line.isBlank() else { return false }
    line.position = start
    guard line.find("systemd[") else { return false }
    times.open(line: line.number)
    let value = LoaderLogValue(name: "total", amount: span, line: line.number)
    times.change { $0.total = value }
    times.close()
    return true
  }

  /// Uses the line that tells when a target was reached, which says nothing new.
  private mutating func takeReached(_ line: inout LineScanner) -> Bool {
    guard line.takeWord()?.hasSuffix(".target") == true, line.take(" reached after ") else {
      return false
    }
    times.use(line: line.number)
    times.close()
    return true
  }

  /// Uses a line such as `5.417s NetworkManager-wait-online.service`.
  private mutating func takeBlame(_ line: inout LineScanner) -> Bool {
    line.blanks()
    guard let next = line.next, Ascii.isDigit(next), let span = SystemdSpan.read(&line) else {
      return false
    }
    line.trimEnd()
    let word = line.skip { !LineScanner.isAsciiBlank($0) }
    guard line.isAtEnd, !word.isEmpty else { return false }
    let unit = line.text(word)
    guard let dot = unit.lastIndex(of: "."), Self.unitTypes.contains(String(unit[dot...])) else {
      return false
    }
    blame.add(LoaderLogValue(name: unit, amount: span, line: line.number))
    return true
  }

  private static let unitTypes: Set<String> = [
    ".service", ".mount", ".socket", ".device", ".target", ".swap", ".timer", ".path", ".slice",
    ".scope", ".automount",
  ]
}

/// A span of time as systemd prints it, such as `1min 13.233s`.
enum SystemdSpan {
  /// The units, in millionths of a second.
  ///
  /// Source: `format_timespan` in src/basic/time-util.c.
  private static let units: [(name: String, size: Int64)] = [
    ("month", 2_629_800_000_000), ("min", 60_000_000), ("ms", 1_000), ("us", 1),
    ("y", 31_557_600_000_000),
    ("w", 604_800_000_000), ("d", 86_400_000_000), ("h", 3_600_000_000), ("s", 1_000_000),
  ]

  /// Reads a span and the blanks after it; nil when there is none, or it is too long.
  static func read(_ line: inout LineScanner) -> LoaderLogAmount? {
    var sum: Int64 = 0
    var resolution: Int64?
    while let next = line.next, Ascii.isDigit(next), let number = line.decimal() {
      guard let unit = units.first(where: { line.take($0.name) }) else { return nil }
      let decimals = ExactDecimal.fractionDigits(of: number)
      guard decimals <= 6, let count = ExactDecimal.integer(number, timesTenTo: decimals) else {
        return nil
      }
      let step = max(1, unit.size / ExactDecimal.power(decimals))
      let (part, isTooLong) = count.multipliedReportingOverflow(by: step)
      let (longer, isTooLongStill) = sum.addingReportingOverflow(part)
      if isTooLong || isTooLongStill { return nil }
      (sum, resolution) = (longer, step)
      line.blanks()
    }
    guard let resolution else { return nil }
    var amount = LoaderLogAmount(ExactDecimal.shifted(String(sum), by: 6), .seconds)
    let (nanoseconds, isTooLong) = resolution.multipliedReportingOverflow(by: 1_000)
    amount.resolution = isTooLong ? nil : nanoseconds
    return amount
  }
}
