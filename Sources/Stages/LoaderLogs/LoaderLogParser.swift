import LaunchCore

/// Hands the lines of a text to the readers of the grammars.
struct LoaderLogParser {
  private var notes: LoaderLogNotes
  private let options: LoaderLogOptions
  private var dyld: DyldReader
  private var glibc: GlibcReader
  private var others: [any LoaderLogReader]
  private var profile: FoundBlock?
  private var ignored = LineNumbers()
  private var scanned = 0

  /// The longest line that is read, in bytes.
  static let longestLine = 1_048_576

  init(name: String, options: LoaderLogOptions) {
    self.options = options
    notes = LoaderLogNotes(name: name, mode: options.mode)
    dyld = DyldReader(mode: options.mode)
    glibc = GlibcReader(options: options)
    others = [
      PythonImportReader(), GoInitReader(), JVMStartupReader(), JVMClassReader(),
      NodeTimingReader(), VimStartupReader(), StraceReader(), PerfTraceReader(), SystemdReader(),
      PatternReader(options.patterns),
    ]
  }

  /// Reads a text that is one document, and no lines of a log.
  ///
  /// - Returns: Whether it was one.
  mutating func readWhole(_ bytes: [UInt8]) -> Bool {
    let ends = bytes.count { $0 == Ascii.lineFeed }
    let lines = bytes.last == Ascii.lineFeed ? ends : ends + 1
    guard let block = V8ProfileReader.block(bytes, lines: lines) else { return false }
    profile = FoundBlock(block: block, usedLines: Array(1...lines))
    scanned += bytes.count
    return true
  }

  mutating func read(_ line: LineScanner) {
    var line = line
    if line.range.count > Self.longestLine {
      ignored.add(line.number)
      notes.add(
        .warning,
        "long-line",
        line: line.number,
        "the line has \(line.range.count) bytes, and is not read",
        remedy: "give lines of at most \(Self.longestLine) bytes"
      )
    } else if !line.isBlank(), !isTaken(&line) {
      ignored.add(line.number)
    }
    scanned += line.work + line.range.count
  }

  /// Whether a reader used the line.
  private mutating func isTaken(_ line: inout LineScanner) -> Bool {
    if let (label, start) = StageLabel.find(in: &line) {
      let place = line.position
      if dyld.take(label, at: start, in: &line, &notes) { return true }
      line.rewind()
      line.position = place
      if glibc.take(label, at: start, in: &line) { return true }
    }
    line.rewind()
    if dyld.takeUnlabelled(&line, &notes) { return true }
    line.rewind()
    if glibc.takeUnlabelled(&line) { return true }
    for index in others.indices {
      line.rewind()
      if others[index].take(&line) { return true }
    }
    return false
  }

  /// Ends every block, and gives the result.
  mutating func finish() -> LoaderLogResult {
    var found = dyld.finish(&notes)
    found += glibc.finish(&notes)
    for reader in others { found += reader.found }
    found += profile.map { [$0] } ?? []
    for found in found where found.block == nil { ignored.add(found.usedLines) }
    let kept = found.filter { $0.block != nil }
    let used = LineNumbers(kept.flatMap(\.usedLines) + glibc.events.map(\.line))
    let blocks = kept.compactMap(\.block)
      .enumerated()
      .sorted {
        ($0.element.lines.lowerBound, $0.offset) < ($1.element.lines.lowerBound, $1.offset)
      }
      .map(\.element)
    let isStandard = found.allSatisfy(\.isStandard)
    if blocks.isEmpty, glibc.events.isEmpty { reportNothing(isRefused: kept.count < found.count) }
    return LoaderLogResult(
      name: notes.name,
      blocks: blocks,
      events: glibc.events,
      usedLines: used.ranges,
      ignoredLines: ignored.without(used).ranges,
      diagnostics: notes.all(),
      isStandard: isStandard,
      scannedBytes: scanned
    )
  }

  private mutating func reportNothing(isRefused: Bool) {
    guard !isRefused else { return }
    notes.add(
      .error,
      "no-stage-text",
      line: nil,
      "no output of a loader or runtime found; static and set-user-id programs print none, nor "
        + "does dyld since macOS 12 and iOS 15",
      remedy: "give the output of DYLD_PRINT_STATISTICS, LD_DEBUG=statistics, "
        + "GODEBUG=inittrace=1, python -X importtime, nodeTiming as JSON, a .cpuprofile, "
        + "-Xlog:startuptime or class+load, vim --startuptime, strace -r or -ttt, perf trace or "
        + "systemd-analyze, or describe the lines with `--pattern`"
    )
  }
}

/// Reads the lines of one grammar.
protocol LoaderLogReader {
  /// Uses a line if it belongs to the grammar.
  ///
  /// - Parameter line: Read from its beginning.
  /// - Returns: Whether it was used.
  mutating func take(_ line: inout LineScanner) -> Bool

  /// The blocks so far.
  var found: [FoundBlock] { get }
}

/// A block and the lines that it was read from.
struct FoundBlock {
  /// Nil when it was refused.
  var block: LoaderLogBlock?

  var usedLines: [Int]

  /// Whether a loader or runtime prints it like this.
  var isStandard = true
}

/// Numbers of lines, as ranges.
struct LineNumbers {
  private var numbers: [Int]

  init(_ numbers: [Int] = []) { self.numbers = numbers }

  mutating func add(_ number: Int) { numbers.append(number) }

  mutating func add(_ more: [Int]) { numbers += more }

  /// Those that are not among others.
  func without(_ others: LineNumbers) -> LineNumbers {
    let others = Set(others.numbers)
    return LineNumbers(numbers.filter { !others.contains($0) })
  }

  /// Ascending, without those that touch each other.
  var ranges: [ClosedRange<Int>] {
    var ranges: [ClosedRange<Int>] = []
    for number in numbers.sorted() {
      if let last = ranges.last, number <= last.upperBound + 1 {
        ranges[ranges.count - 1] = last.lowerBound...max(number, last.upperBound)
      } else {
        ranges.append(number...number)
      }
    }
    return ranges
  }
}
