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
