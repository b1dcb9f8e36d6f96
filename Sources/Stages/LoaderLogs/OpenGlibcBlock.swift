import LaunchCore

/// A block of glibc's statistics while its lines are read.
struct OpenGlibcBlock {
  private(set) var block: LoaderLogBlock

  /// Whether the line `runtime linker statistics:` came before it.
  var hasHeading = false

  /// Whether the text ends within the block.
  var isCut = false

  private var usedLines: [Int] = []
  private var isStandard = true
  private var flags: Set<String> = []

  init(_ format: String, pid: Int64?, line: Int) {
    block = LoaderLogBlock(format: format, lines: line...line)
    block.pid = pid
  }

  private var isStartup: Bool { block.format == LoaderLogFormat.glibcStartup }

  /// Whether the last line has come that the loader prints in such a block.
  var isFull: Bool {
    isStartup
      ? stage(StageName.load) != nil
      : block.counters["final_number_of_relocations_from_cache"] != nil
  }

  private func stage(_ name: String) -> LoaderLogValue? {
    block.stages.first { $0.stage == name }
  }

  // MARK: - Lines

  /// Notes that a line was used.
  mutating func use(_ line: Int, _ prefix: LinePrefix) {
    usedLines.append(line)
    block.lines = block.lines.lowerBound...max(line, block.lines.upperBound)
    if prefix.isQuoted { flags.insert(LoaderLogFlag.quoted) }
    if prefix.hasMarkup { flags.insert(LoaderLogFlag.markup) }
  }

  /// Notes that a line was used.
  mutating func use(_ line: LineScanner, _ prefix: LinePrefix) {
    use(line.number, prefix)
    if line.sawNoBreakSpace { flags.insert(LoaderLogFlag.nbsp) }
  }

  /// Notes that lines were cut out.
  mutating func elide(_ line: LineScanner) {
    use(line, LinePrefix())
    flags.insert(LoaderLogFlag.elided)
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
      flags.insert(LoaderLogFlag.overflow)
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
  ) -> LoaderLogValue {
    if !time.isGlibcForm { isStandard = false }
    if time.hasMarkup { flags.insert(LoaderLogFlag.markup) }
    if time.isClockCycles { flags.insert(LoaderLogFlag.clockCyclesLabel) }
    if time.isPercentEmpty { flags.insert(LoaderLogFlag.emptyPercent) }
    if time.number.isEmpty { flags.insert(LoaderLogFlag.emptyNumber) }
    if time.hasStrayBytes { flags.insert(LoaderLogFlag.strayBytes) }
    if stage != nil, time.percent == nil, !line.isTerminated { isCut = true }
    return LoaderLogValue(
      name: name,
      stage: stage,
      amount: LoaderLogAmount(time.number, .cycles),
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
      flags.insert(LoaderLogFlag.noTimes)
    } else if isStartup, isStandard {
      if block.total == nil { flags.insert(LoaderLogFlag.missing + "total") }
      if stage(StageName.fixup) == nil { flags.insert(LoaderLogFlag.missing + "relocation") }
      if stage(StageName.load) == nil {
        flags.insert(LoaderLogFlag.missing + "load")
        if !flags.contains(LoaderLogFlag.elided) { flags.insert(LoaderLogFlag.truncated) }
      }
    }
    if isCut { flags.insert(LoaderLogFlag.truncated) }
    if flags.contains(LoaderLogFlag.clockCyclesLabel) { block.lastDigitDropped = false }
    block.flags = flags.sorted()
    block.isStandard = isStandard
    return FoundBlock(block: block, usedLines: usedLines, isStandard: isStandard)
  }
}

/// Decides whether the cycles of glibc lack their last digit, and brings them to nanoseconds.
///
/// Since 2.31 the terminating zero is written over the last digit of every number of cycles.
/// Source: glibc commit b881217f17, `HP_TIMING_PRINT` in sysdeps/generic/hp-timing-common.h.
struct GlibcScale {
  private let options: LoaderLogOptions

  init(_ options: LoaderLogOptions) { self.options = options }

  /// Sets what the block says in cycles and nanoseconds, and tells how that was decided.
  func apply(to block: inout LoaderLogBlock, _ notes: inout LoaderLogNotes) {
    var decision = decided(block)
    if isUnterminated(block) { decision = (nil, "glibc 2.30 prints bytes behind its numbers") }
    if let checked = crossChecked(decision.isDropped, block, &notes) { decision = checked }
    block.lastDigitDropped = decision.isDropped
    if let isDropped = decision.isDropped {
      block.total = scaled(block.total, isDropped)
      for index in block.stages.indices {
        block.stages[index] = scaled(block.stages[index], isDropped) ?? block.stages[index]
      }
    }
    report(decision, block, &notes)
  }

