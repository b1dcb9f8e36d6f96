/// Reads the times of calls that strace writes with `-r`, `-t`, `-tt` or `-ttt`.
///
/// A block begins with an `execve`, so that other logs with calls in them are not taken for one.
struct StraceReader: StageTextReader {
  private var blocks = BlockList(StageTextFormat.strace)

  var found: [FoundBlock] { blocks.found }

  mutating func take(_ line: inout LineScanner) -> Bool {
    let start = line.position
    if blocks.hasOpenBlock, line.take("strace: Process ") {
      blocks.use(line: line.number)
      return true
    }
    line.position = start
    let pid = Self.pid(&line)
    line.blanks()
    guard let time = Self.time(&line) else { return false }
    line.blanks()
    if blocks.hasOpenBlock, line.take("+++ ") || line.take("--- ") || line.take("<... ") {
      blocks.use(line: line.number)
      return true
    }
    let name = line.skip { Ascii.isLetter($0) || Ascii.isDigit($0) || $0 == UInt8(ascii: "_") }
    guard !name.isEmpty, line.take(Ascii.opening) else { return false }
    return add(line.text(name), time, pid, &line)
  }

  private mutating func add(
    _ name: String,
    _ time: String,
    _ pid: Int64?,
    _ line: inout LineScanner
  ) -> Bool {
    line.trimEnd()
    let (duration, end) = Self.duration(&line)
    line.end = end
    let isUnfinished = line.endsWith(" <unfinished ...>")
    let hasResult = line.bytes[line.position..<line.end].contains(UInt8(ascii: "="))
    line.charge(line.end - line.position)
    guard isUnfinished || hasResult, blocks.hasOpenBlock || name == "execve" else { return false }
    var value = StageTextValue(
      name: name,
      amount: duration.map { StageTextAmount($0, .seconds) },
      flags: isUnfinished ? [StageTextFlag.unfinished] : [],
      line: line.number,
      instant: StageTextAmount(time, .seconds)
    )
    value.pid = pid
    blocks.add(value)
    return true
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

  /// A time with a fraction in seconds; a time of day such as `10:00:01.828616` from midnight.
  private static func time(_ line: inout LineScanner) -> String? {
    guard var time = line.decimal() else { return nil }
    if line.next == Ascii.colon {
      guard let hours = Int(time), hours < 24, line.take(Ascii.colon),
        let minutes = line.integer(), minutes < 60, line.take(Ascii.colon),
        let rest = line.decimal(), let dot = rest.firstIndex(of: "."),
        let seconds = Int(rest[..<dot]), seconds <= 60
      else { return nil }
      time = "\((hours * 60 + Int(minutes)) * 60 + seconds)\(rest[dot...])"
    }
    guard time.contains("."), line.next == Ascii.space else { return nil }
    return time
  }

  /// The duration at the end, such as `<0.000123>`, and where it begins.
  private static func duration(_ line: inout LineScanner) -> (String?, Int) {
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

extension LineScanner {
  /// Whether the line ends with a text.
  fileprivate mutating func endsWith(_ text: String) -> Bool {
    let literal = Array(text.utf8)
    guard end - position >= literal.count else { return false }
    return isNext(literal, at: end - literal.count)
  }
}
