/// Reads the times of calls that strace writes with `-r`, `-t`, `-tt` or `-ttt`.
///
/// A block begins with an `execve`, so that other logs with calls in them are not taken for one. The
/// time of a call is what `-T` printed of it; without that, up to where it was resumed, or up to the
/// next line of its process, which also holds what the program did in between.
struct StraceReader: LoaderLogReader {
  private var blocks = BlockList(LoaderLogFormat.strace)
  private var clock = StraceClock()

  /// The last call of each process, and when it began, until its time is known.
  private var open: [Int64?: OpenCall] = [:]

  /// Processes that were announced; another one that has a number is the first, without one before.
  private var attached: Set<Int64> = []
  private var first: Int64?

  private struct OpenCall {
    /// Its place in the block.
    var index: Int
    var began: Int64

    /// Whether it goes on while other processes print.
    var isUnfinished: Bool
  }

  var found: [FoundBlock] { blocks.found }

  mutating func take(_ line: inout LineScanner) -> Bool {
    let start = line.position
    if blocks.hasOpenBlock, line.take("strace: Process ") {
      if let pid = line.integer() { attached.insert(pid) }
      blocks.use(line: line.number)
      return true
    }
    line.position = start
    if blocks.hasOpenBlock, line.takeUnfinished() {
      blocks.use(line: line.number)
      return true
    }
    line.position = start
    let pid = Self.pid(&line)
    line.blanks()
    guard let time = StraceTime.read(&line) else { return false }
    line.blanks()
    if blocks.hasOpenBlock, line.take("+++ ") || line.take("--- ") || line.take("<... ") {
      let isResumed = line.bytes[line.position - 2] == Ascii.dot
      end(pid, at: clock.instant(time), isResumed ? Self.duration(&line).time : nil, isResumed)
      blocks.use(line: line.number)
      return true
    }
    let name = line.skip { Ascii.isLetter($0) || Ascii.isDigit($0) || $0 == UInt8(ascii: "_") }
    guard !name.isEmpty, line.take(Ascii.opening) else { return false }
    return add(line.text(name), time, pid, &line)
  }

  private mutating func add(
    _ name: String,
    _ time: StraceTime,
    _ pid: Int64?,
    _ line: inout LineScanner
  ) -> Bool {
    line.trimEnd()
    let (duration, end) = Self.duration(&line)
    line.end = end
    // A process that is attached is announced in the midst of the call that made it.
    let announced = line.take("strace: Process ") ? line.integer() : nil
    if let announced { attached.insert(announced) }
    let isUnfinished = announced != nil || line.endsWith(" <unfinished ...>")
    let hasResult = line.bytes[line.position..<line.end].contains(UInt8(ascii: "="))
    line.charge(line.end - line.position)
    guard isUnfinished || hasResult, blocks.hasOpenBlock || name == "execve" else { return false }
    if !blocks.hasOpenBlock { clock = StraceClock(first: time) }
    let instant = clock.instant(time)
    self.end(pid, at: instant, nil, false)
    var value = LoaderLogValue(
      name: name,
      amount: duration.map { LoaderLogAmount($0, .seconds) },
      flags: isUnfinished ? [LoaderLogFlag.unfinished] : [],
      line: line.number,
      instant: clock.isRelative ? clock.amount(instant) : time.amount
    )
    value.pid = pid
    blocks.add(value)
    if duration == nil, let instant {
      open[key(pid)] = OpenCall(
        index: blocks.count - 1,
        began: instant,
        isUnfinished: isUnfinished
      )
    }
    return true
  }

  /// Gives the last call of a process its time, when a line tells that it is over.
  private mutating func end(
    _ pid: Int64?,
    at instant: Int64?,
    _ duration: String?,
    _ isResumed: Bool
  ) {
    guard let call = open[key(pid)], isResumed || !call.isUnfinished else { return }
    open[key(pid)] = nil
    let elapsed = instant.map { $0 - call.began }.flatMap { $0 < 0 ? nil : $0 }
    let amount = duration.map { LoaderLogAmount($0, .seconds) } ?? clock.amount(elapsed)
    guard let amount else { return }
    blocks.change { block in
      block.stages[call.index].amount = amount
      block.stages[call.index].flags = isResumed ? [] : [LoaderLogFlag.untilNext]
    }
  }

  /// The process of a line; the first one has no number while it is alone.
  private mutating func key(_ pid: Int64?) -> Int64? {
    guard let pid, !attached.contains(pid) else { return pid ?? first }
    if first == nil {
      first = pid
      open[pid] = open.removeValue(forKey: nil)
    }
    return pid
  }

