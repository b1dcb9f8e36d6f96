/// Reads what glibc's loader writes for `LD_DEBUG=statistics`, and the initializers of `libs`.
///
/// Blocks of several processes may be interleaved between lines. A total opens a block, also where
/// the same process has one open, because it has executed another program.
struct GlibcReader {
  private let options: LoaderLogOptions

  /// By process; those without a number are taken for one.
  private var open: [Int64?: OpenGlibcBlock] = [:]

  /// The lines of headings whose block has not begun yet, by process.
  private var headings: [Int64?: (line: Int, prefix: LinePrefix)] = [:]

  /// The process and the number of the line that was used last.
  private var last: (pid: Int64?, line: Int)?

  private var found: [FoundBlock] = []

  private(set) var events: [LoaderLogEvent] = []

  init(options: LoaderLogOptions) { self.options = options }

  /// Uses a line that has a label.
  ///
  /// - Parameters:
  ///   - label: The label of the line.
  ///   - start: Where the label begins.
  ///   - line: Read from behind the colon of the label.
  /// - Returns: Whether the line was used.
  mutating func take(
    _ label: StageLabel,
    at start: Int,
    in line: inout LineScanner
  ) -> Bool {
    let place = line.position
    switch label.role {
    case .dyldTotal, .dyldStage, .dyldCounts, .imageHeading: return false
    default: break
    }
    guard let tag = GlibcTag.read(&line, upTo: start) else { return false }
    line.position = place
    switch label.role {
    case .glibcHeading:
      headings[tag.pid] = (line.number, tag.prefix)
      return true
    case .glibcEvent: return takeEvent(label.name, tag, &line)
    case .glibcTotal: return begin(label.name, tag, &line)
    case .glibcTime(let time):
      return use(tag, line) { $0.takeTime(label.name, time, tag.layout(time), &line) }
    case .glibcCount(let name, let isFinal):
      return takeCount(name, isFinal: isFinal, tag, &line)
    default: return false
    }
  }

  /// Uses dots that stand for lines, and notes when the text ends within a line of an open block.
  mutating func takeUnlabelled(_ line: inout LineScanner) -> Bool {
    if let last, line.number == last.line + 1, open[last.pid] != nil {
      _ = LinePrefix.marks(in: &line)
      if line.isEllipsis() {
        open[last.pid]?.elide(line)
        return true
      }
    }
    guard !line.isTerminated, !open.isEmpty, let tag = GlibcTag.read(&line, upTo: line.end),
      tag.pid != nil || open[nil] != nil
    else { return false }
    open[tag.pid]?.isCut = true
    return false
  }

  /// Ends every block.
  mutating func finish(_ notes: inout LoaderLogNotes) -> [FoundBlock] {
    let blocks = open.values.sorted {
      let left = ($0.block.lines.lowerBound, $0.block.pid ?? -1)
      return left < ($1.block.lines.lowerBound, $1.block.pid ?? -1)
    }
    for block in blocks { found.append(block.finished()) }
    open = [:]
    var ended = found
    found = []
    for index in ended.indices { conclude(&ended[index], &notes) }
    return ended
  }

  // MARK: - Blocks

  private mutating func begin(
    _ name: String,
    _ tag: GlibcTag,
    _ line: inout LineScanner
  ) -> Bool {
    guard let time = PrintedTime.readCycles(&line) else { return false }
    close(tag.pid)
    var block = newBlock(LoaderLogFormat.glibcStartup, tag, line)
    block.begin(name, time, line)
    open[tag.pid] = block
    return true
  }

  private mutating func newBlock(
    _ format: String,
    _ tag: GlibcTag,
    _ line: LineScanner
  ) -> OpenGlibcBlock {
    let heading = headings.removeValue(forKey: tag.pid)
    var block = OpenGlibcBlock(format, pid: tag.pid, line: heading?.line ?? line.number)
    block.hasHeading = heading != nil
    if let heading { block.use(heading.line, heading.prefix) }
    block.use(line, tag.prefix)
    last = (tag.pid, line.number)
    return block
  }

  private mutating func close(_ pid: Int64?) {
    if let block = open.removeValue(forKey: pid) { found.append(block.finished()) }
  }

  /// Uses a line for the block of its process, if that takes it.
  private mutating func use(
    _ tag: GlibcTag,
    _ line: LineScanner,
    _ take: (inout OpenGlibcBlock) -> Bool
  ) -> Bool {
    guard var block = open.removeValue(forKey: tag.pid) else { return false }
    let isTaken = take(&block)
    if isTaken {
      block.use(line, tag.prefix)
      last = (tag.pid, line.number)
    }
    if block.isFull { found.append(block.finished()) } else { open[tag.pid] = block }
    return isTaken
  }

  private mutating func takeCount(
    _ name: String,
    isFinal: Bool,
    _ tag: GlibcTag,
    _ line: inout LineScanner
  ) -> Bool {
    let format = isFinal ? LoaderLogFormat.glibcFinal : LoaderLogFormat.glibcStartup
    let current = open[tag.pid]
    if current?.block.format != format || current?.block.counters[name] != nil {
      // Without a process number, a line of a document is not enough to begin a block.
      guard tag.pid != nil || headings[nil] != nil, line.hasNumber() else { return false }
      close(tag.pid)
      open[tag.pid] = newBlock(format, tag, line)
    }
    return use(tag, line) { $0.takeCount(name, &line) }
  }

