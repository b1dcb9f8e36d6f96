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
    if hasDots { flags.insert(StageTextFlag.elided) }
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
    if name?.hasMarkup == true { flags.insert(StageTextFlag.markup) }
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
    let amount = StageTextAmount(time.number, time.unit)
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
