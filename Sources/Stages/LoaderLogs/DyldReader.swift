import LaunchCore

/// Reads the summaries and the details of dyld's statistics.
///
/// A total opens a block, also where another one is open. Its lines carry what the log added to
/// the line of the total, or nothing. A stage of dyld's form whose total is cut off opens a block
/// without one.
struct DyldReader {
  private let mode: LoaderLogOptions.Mode

  /// By the process that a log names.
  private var open: [[UInt8]: OpenDyldBlock] = [:]

  /// The process of the block that was used last.
  private var latest: [UInt8] = []

  private var found: [FoundBlock] = []

  init(mode: LoaderLogOptions.Mode) { self.mode = mode }

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
    _ notes: inout LoaderLogNotes
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
  mutating func takeUnlabelled(_ line: inout LineScanner, _ notes: inout LoaderLogNotes) -> Bool {
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
  mutating func finish(_ notes: inout LoaderLogNotes) -> [FoundBlock] {
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
    _ notes: inout LoaderLogNotes
  ) -> Bool {
    let isSummary = format == LoaderLogFormat.dyldSummary
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
    _ notes: inout LoaderLogNotes
  ) {
    let key = prefix.log?.process ?? []
    close(key, &notes)
    open[key] = OpenDyldBlock(format, withoutTotal: prefix, line)
    latest = key
  }

  private mutating func close(_ key: [UInt8], _ notes: inout LoaderLogNotes) {
    guard let block = open.removeValue(forKey: key), let end = block.finished(&notes) else {
      return
    }
    found.append(end)
  }

  private mutating func reportOrphan(
    _ label: StageLabel,
    _ line: LineScanner,
    _ notes: inout LoaderLogNotes
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

/// Reads the counts of a line of dyld's details.
struct DyldCountReader {
  private let counts: DyldCounts

  /// By the names of the counters.
  private(set) var values: [String: Int64] = [:]

  /// Whether the text ends within the line.
  private(set) var isCut = false

  init(_ counts: DyldCounts) { self.counts = counts }

  /// Reads the line behind the colon of its label.
  ///
  /// - Returns: Whether there was a count; false also for a number that is cut off.
  mutating func read(_ line: inout LineScanner) -> Bool {
    switch counts {
    case .images: readImages(&line)
    case .segments: readSegments(&line)
    case .rebaseFixups: readNumber("rebase_fixups", &line)
    case .bindingFixups: readNumber("binding_fixups", &line)
    case .symbolLookups: readNumber("binding_symbol_lookups", &line)
    case .lazyBindings: readLazyBindings(&line)
    case .trieSearches: readNumber("symbol_trie_searches", &line)
    case .tableSearches: readNumber("symbol_table_binary_searches", &line)
    case .definingWeak: readNumber("images_defining_weak", &line)
    case .usingWeak: readNumber("images_using_weak", &line)
    case .definingAndUsingWeak: readWeak(&line)
    case .weakExports: readNumber("images_with_weak_exports", &line)
    case .hintedSearches: readNumber("hinted_binary_tree_searches", &line)
    case .unhintedSearches: readNumber("unhinted_binary_tree_searches", &line)
    }
    return !values.isEmpty
  }

  private mutating func readImages(_ line: inout LineScanner) {
    readNumber("images_loaded", &line)
    line.blanks()
    guard line.take(Ascii.opening) else { return }
    readClause(&line)
    line.blanks()
    if line.take(Ascii.comma) { readClause(&line) }
  }

  private mutating func readClause(_ line: inout LineScanner) {
    guard let number = number(&line) else { return }
    line.blanks()
    if let (_, name) = Self.clauses.first(where: { line.take($0.text) }) { values[name] = number }
  }

  private static let clauses = [
    (text: "from dyld shared cache", name: "images_from_shared_cache"),
    (text: "used prebinding", name: "images_used_prebinding"),
    (text: "needed no fixups", name: "images_without_fixups"),
  ]

  private mutating func readSegments(_ line: inout LineScanner) {
    readNumber("segments_mapped", &line)
    guard line.take(Ascii.comma) else { return }
    line.blanks()
    guard line.take("into") else { return }
    readPages("pages_mapped", &line)
    line.blanks()
    if line.take("with") { readPages("pages_prefetched", &line) }
  }

  private mutating func readPages(_ name: String, _ line: inout LineScanner) {
    guard let number = number(&line) else { return }
    line.blanks()
    if line.take("pages") { values[name] = number }
  }

  private mutating func readLazyBindings(_ line: inout LineScanner) {
    guard let bound = number(&line) else { return }
    line.blanks()
    guard line.take("of"), let possible = number(&line) else { return }
    values = ["lazy_bound": bound, "lazy_possible": possible]
  }

  /// Reads both numbers of a line of dyld 132.
  private mutating func readWeak(_ line: inout LineScanner) {
    guard let defining = number(&line), line.take("/"), let using = number(&line) else { return }
    values = ["images_defining_weak": defining, "images_using_weak": using]
  }

  private mutating func readNumber(_ name: String, _ line: inout LineScanner) {
    if let number = number(&line) { values[name] = number }
  }

  /// Reads a number that may be grouped in thousands; nil also when it may be cut off.
  private mutating func number(_ line: inout LineScanner) -> Int64? {
    line.blanks()
    var digits = line.text(line.digits())
    while line.next == Ascii.comma, let next = line.peek(1), Ascii.isDigit(next) {
      line.advance()
      digits += line.text(line.digits())
    }
    // The very last line of the details often has no line end, and is taken for whole.
    let isAtEnd = line.isAtEnd || line.next == Ascii.comma && line.peek(1) == nil
    guard !isAtEnd || line.isTerminated || counts.isLast else {
      isCut = true
      return nil
    }
    return Int64(digits)
  }
}

extension DyldCounts {
  /// Whether the line is printed after the list of images.
  var isAfterImages: Bool {
    switch self {
    case .trieSearches, .tableSearches, .definingWeak, .hintedSearches, .unhintedSearches: true
    default: isLast
    }
  }

  /// Whether a printer ends with the line.
  var isLast: Bool {
    switch self {
    case .usingWeak, .definingAndUsingWeak, .weakExports: true
    default: false
    }
  }
}