  private mutating func takeEvent(
    _ name: String,
    _ tag: GlibcTag,
    _ line: inout LineScanner
  ) -> Bool {
    guard let pid = tag.pid else { return false }
    if line.next == Ascii.space { line.advance() }
    let text = line.text(line.position..<line.end)
    events.append(LoaderLogEvent(name: name, text: text, pid: pid, line: line.number))
    return true
  }

  // MARK: - The end

  private func conclude(_ found: inout FoundBlock, _ notes: inout LoaderLogNotes) {
    guard var block = found.block else { return }
    if !found.isStandard {
      notes.addIfStrict(
        "nonstandard",
        line: block.lines.lowerBound,
        "no glibc prints these lines like this; they are an imitation or were edited",
        remedy: "expected is `     18921:\\t  total startup time in dynamic loader: 84338 cycles`"
      )
      if notes.mode == .strict {
        found.block = nil
        return
      }
    }
    if block.format == LoaderLogFormat.glibcStartup, block.total != nil {
      GlibcScale(options).apply(to: &block, &notes)
    }
    if !block.isComplete {
      notes.addIfStrict(
        "incomplete",
        line: block.lines.upperBound,
        "the block of the loader that begins at line \(block.lines.lowerBound) is not complete: "
          + block.flags.joined(separator: ", "),
        remedy: "give the text up to its last line"
      )
    }
    found.block = block
  }
}

extension LineScanner {
  /// Whether a digit comes next, behind blanks.
  mutating func hasNumber() -> Bool {
    let start = position
    emphasis()
    defer { position = start }
    return next.map(Ascii.isDigit) ?? false
  }
}

/// What glibc writes before every line: the number of the process.
struct GlibcTag {
  var prefix: LinePrefix

  /// Nil where the text has lost it.
  var pid: Int64?

  /// What stands between the tag and the label, and cannot have come from a page.
  private var gap: ArraySlice<UInt8>

  /// How the loader sets the two times apart, which changed when it lost a digit.
  enum Layout {
    /// Two tab stops, until 2.29.
    case tabs

    /// A tab stop and spaces, since 2.30.
    case spaces
  }

  /// Reads what stands before a label.
  ///
  /// - Returns: Nil when it is something else.
  static func read(_ line: inout LineScanner, upTo place: Int) -> GlibcTag? {
    let end = line.end
    line.position = line.range.lowerBound
    line.end = place
    defer { line.end = end }
    var prefix = LinePrefix.marks(in: &line)
    guard !line.isAtEnd else { return GlibcTag(prefix: prefix, pid: nil, gap: []) }
    var gapStart = place
    while gapStart > line.position, LineScanner.isAsciiBlank(line.bytes[gapStart - 1]) {
      gapStart -= 1
      line.charge(1)
    }
    let gap = line.bytes[gapStart..<place]
    line.trimEnd()
    guard line.end > line.position, line.bytes[line.end - 1] == Ascii.colon else { return nil }
    var start = line.end - 1
    while start > line.position, Ascii.isDigit(line.bytes[start - 1]) {
      start -= 1
      line.charge(1)
    }
    let digits = start..<line.end - 1
    if digits.isEmpty, Self.isPlaceholder(&line) {
      return GlibcTag(prefix: prefix, pid: nil, gap: gap)
    }
    guard (1...18).contains(digits.count), let pid = Int64(line.text(digits)) else { return nil }
    guard start - line.position <= 256 else { return nil }
    if start > line.position {
      // What a log adds ends before the tag.
      guard LineScanner.isAsciiBlank(line.bytes[start - 1]) else { return nil }
      line.end = start
      prefix.log = LinePrefix.log(in: &line, words: .max)
    }
    return GlibcTag(prefix: prefix, pid: pid, gap: gap)
  }

  /// Whether all that stands before the colon is put for a number that a page does not tell.
  private static func isPlaceholder(_ line: inout LineScanner) -> Bool {
    let word = line.position..<line.end - 1
    guard (1...12).contains(word.count) else { return false }
    line.charge(word.count)
    let text = line.text(word).lowercased()
    return ["pid", "[pid]", "$pid"].contains(text)
      || ["...", "\u{2026}", "xxx", "???"].contains { filler in
        text.hasPrefix(filler) && text.allSatisfy { $0 == filler.first }
      }
  }

  /// How a time is set apart; nil when the tabs of the loader were lost.
  func layout(_ time: GlibcTime) -> Layout? {
    let spaces = time == .relocation ? 12 : 11
    if gap == ArraySlice([Ascii.tab, Ascii.tab] + blank(spaces - 8)) { return .tabs }
    return gap == ArraySlice([Ascii.tab] + blank(spaces)) ? .spaces : nil
  }

  private func blank(_ count: Int) -> [UInt8] { Array(repeating: Ascii.space, count: count) }
}
