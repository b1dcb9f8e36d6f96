import Foundation
import LabAnalysis
import LabModel

/// The nights of a scenario in order, those without a result included, so that each has a place.
struct NightSlots {
  struct Slot: Hashable {
    /// In UTC, such as `2026-11-21`.
    var day: String

    /// The id of the run; nil for a night without one.
    var run: String?
  }

  let slots: [Slot]

  /// The slot of each run.
  private let indices: [String: Int]

  /// Takes the nights up to and with tonight, and the missed ones between them.
  init(_ summary: TrendSummary) {
    let nights = summary.nights.map { Slot(day: TrendWords.day($0.startedAt), run: $0.run) }
    let days = Set(nights.map(\.day))
    let first = nights.first?.day ?? ""
    let last = nights.last?.day ?? ""
    let missed = summary.missed.filter { !days.contains($0.day) && $0.day > first && $0.day < last }
      .map { Slot(day: $0.day) }
    // The sort is stable, so that the runs of one day keep their order.
    slots = missed.isEmpty ? nights : (nights + missed).sorted { $0.day < $1.day }
    var indices: [String: Int] = [:]
    for (index, slot) in slots.enumerated() {
      if let run = slot.run { indices[run] = index }
    }
    self.indices = indices
  }

  func index(of run: String) -> Int? { indices[run] }

  /// The points of a trend in the last slots.
  ///
  /// - Parameters:
  ///   - trend: One of the series of the summary.
  ///   - count: How many slots, at least 1.
  /// - Returns: Per slot the index of its point; nil where the night has no value.
  func points(of trend: SeriesTrend, last count: Int) -> [Int?] {
    let start = max(0, slots.count - count)
    var places = [Int?](repeating: nil, count: slots.count - start)
    for (point, value) in trend.points.enumerated().reversed() {
      guard let slot = indices[value.run] else { continue }
      guard slot >= start else { break }
      places[slot - start] = point
    }
    return places
  }
}
