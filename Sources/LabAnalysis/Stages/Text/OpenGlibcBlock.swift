import LabModel

/// A block of glibc's statistics while its lines are read.
struct OpenGlibcBlock {
  private(set) var block: StageTextBlock

  /// Whether the line `runtime linker statistics:` came before it.
  var hasHeading = false

  /// Whether the text ends within the block.
  var isCut = false

  private var usedLines: [Int] = []
  private var isStandard = true
  private var flags: Set<String> = []

  init(_ format: String, pid: Int64?, line: Int) {
    block = StageTextBlock(format: format, lines: line...line)
    block.pid = pid
  }

  private var isStartup: Bool { block.format == StageTextFormat.glibcStartup }

  /// Whether the last line has come that the loader prints in such a block.
  var isFull: Bool {
    isStartup
      ? stage(StageName.load) != nil
      : block.counters["final_number_of_relocations_from_cache"] != nil
  }

  private func stage(_ name: String) -> StageTextValue? {
    block.stages.first { $0.stage == name }
  }

  // MARK: - Lines

  /// Notes that a line was used.
  mutating func use(_ line: Int, _ prefix: LinePrefix) {
    usedLines.append(line)
    block.lines = block.lines.lowerBound...max(line, block.lines.upperBound)
    if prefix.isQuoted { flags.insert(StageTextFlag.quoted) }
    if prefix.hasMarkup { flags.insert(StageTextFlag.markup) }
  }

  /// Notes that a line was used.
  mutating func use(_ line: LineScanner, _ prefix: LinePrefix) {
    use(line.number, prefix)
    if line.sawNoBreakSpace { flags.insert(StageTextFlag.nbsp) }
  }

  /// Notes that lines were cut out.
  mutating func elide(_ line: LineScanner) {
    use(line, LinePrefix())
    flags.insert(StageTextFlag.elided)
  }

  /// Takes the total, with which the block begins.
  mutating func begin(_ name: String, _ time: PrintedTime, _ line: LineScanner) {
    let total = value(name, nil, time, line)
    block.total = total
    if block.pid == nil, !hasHeading { isStandard = false }
  }

  /// Takes one of the two times.
  ///
  /// - Returns: False when it is not a time, or is there already.
  mutating func takeTime(
    _ name: String,
    _ time: GlibcTime,
    _ layout: GlibcTag.Layout?,
    _ line: inout LineScanner
  ) -> Bool {
    let id = time == .relocation ? StageName.fixup : StageName.load
    guard isStartup, stage(id) == nil else { return false }
    guard let printed = PrintedTime.readCycles(&line) else {
      if !line.isTerminated { isCut = true }
      return false
    }
    let value = value(name, id, printed, line)
    block.stages.append(value)
    if layout == .tabs { block.lastDigitDropped = false }
    if layout == .spaces, block.lastDigitDropped == nil { block.lastDigitDropped = true }
    return true
  }

  /// Takes a count.
  ///
  /// - Returns: False when it is not a number, or may be cut off.
  mutating func takeCount(_ name: String, _ line: inout LineScanner) -> Bool {
    line.blanks()
    var digits = line.text(line.digits())
    while line.next == Ascii.comma, let next = line.peek(1), Ascii.isDigit(next) {
      line.advance()
      digits += line.text(line.digits())
      isStandard = false
    }
    let isLast =
      name == "final_number_of_relocations_from_cache"
      || name == "number_of_relative_relocations" && block.total == nil
    guard !line.isAtEnd || line.isTerminated || isLast else {
      isCut = true
      return false
    }
    guard let number = Int64(digits) else {
      flags.insert(StageTextFlag.overflow)
      return false
    }
    block.counters[name] = number
    return true
  }

  private mutating func value(
    _ name: String,
    _ stage: String?,
    _ time: PrintedTime,
    _ line: LineScanner
  ) -> StageTextValue {
    if !time.isGlibcForm { isStandard = false }
    if time.hasMarkup { flags.insert(StageTextFlag.markup) }
    if time.isClockCycles { flags.insert(StageTextFlag.clockCyclesLabel) }
    if time.isPercentEmpty { flags.insert(StageTextFlag.emptyPercent) }
    if time.number.isEmpty { flags.insert(StageTextFlag.emptyNumber) }
    if time.hasStrayBytes { flags.insert(StageTextFlag.strayBytes) }
    if stage != nil, time.percent == nil, !line.isTerminated { isCut = true }
    return StageTextValue(
      name: name,
      stage: stage,
      amount: StageTextAmount(time.number, .cycles),
      percent: time.percent,
      line: line.number
    )
  }

  // MARK: - The end

  /// The block as far as it was read.
  func finished() -> FoundBlock {
    var block = block
    var flags = flags
    if isStartup, block.total == nil, block.stages.isEmpty {
      flags.insert(StageTextFlag.noTimes)
    } else if isStartup, isStandard {
      if block.total == nil { flags.insert(StageTextFlag.missing + "total") }
      if stage(StageName.fixup) == nil { flags.insert(StageTextFlag.missing + "relocation") }
      if stage(StageName.load) == nil {
        flags.insert(StageTextFlag.missing + "load")
        if !flags.contains(StageTextFlag.elided) { flags.insert(StageTextFlag.truncated) }
      }
    }
    if isCut { flags.insert(StageTextFlag.truncated) }
    if flags.contains(StageTextFlag.clockCyclesLabel) { block.lastDigitDropped = false }
    block.flags = flags.sorted()
    block.isStandard = isStandard
    return FoundBlock(block: block, usedLines: usedLines, isStandard: isStandard)
  }
}