  /// What the text and the version say.
  private func decided(_ block: LoaderLogBlock) -> (isDropped: Bool?, reason: String) {
    if block.flags.contains(LoaderLogFlag.clockCyclesLabel) {
      return (false, "glibc before 2.20 prints `clock cycles`, and every digit")
    }
    if block.lastDigitDropped == false {
      return (false, "glibc before 2.30 prints two tab stops, and every digit")
    }
    if let version = options.glibc {
      let name = "\(version.major).\(version.minor)"
      if block.lastDigitDropped == true, version < GlibcVersion(2, 30) {
        return (nil, "the layout is that since 2.30, which contradicts glibc \(name)")
      }
      return version >= GlibcVersion(2, 31)
        ? (true, "glibc \(name) drops the last digit") : (false, "glibc \(name) prints every digit")
    }
    return block.lastDigitDropped == true
      ? (true, "the layout is that since 2.30, and since 2.31 the last digit is dropped")
      : (nil, "neither the layout nor a version tells whether the last digit is dropped")
  }

  /// Whether leftover bytes of longer numbers may follow the digits.
  private func isUnterminated(_ block: LoaderLogBlock) -> Bool {
    let isOld =
      block.lastDigitDropped == false
      || block.flags.contains(LoaderLogFlag.clockCyclesLabel)
    return options.glibc == GlibcVersion(2, 30) && !isOld
      || block.flags.contains(LoaderLogFlag.strayBytes)
  }

  /// What one's own marks say; nil when there are none, or they agree, or they cannot tell.
  private func crossChecked(
    _ isDropped: Bool?,
    _ block: LoaderLogBlock,
    _ notes: inout LoaderLogNotes
  ) -> (isDropped: Bool?, reason: String)? {
    guard let range = options.ownLoaderTotal, let speed = usableSpeed,
      let total = block.total?.amount.flatMap({ ExactDecimal.integer($0.printed, timesTenTo: 0) })
    else { return nil }
    func fits(_ factor: Double) -> Bool {
      let time = Double(total) * factor / speed * 1e9
      return Double(range.lowerBound.count) <= time && time <= Double(range.upperBound.count)
    }
    let (fitsExact, fitsDropped) = (fits(1), fits(10))
    if isDropped != true, fitsDropped, !fitsExact {
      return (true, "only ten times the printed total agrees with the marks of the launch")
    }
    if isDropped != false, fitsExact, !fitsDropped {
      return (false, "only the printed total agrees with the marks of the launch")
    }
    if !fitsExact, !fitsDropped {
      notes.add(
        .warning,
        "loader-total",
        line: block.lines.lowerBound,
        "the loader's total of \(total) cycles agrees with the marks of the launch neither as "
          + "printed nor ten times as large"
      )
    }
    return nil
  }

  /// Above 0 and not beyond anything that counts.
  private var usableSpeed: Double? {
    options.cyclesPerSecond.flatMap { $0.isFinite && $0 >= 1 ? $0 : nil }
  }

  private func scaled(_ value: LoaderLogValue?, _ isDropped: Bool) -> LoaderLogValue? {
    guard var value, var amount = value.amount else { return value }
    // Without a digit the number was below 10.
    let printed = amount.printed.isEmpty ? "0" : amount.printed
    value.cycles = ExactDecimal.integer(printed, timesTenTo: isDropped ? 1 : 0)
    if value.cycles == nil { value.flags.append(LoaderLogFlag.overflow) }
    if let cycles = value.cycles, let speed = usableSpeed {
      let time = (Double(cycles) / speed * 1e9).rounded()
      amount.nanoseconds = Int64(exactly: time)
      amount.resolution = Int64(exactly: ((isDropped ? 10 : 1) / speed * 1e9).rounded(.up))
    }
    value.amount = amount
    return value
  }

  private func report(
    _ decision: (isDropped: Bool?, reason: String),
    _ block: LoaderLogBlock,
    _ notes: inout LoaderLogNotes
  ) {
    let scale =
      switch decision.isDropped {
      case true: "ten times what is printed"
      case false: "as printed"
      case nil: "of unknown scale"
      }
    notes.add(
      .note,
      "cycles-scale",
      line: block.lines.lowerBound,
      "cycles are taken \(scale): \(decision.reason)",
      remedy: decision.isDropped == nil ? "give the version with `--glibc VERSION`" : nil
    )
  }
}
