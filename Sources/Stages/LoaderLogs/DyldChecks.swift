import LaunchCore

/// What the arithmetic of dyld's printers says about a block.
///
/// Source: `printStatistics` and `printStatisticsDetails` in src/ImageLoader.cpp.
enum DyldChecks {
  /// The details whose sum is the total.
  private static let summands: Set<String> = Set(
    [
      DyldName.loading, DyldName.rebase, DyldName.binding, DyldName.weakBinding,
      DyldName.registration, "total notify time time",
    ] + DyldName.initializers
  )

  /// Why no time of the block is usable; nil when they are.
  ///
  /// Before 46.16 the printer divided seconds by 100, took counter units for nanoseconds, and
  /// printed a time of rebase fixups that is their number.
  static func brokenPrinter(_ block: LoaderLogBlock) -> String? {
    guard block.counters["images_used_prebinding"] != nil else { return nil }
    let values = ([block.total].compactMap(\.self) + block.stages)
    let isSecondBroken = values.contains { value in
      guard let amount = value.amount, amount.unit == .seconds else { return false }
      return amount.places != 1 || amount.printed.hasPrefix("0")
    }
    if isSecondBroken { return "dyld before 46.16 prints seconds wrongly" }
    guard let total = block.total?.amount, let whole = total.nanoseconds else { return nil }
    let parts = block.stages.filter { summands.contains($0.name) }.compactMap(\.amount)
    let sum = parts.reduce(0.0) { $0 + Double($1.nanoseconds ?? 0) }
    let slack = parts.reduce(Double(total.resolution ?? 0)) { $0 + Double($1.resolution ?? 0) }
    let isOff = sum - Double(whole) > slack
    return isOff ? "the stages are more than the total, as dyld before 46.16 prints them" : nil
  }

  /// Adds a guess to the one stage that wrapped: the total less the others.
  static func repair(_ block: inout LoaderLogBlock, _ notes: inout LoaderLogNotes) {
    let isSummary = block.format == LoaderLogFormat.dyldSummary
    let parts = block.stages.indices.filter {
      isSummary || summands.contains(block.stages[$0].name)
    }
    let unknown = parts.filter { block.stages[$0].amount?.nanoseconds == nil }
    let hasAll = isSummary ? parts.count == StageLabel.summaryStages.count : true
    if let index = unknown.first, unknown.count == 1, hasAll,
      let total = block.total?.amount?.nanoseconds
    {
      let others = parts.compactMap { block.stages[$0].amount?.nanoseconds }
      block.stages[index].repaired = max(0, others.reduce(total) { $0.subtracting($1) })
    }
    for value in [block.total].compactMap(\.self) + block.stages + block.images
    where value.flags.contains(LoaderLogFlag.wrapped) {
      let guess = value.repaired.map { "; the rest of the total is \($0) ns" } ?? ""
      notes.add(
        .warning,
        "wrapped",
        line: value.line,
        "the counter of \"\(shortened(value.name))\" went below zero and wrapped around, so its "
          + "time is not known\(guess)"
      )
    }
  }

  /// Tells of percentages that do not follow from the times, which nothing else is done about.
  static func reportContradictions(_ block: LoaderLogBlock, _ notes: inout LoaderLogNotes) {
    guard let total = block.total?.amount, let whole = total.nanoseconds, whole > 0 else { return }
    for value in block.stages + block.images {
      guard let amount = value.amount, let part = amount.nanoseconds,
        let percent = value.percent.flatMap(Double.init)
      else { continue }
      let part1 = Double(part) + Double(amount.resolution ?? 0)
      let whole1 = Double(whole) + Double(total.resolution ?? 0)
      let lowest = 100 * Double(part) / whole1 - 0.1
      let highest = 100 * part1 / Double(whole)
      // A rounded percentage of an imitation is no contradiction.
      let slack = block.isStandard ? 1e-9 : 0.1
      if percent < lowest - slack || percent > highest + slack {
        notes.add(
          .warning,
          "percent-contradiction",
          line: value.line,
          "\"\(shortened(value.name))\" is \(value.percent ?? "") % by the text, which does not "
            + "follow from its time and the total; the time is used",
          remedy: "see whether the line belongs to another block"
        )
      }
    }
  }
}

extension Int64 {
  /// The difference, or the smallest number where it is too small.
  fileprivate func subtracting(_ other: Int64) -> Int64 {
    let (difference, isTooSmall) = subtractingReportingOverflow(other)
    return isTooSmall ? .min : difference
  }
}

extension DyldName {
  /// The stage that a name of somebody's own stands for; nil when that cannot be told.
  static func stage(like name: String) -> String? {
    switch name.hasSuffix(" time") ? name : name + " time" {
    case "dylib loading time": StageName.load
    case "rebase/binding time": StageName.fixup
    case "ObjC setup time": StageName.runtimeSetup
    case "initializer time", "initializers time": StageName.initializers
    default: nil
    }
  }
}

extension StageLabel {
  /// Whether a text is the beginning of a label of dyld, long enough to tell.
  static func isBegun(by text: String) -> Bool {
    guard text.utf8.count >= 4 else { return false }
    return dyldNames.contains { $0.hasPrefix(text) || text == "\($0):" }
  }

  static let dyldNames: [String] = (dyldSummary + dyldDetails + dyldCounts).map(\.name)
}

extension LineScanner {
  /// Where the last colon is, which may be a full-width one; nil when there is none.
  mutating func lastColon() -> Range<Int>? {
    guard let last = last(Ascii.colon) else {
      return lastWideColon()
    }
    return last..<last + 1
  }

  private mutating func lastWideColon() -> Range<Int>? {
    var index = end - 2
    while index > position {
      index -= 1
      charge(1)
      if bytes[index] == 0xEF, bytes[index + 1] == 0xBC, bytes[index + 2] == 0x9A {
        return index..<index + 3
      }
    }
    return nil
  }
}
