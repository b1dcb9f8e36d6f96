import LaunchCore

/// A block of dyld's statistics while its lines are read.
struct OpenDyldBlock {
  var block: LoaderLogBlock

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

  var isSummary: Bool { block.format == LoaderLogFormat.dyldSummary }

  init(
    _ format: String,
    _ name: String,
    _ time: PrintedTime,
    _ prefix: LinePrefix,
    _ line: LineScanner
  ) {
    block = LoaderLogBlock(format: format, lines: line.number...line.number)
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
    block = LoaderLogBlock(format: format, lines: line.number...line.number)
    block.pid = prefix.log?.pid
    log = prefix.log
    usedLines = []
    isDoubtful = false
    flags = [LoaderLogFlag.missing + "total"]
  }

  // MARK: - Lines

  /// Uses a line with a label, unless it belongs to another block.
  mutating func take(
    _ label: StageLabel,
    in line: inout LineScanner,
    _ notes: inout LoaderLogNotes
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
    if prefix.isQuoted { flags.insert(LoaderLogFlag.quoted) }
    if prefix.hasMarkup { flags.insert(LoaderLogFlag.markup) }
    if line.sawNoBreakSpace { flags.insert(LoaderLogFlag.nbsp) }
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
    _ notes: inout LoaderLogNotes
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
  ) -> LoaderLogValue {
    if !time.isDyldForm, nonstandardLine == nil { nonstandardLine = line.number }
    if time.hasMarkup { flags.insert(LoaderLogFlag.markup) }
    if time.hasWideDot { flags.insert(LoaderLogFlag.localizedDecimal) }
    if time.percent == nil, !line.isTerminated { isCut = true }
    var amount = LoaderLogAmount(time.number, time.unit)
    var flags: [String] = []
    if time.percent == nil { flags.append(LoaderLogFlag.noPercent) }
    if time.isWrapped {
      amount.nanoseconds = nil
      flags.append(LoaderLogFlag.wrapped)
      self.flags.insert(LoaderLogFlag.wrapped)
    } else if amount.nanoseconds == nil {
      flags.append(LoaderLogFlag.overflow)
    }
    return LoaderLogValue(
      name: name,
      stage: stage,
      amount: amount,
      percent: time.percent,
      flags: flags,
      line: line.number
    )
  }
}

extension OpenDyldBlock {
  /// The block as far as it was read; nil when it is not one after all.
  func finished(_ notes: inout LoaderLogNotes) -> FoundBlock? {
    if isDoubtful, !isSummary, names.isEmpty { return nil }
    var found = FoundBlock(block: nil, usedLines: usedLines)
    if let reason = DyldChecks.brokenPrinter(block) {
      notes.add(
        .error,
        "broken-printer",
        line: block.lines.lowerBound,
        "the times are not usable: \(reason)",
        remedy: "use the counts of the text only, or a dyld of version 46.16 or later"
      )
      return found
    }
    var block = block
    if let nonstandardLine {
      found.isStandard = false
      block.isStandard = false
      notes.addIfStrict(
        "nonstandard",
        line: nonstandardLine,
        "no dyld prints this line like this; it is an imitation or was edited",
        remedy: "expected is `dylib loading time:  69.35 milliseconds (16.1%)`"
      )
      if notes.mode == .strict { return found }
    }
    block.flags = allFlags.sorted()
    DyldChecks.repair(&block, &notes)
    DyldChecks.reportContradictions(block, &notes)
    reportGaps(block, &notes)
    found.block = block
    return found
  }

  private var allFlags: Set<String> {
    var flags = flags
    guard nonstandardLine == nil else { return flags }
    let hasInitializers = block.stages.contains { $0.stage == StageName.initializers }
    let missing =
      isSummary
      ? StageLabel.summaryStages.filter { !names.contains($0) } : hasInitializers ? [] : ["init"]
    flags.formUnion(missing.map { LoaderLogFlag.missing + $0 })
    let isOpenEnded = !hasInitializers && !flags.contains(LoaderLogFlag.elided)
    if isCut || isOpenEnded { flags.insert(LoaderLogFlag.truncated) }
    return flags
  }

  private func reportGaps(_ block: LoaderLogBlock, _ notes: inout LoaderLogNotes) {
    guard !block.isComplete else { return }
    let gaps = block.flags.filter {
      $0 == LoaderLogFlag.truncated || $0.hasPrefix(LoaderLogFlag.missing)
    }
    notes.addIfStrict(
      "incomplete",
      line: block.lines.upperBound,
      "the block that begins at line \(block.lines.lowerBound) is not complete: "
        + gaps.joined(separator: ", "),
      remedy: block.total == nil
        ? "give the text from the line `\(DyldReader.totalForm)` on"
        : "give the text up to its last line"
    )
  }
}