  /// The process before a line, such as `[pid 19284]` or `19284`.
  private static func pid(_ line: inout LineScanner) -> Int64? {
    let start = line.position
    if line.take("[pid") {
      line.blanks()
      if let pid = line.integer(), line.take("]") { return pid }
    } else if let pid = line.integer(), line.next == Ascii.space {
      return pid
    }
    line.position = start
    return nil
  }

  /// The duration at the end, such as `<0.000123>`, and where it begins.
  private static func duration(_ line: inout LineScanner) -> (time: String?, start: Int) {
    let whole = (line.position, line.end)
    defer { (line.position, line.end) = whole }
    guard line.end > line.position, line.bytes[line.end - 1] == UInt8(ascii: ">"),
      let opening = line.last(UInt8(ascii: "<"))
    else { return (nil, whole.1) }
    line.position = opening + 1
    guard let time = line.decimal(), line.position == whole.1 - 1 else { return (nil, whole.1) }
    return (time, opening)
  }
}

/// A time that strace prints before a call.
private struct StraceTime {
  var amount: LoaderLogAmount

  /// Whether it is a time of day, from midnight.
  var isOfDay = false

  /// A time with a fraction in seconds; a time of day such as `10:00:01.828616` from midnight.
  static func read(_ line: inout LineScanner) -> Self? {
    guard var time = line.decimal() else { return nil }
    let isOfDay = line.next == Ascii.colon
    if isOfDay {
      guard let hours = Int(time), hours < 24, line.take(Ascii.colon),
        let minutes = line.integer(), minutes < 60, line.take(Ascii.colon),
        let rest = line.decimal(), let dot = rest.firstIndex(of: "."),
        let seconds = Int(rest[..<dot]), seconds <= 60
      else { return nil }
      time = "\((hours * 60 + Int(minutes)) * 60 + seconds)\(rest[dot...])"
    }
    guard time.contains("."), line.next == Ascii.space else { return nil }
    return Self(amount: LoaderLogAmount(time, .seconds), isOfDay: isOfDay)
  }
}

/// What the times of one trace count from.
private struct StraceClock {
  /// Whether each counts from the line before, as with `-r`.
  private(set) var isRelative = false

  /// How many digits follow the point.
  private var digits = 6

  /// The sum of the times so far; nil when it is too large.
  private var sum: Int64? = 0

  init() {}

  init(first: StraceTime) {
    let isEpoch = (first.amount.nanoseconds ?? .max) >= Self.earliestEpoch
    isRelative = !first.isOfDay && !isEpoch
    digits = ExactDecimal.fractionDigits(of: first.amount.printed)
  }

  /// No trace takes three years, and none is of before 1973.
  private static let earliestEpoch: Int64 = 100_000_000_000_000_000

  /// The instant of a line, in nanoseconds; each line is to be told once.
  mutating func instant(_ time: StraceTime) -> Int64? {
    guard isRelative else { return time.amount.nanoseconds }
    guard let before = sum, let delta = time.amount.nanoseconds else { return nil }
    let (instant, isTooLarge) = before.addingReportingOverflow(delta)
    sum = isTooLarge ? nil : instant
    return sum
  }

  /// A time with as many digits as strace prints.
  func amount(_ nanoseconds: Int64?) -> LoaderLogAmount? {
    guard let nanoseconds, (0...9).contains(digits) else { return nil }
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let fraction = "\(1_000_000_000 + rest)".dropFirst().prefix(digits)
    return LoaderLogAmount("\(seconds).\(fraction)", .seconds)
  }
}

extension LineScanner {
  /// Passes the rest of a call that an announcement has cut, if there is nothing else.
  fileprivate mutating func takeUnfinished() -> Bool {
    blanks()
    return take("<unfinished ...>") && isBlank()
  }

  /// Whether the line ends with a text.
  fileprivate mutating func endsWith(_ text: String) -> Bool {
    let literal = Array(text.utf8)
    guard end - position >= literal.count else { return false }
    return isNext(literal, at: end - literal.count)
  }
}

/// Reads the lines of `perf trace`, such as `0.279 ( 0.016 ms): true/19288 openat(…) = 3`.
struct PerfTraceReader: LoaderLogReader {
  private var blocks = BlockList(LoaderLogFormat.perfTrace)

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
    var value = LoaderLogValue(
      name: line.text(name),
      amount: duration.map { LoaderLogAmount($0, .milliseconds) },
      line: line.number,
      instant: start.map { LoaderLogAmount($0, .milliseconds) }
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
