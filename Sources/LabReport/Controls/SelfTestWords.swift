import Foundation
import LabAnalysis
import LabModel
import LabStatistics

/// What is found of a program that was launched as A and as B, in sentences.
enum SelfTestWords {
  /// Whether A and B are the same, with the ratio and its interval.
  static func verdict(_ comparison: PairedComparison) -> String {
    let bounds = comparison.interval.map { ", \(ratio($0.low))–\(ratio($0.high))" } ?? ""
    let numbers = "ratio \(ratio(comparison.ratio))\(bounds)"
    let limit = Quantity.percent(comparison.rule.effectLimit)
    return switch comparison.verdict {
    case .same: "A and B are the same (\(numbers))"
    case .regression: "B is called slower than A, which is the same program (\(numbers))"
    case .improvement: "B is called faster than A, which is the same program (\(numbers))"
    case .inconclusive:
      "A and B: inconclusive, neither different nor equivalent within \(limit) (\(numbers))"
    }
  }

  /// How many shorter comparisons were wrong.
  static func alarms(_ state: StateNoise) -> String {
    let alarms = state.alarms
    guard alarms.comparisons > 1 else {
      return "\(Quantity.count(state.comparison.count, "pair")) are one comparison, so there is no "
        + "rate of false alarms"
    }
    let rate = Quantity.percent(Double(alarms.alarms) / Double(alarms.comparisons))
    return "\(alarms.alarms) of \(alarms.comparisons) comparisons are false alarms (\(rate)), and "
      + "\(alarms.alarmsWithoutLimit) would be without the effect limit; they are of \(alarms.window) "
      + "consecutive blocks each and of all, so they overlap, and count for at "
      + "most \(Quantity.count(alarms.independent(of: state.comparison.count), "independent one"))"
  }

  /// A ratio near 1 with three decimals.
  static func ratio(_ ratio: Double) -> String { String(format: "%.3f", ratio) }
}
