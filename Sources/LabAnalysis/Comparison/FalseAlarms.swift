package import LabStatistics

/// How often parts of a comparison of a program with itself call the two different.
///
/// Every window of consecutive blocks is compared as if it were a run of its own. Neighbouring
/// windows share all but one block, so their alarms come in rows: of 41 windows of 20 in 60 blocks
/// only 3 are independent. The counts show that there were alarms, not how likely one is.
package struct FalseAlarms: Hashable, Sendable {
  /// How many blocks a window has where there are so many.
  package static let usualWindow = 20

  /// How many blocks a window has.
  package var window: Int

  /// How many comparisons there were: the windows, and all blocks at once.
  package var comparisons: Int

  /// How many of them call the two different, by the whole rule.
  package var alarms: Int

  /// How many would if there were no effect limit.
  package var alarmsWithoutLimit: Int

  package init(window: Int, comparisons: Int, alarms: Int, alarmsWithoutLimit: Int) {
    self.window = window
    self.comparisons = comparisons
    self.alarms = alarms
    self.alarmsWithoutLimit = alarmsWithoutLimit
  }

  /// Compares every window.
  ///
  /// - Parameters:
  ///   - pairs: A program as baseline and as candidate.
  ///   - rule: When the two are called different.
  package init(of pairs: PairedRatio, rule: ComparisonRule = ComparisonRule()) {
    let window = min(Self.usualWindow, pairs.count)
    var parts = (0...(pairs.count - window)).compactMap { pairs.part($0..<$0 + window) }
    if pairs.count > window { parts.append(pairs) }
    let unlimited = rule.limited(to: 0)
    self.init(
      window: window,
      comparisons: parts.count,
      alarms: parts.count { PairedComparison($0, rule: rule).isDifference },
      alarmsWithoutLimit: parts.count { PairedComparison($0, rule: unlimited).isDifference }
    )
  }

  /// How many windows there are that share no block.
  package func independent(of pairs: Int) -> Int { pairs / max(1, window) }
}
