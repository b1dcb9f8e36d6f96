import LabModel

/// A block of dyld's statistics while its lines are read.
struct OpenDyldBlock {
  var block: StageTextBlock

  /// What a log added to the line of the total.
  let log: LinePrefix.Log?

  /// The first line that dyld does not print like this.
  var nonstandardLine: Int?

  var usedLines: [Int]

  /// The names that came, so that none is taken twice.
  var names: Set<String> = []

  var imageNames: Set<String> = []

  /// Whether an image may come.
  var takesImages = false

  /// Whether the last line of the text is cut off.
  var isCut = false

  /// Whether the total alone does not tell that this is dyld's.
  let isDoubtful: Bool

  /// How many lines were not used since the last one that was.
  var gap = 0

  /// A line that may be the first half of an image, which a log shows on two lines.
  var pendingName: (name: String, line: Int)?

  var flags: Set<String> = []

  /// The most lines of others that an image list goes on after.
  private static let widestGap = 64

  var isSummary: Bool { block.format == StageTextFormat.dyldSummary }

  init(
    _ format: String,
    _ name: String,
    _ time: PrintedTime,
    _ prefix: LinePrefix,
    _ line: LineScanner
  ) {
    block = StageTextBlock(format: format, lines: line.number...line.number)
    block.pid = prefix.log?.pid
    log = prefix.log
    usedLines = []
    isDoubtful = time.percent == nil
    let total = value(name, nil, time, line)
    block.total = total
    use(line, prefix)
  }

  /// Begins a block whose total is cut off, at the line of its first stage.
  init(_ format: String, withoutTotal prefix: LinePrefix, _ line: LineScanner) {
    block = StageTextBlock(format: format, lines: line.number...line.number)
    block.pid = prefix.log?.pid
    log = prefix.log
    usedLines = []
    isDoubtful = false
    flags = [StageTextFlag.missing + "total"]
  }

  // MARK: - Lines

  /// Uses a line with a label, unless it belongs to another block.
  mutating func take(
    _ label: StageLabel,
    in line: inout LineScanner,
    _ notes: inout StageTextNotes
  ) -> Bool {
    pendingName = nil
    return switch label.role {
    case .dyldStage(block.format, let stage): takeStage(label.name, stage, &line, &notes)
    case .dyldCounts(let counts) where !isSummary: takeCounts(counts, &line)
    case .imageHeading where isSummary: openImages()
    default: false
    }
  }

  /// Notes that a line was used.
  mutating func use(_ line: LineScanner, _ prefix: LinePrefix) {
    usedLines.append(line.number)
    block.lines = block.lines.lowerBound...max(line.number, block.lines.upperBound)
    gap = 0
    if prefix.isQuoted { flags.insert(StageTextFlag.quoted) }
    if prefix.hasMarkup { flags.insert(StageTextFlag.markup) }
    if line.sawNoBreakSpace { flags.insert(StageTextFlag.nbsp) }
  }

  /// Notes that a line was not used.
  mutating func skip() {
    gap += 1
    if gap > Self.widestGap { takesImages = false }
  }

  // MARK: - Stages and counts

  private mutating func takeStage(
    _ name: String,
    _ stage: String?,
    _ line: inout LineScanner,
    _ notes: inout StageTextNotes
  ) -> Bool {
    guard line.hasNumber() else { return false }
    guard let time = PrintedTime.read(&line) else {
      if !line.isTerminated { isCut = true }
      notes.add(
        .warning,
        "no-unit",
        line: line.number,
        "\"\(name)\" has no time with a unit, and is not used",
        remedy: "write it as `\(name): 38.29 milliseconds (8.8%)`"
      )
      return false
    }
    guard !names.contains(name) else {
      notes.add(
        .warning,
        "second-stage",
        line: line.number,
        "\"\(name)\" comes twice in a block; the second one is not used",
        remedy: "give the line of its own total before it"
      )
      takesImages = false
      return false
    }
    names.insert(name)
    let stage = value(name, stage, time, line)
    block.stages.append(stage)
    if stage.stage == StageName.initializers { takesImages = true }
    return true
  }

  private mutating func takeCounts(_ counts: DyldCounts, _ line: inout LineScanner) -> Bool {
    var reader = DyldCountReader(counts)
    guard reader.read(&line), names.insert("\(counts)").inserted else {
      isCut = isCut || reader.isCut
      return false
    }
    isCut = isCut || reader.isCut
    block.counters.merge(reader.values) { _, new in new }
    if counts != .lazyBindings { takesImages = takesImages && !counts.isAfterImages }
    return true
  }

  private mutating func openImages() -> Bool {
    takesImages = true
    return true
  }

  mutating func value(
    _ name: String,
    _ stage: String?,
    _ time: PrintedTime,
    _ line: LineScanner
  ) -> StageTextValue {
    if !time.isDyldForm, nonstandardLine == nil { nonstandardLine = line.number }
    if time.hasMarkup { flags.insert(StageTextFlag.markup) }
    if time.hasWideDot { flags.insert(StageTextFlag.localizedDecimal) }
    if time.percent == nil, !line.isTerminated { isCut = true }
    var amount = StageTextAmount(time.number, time.unit)
    var flags: [String] = []
    if time.percent == nil { flags.append(StageTextFlag.noPercent) }
    if time.isWrapped {
      amount.nanoseconds = nil
      flags.append(StageTextFlag.wrapped)
      self.flags.insert(StageTextFlag.wrapped)
    } else if amount.nanoseconds == nil {
      flags.append(StageTextFlag.overflow)
    }
    return StageTextValue(
      name: name,
      stage: stage,
      amount: amount,
      percent: time.percent,
      flags: flags,
      line: line.number
    )
  }
}
