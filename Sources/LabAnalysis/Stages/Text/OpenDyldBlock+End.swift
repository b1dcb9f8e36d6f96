import LabModel

extension OpenDyldBlock {
  /// The block as far as it was read; nil when it is not one after all.
  func finished(_ notes: inout StageTextNotes) -> FoundBlock? {
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
    flags.formUnion(missing.map { StageTextFlag.missing + $0 })
    let isOpenEnded = !hasInitializers && !flags.contains(StageTextFlag.elided)
    if isCut || isOpenEnded { flags.insert(StageTextFlag.truncated) }
    return flags
  }

  private func reportGaps(_ block: StageTextBlock, _ notes: inout StageTextNotes) {
    guard !block.isComplete else { return }
    let gaps = block.flags.filter {
      $0 == StageTextFlag.truncated || $0.hasPrefix(StageTextFlag.missing)
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
