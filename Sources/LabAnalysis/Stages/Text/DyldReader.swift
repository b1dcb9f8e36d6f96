import LabModel

/// Reads the summaries and the details of dyld's statistics.
///
/// A total opens a block, also where another one is open. Its lines carry what the log added to
/// the line of the total, or nothing. A stage of dyld's form whose total is cut off opens a block
/// without one.
struct DyldReader {
  private let mode: StageTextOptions.Mode

  /// By the process that a log names.
  private var open: [[UInt8]: OpenDyldBlock] = [:]

  /// The process of the block that was used last.
  private var latest: [UInt8] = []

  private var found: [FoundBlock] = []

  init(mode: StageTextOptions.Mode) { self.mode = mode }

  static let totalForm = "Total pre-main time: 430.43 milliseconds (100.0%)"

  /// Uses a line that has a label.
  ///
  /// - Parameters:
  ///   - label: The label of the line.
  ///   - start: Where the label begins.
  ///   - line: Read from behind the colon of the label.
  ///   - notes: Takes what should be told.
  /// - Returns: Whether the line was used.
  mutating func take(
    _ label: StageLabel,
    at start: Int,
    in line: inout LineScanner,
    _ notes: inout StageTextNotes
  ) -> Bool {
    switch label.role {
    case .dyldTotal, .dyldStage, .dyldCounts, .imageHeading: break
    default: return false
    }
    let place = line.position
    guard let prefix = LinePrefix.read(&line, upTo: start) else { return false }
    line.position = place
    if case .dyldTotal(let format) = label.role {
      return begin(format, label.name, prefix, &line, &notes)
    }
    if let format = formatWithoutTotal(label, prefix, line) {
      beginPart(format, prefix, line, &notes)
    }
    guard let key = key(for: prefix), var block = open[key] else {
      if case .dyldStage = label.role { reportOrphan(label, line, &notes) }
      return false
    }
    open[key] = nil
    defer { open[key] = block }
    let isTaken = block.take(label, in: &line, &notes)
    if isTaken {
      block.use(line, prefix)
      latest = key
    }
    return isTaken
  }

  /// Uses a line without a label that belongs to the block that was used last.
  mutating func takeUnlabelled(_ line: inout LineScanner, _ notes: inout StageTextNotes) -> Bool {
    guard !open.isEmpty else { return false }
    let (key, prefix) = prefix(of: &line)
    guard let key, var block = open[key] else { return false }
    open[key] = nil
    defer { open[key] = block }
    let isTaken = block.takeUnlabelled(&line)
    if isTaken {
      block.use(line, prefix)
      latest = key
    } else {
      block.skip()
    }
    return isTaken
  }

  /// Ends every block.
  mutating func finish(_ notes: inout StageTextNotes) -> [FoundBlock] {
    let keys = open.sorted {
      let left = ($0.value.block.lines.lowerBound, String(decoding: $0.key, as: UTF8.self))
      return left < ($1.value.block.lines.lowerBound, String(decoding: $1.key, as: UTF8.self))
    }
    for (key, _) in keys { close(key, &notes) }
    return found
  }

  // MARK: - Blocks

  private mutating func begin(
    _ format: String,
    _ name: String,
    _ prefix: LinePrefix,
    _ line: inout LineScanner,
    _ notes: inout StageTextNotes
  ) -> Bool {
    let isSummary = format == StageTextFormat.dyldSummary
    let key = prefix.log?.process ?? []
    let hasNumber = line.hasNumber()
    guard let time = PrintedTime.read(&line) else {
      guard isSummary, hasNumber else { return false }
      close(key, &notes)
      notes.add(
        .warning,
        "no-unit",
        line: line.number,
        "\"\(name)\" has no time with a unit, so no block begins here",
        remedy: "write it as `\(Self.totalForm)`"
      )
      return false
    }
    // Other programs print a "total time", too; only dyld adds its share of itself.
    let isWhole = time.percent?.hasPrefix("100") ?? false
    let isPlain = !time.hasNote && (time.isWrapped || time.percent == nil && time.isDyldForm)
    guard isSummary ? isWhole || !time.hasNote : isWhole || isPlain else { return false }
    close(key, &notes)
    open[key] = OpenDyldBlock(format, name, time, prefix, line)
    latest = key
    return true
  }

  /// The format of a block that a stage begins because its total is cut off; nil when it begins none.
  private func formatWithoutTotal(
    _ label: StageLabel,
    _ prefix: LinePrefix,
    _ line: LineScanner
  ) -> String? {
    guard case .dyldStage(let format, _) = label.role else { return nil }
    if let block = key(for: prefix).flatMap({ open[$0] }) {
      // The same stage again, or one of the other form, is of another launch.
      let isNext = block.block.format != format || block.names.contains(label.name)
      guard block.block.total == nil, isNext else { return nil }
    }
    var line = line
    guard let time = PrintedTime.read(&line), time.isDyldForm, time.percent != nil else {
      return nil
    }
    return format
  }

  private mutating func beginPart(
    _ format: String,
    _ prefix: LinePrefix,
    _ line: LineScanner,
    _ notes: inout StageTextNotes
  ) {
    let key = prefix.log?.process ?? []
    close(key, &notes)
    open[key] = OpenDyldBlock(format, withoutTotal: prefix, line)
    latest = key
  }

  private mutating func close(_ key: [UInt8], _ notes: inout StageTextNotes) {
    guard let block = open.removeValue(forKey: key), let end = block.finished(&notes) else {
      return
    }
    found.append(end)
  }

  private mutating func reportOrphan(
    _ label: StageLabel,
    _ line: LineScanner,
    _ notes: inout StageTextNotes
  ) {
    var line = line
    guard PrintedTime.read(&line) != nil else { return }
    notes.add(
      .warning,
      "no-total",
      line: line.number,
      "\"\(label.name)\" belongs to no block, because no total comes before it",
      remedy: "give the text from the line `\(Self.totalForm)` on"
    )
  }

  // MARK: - Lines

  /// The process whose block a line with this prefix belongs to.
  private func key(for prefix: LinePrefix) -> [UInt8]? {
    guard let log = prefix.log else { return latest }
    guard let block = open[log.process], block.log?.shape == log.shape else { return nil }
    return log.process
  }

  /// Reads what stands before the message of a line without a label.
  private func prefix(of line: inout LineScanner) -> ([UInt8]?, LinePrefix) {
    var prefix = LinePrefix.marks(in: &line)
    guard let expected = open[latest]?.log else { return (latest, prefix) }
    let start = line.position
    let log = LinePrefix.log(in: &line, words: expected.words)
    guard log.shape == expected.shape else {
      line.position = start
      return (latest, prefix)
    }
    prefix.log = log
    return (log.process, prefix)
  }
}