extension OpenDyldBlock {
  /// Uses an image, a stage with a name of its own, or dots; the line is read behind its prefix.
  mutating func takeUnlabelled(_ line: inout LineScanner) -> Bool {
    line.trimEnd()
    if gap == 0, takeDots(&line) { return true }
    let start = line.position
    if takesImages, takeImage(&line) { return true }
    line.position = start
    if takeUnknownStage(&line) { return true }
    line.position = start
    noteCut(&line)
    return false
  }

  /// Uses dots that stand for lines that were cut out.
  private mutating func takeDots(_ line: inout LineScanner) -> Bool {
    let hasDots = line.isEllipsis()
    if hasDots { flags.insert(LoaderLogFlag.elided) }
    return hasDots
  }

  private mutating func takeImage(_ line: inout LineScanner) -> Bool {
    let pending = pendingName
    pendingName = nil
    let start = line.position
    guard let colon = line.lastColon() else {
      pendingName = line.imageName(start..<line.end).map { ($0.text, line.number) }
      return false
    }
    line.position = colon.upperBound
    guard let time = PrintedTime.read(&line) else { return false }
    let firstHalf = colon.lowerBound == start ? pending : nil
    let name = line.imageName(start..<colon.lowerBound)
    let before = colon.lowerBound > start ? line.bytes[colon.lowerBound - 1] : nil
    let hasBlank = firstHalf != nil || before.map { $0 <= 0x20 || $0 == 0xA0 } ?? false
    let isPlain = time.isDyldForm && hasBlank && (time.percent != nil || !line.isTerminated)
    guard var text = firstHalf?.name ?? name?.text, isPlain || nonstandardLine != nil else {
      return false
    }
    if time.hasWideDot { text = text.withPlainDots }
    // Dyld adds up what has the same name, but people make several names unreadable alike.
    guard imageNames.insert(text).inserted || Self.isUnreadable(text) else {
      takesImages = false
      return false
    }
    if let firstHalf { usedLines.append(firstHalf.line) }
    if name?.hasMarkup == true { flags.insert(LoaderLogFlag.markup) }
    let image = value(text, nil, time, line)
    block.images.append(image)
    return true
  }

  /// Whether a name stands for one that is not told, such as `xxx`.
  private static func isUnreadable(_ name: String) -> Bool {
    guard let first = name.first, name.utf8.count <= 64 else { return false }
    return "xX?".contains(first) && name.allSatisfy { $0 == first }
  }

  /// Uses a stage that dyld does not know, if its share agrees with the total.
  private mutating func takeUnknownStage(_ line: inout LineScanner) -> Bool {
    guard isSummary, !takesImages, block.images.isEmpty, let total = block.total?.amount,
      let whole = total.nanoseconds, whole > 0, let colon = line.lastColon(),
      let name = line.imageName(line.position..<colon.lowerBound)
    else { return false }
    line.position = colon.upperBound
    guard let time = PrintedTime.read(&line), let percent = time.percent.flatMap(Double.init) else {
      return false
    }
    let amount = LoaderLogAmount(time.number, time.unit)
    guard let part = amount.nanoseconds else { return false }
    let slack = 0.15 + 100 * Double(amount.resolution ?? 0) / Double(whole)
    guard abs(100 * Double(part) / Double(whole) - percent) <= slack,
      names.insert(name.text).inserted
    else { return false }
    nonstandardLine = nonstandardLine ?? line.number
    let stage = value(name.text, DyldName.stage(like: name.text), time, line)
    block.stages.append(stage)
    return true
  }

  /// Notes that the text ends within a line of the block.
  private mutating func noteCut(_ line: inout LineScanner) {
    guard !line.isTerminated, gap == 0 else { return }
    let rest = line.text(line.position..<min(line.end, line.position + 64))
    let isBegun = StageLabel.isBegun(by: rest)
    if isBegun || takesImages && line.lastColon() != nil { isCut = true }
  }
}

extension LineScanner {
  /// The name of an image without markup; nil when there is none.
  fileprivate mutating func imageName(_ range: Range<Int>) -> (text: String, hasMarkup: Bool)? {
    let (start, end) = (position, self.end)
    defer { (position, self.end) = (start, end) }
    (position, self.end) = (range.lowerBound, range.upperBound)
    let prefix = LinePrefix.marks(in: &self)
    trimEnd()
    while self.end > position, bytes[self.end - 1] == Ascii.star { self.end -= 1 }
    guard (1...1_024).contains(self.end - position) else { return nil }
    return (text(position..<self.end), prefix.hasMarkup)
  }
}

extension String {
  /// The text with full stops for full-width dots, where those replaced them.
  fileprivate var withPlainDots: String {
    ["\u{3002}", "\u{FF0E}", "\u{FF61}"].reduce(self) { $0.replacing($1, with: ".") }
  }
}
