import Foundation
import LaunchCore
import Rendering

/// The series of a night in Markdown, one row each.
struct TrendTable {
  let summary: TrendSummary
  let slots: NightSlots

  /// The release of the last column, such as `2.1`; nil for the newest that there is.
  let release: String?

  /// The lines of a table; empty without a series.
  func lines(_ trends: [SeriesTrend]) -> [String] {
    guard !trends.isEmpty else { return [] }
    let release = releaseTitle
    let isNoisy = summary.series.contains { $0.noise != .ok && $0.noise != .unknown }
    let titles =
      ["verdict", "series", "last 30 nights", "tonight", "Δ baseline", "Δ1", "Δ7", "Δ30"]
      + (release.map { ["Δ \(MarkdownTable.escaped($0))"] } ?? []) + ["CV"]
      + (isNoisy ? ["noise"] : [])
    let rows = trends.map { trend in
      let assessment = trend.assessment
      let changes =
        [
          assessment.ratio, assessment.overOneNight, assessment.overSevenNights,
          assessment.overThirtyNights,
        ].map { TrendWords.change($0) }
        + (release == nil ? [] : [TrendWords.change(releaseCheck(of: trend)?.ratio)])
      return [verdict(trend), Self.name(trend.key)]
        + ["`\(Sparkline(trend, in: slots).text)`"]
        + ([tonight(trend)] + changes + [variation(trend)]).map(Self.unbroken)
        + (isNoisy ? [trend.noise.rawValue] : [])
    }
    return MarkdownTable(
      titles: titles.map(Self.unbroken),
      textColumns: isNoisy ? [0, 1, 2, titles.count - 1] : [0, 1, 2],
      rows: rows
    ).lines
  }

  /// The name of a series on one line, unless it is long.
  static func name(_ key: SeriesKey) -> String {
    let name = MarkdownTable.escaped(TrendWords.name(key))
    return name.count > 40 ? name : unbroken(name)
  }

  /// The text with spaces at which no browser breaks a line.
  static func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }

  /// Such as `🔴 regression R-17`.
  private func verdict(_ trend: SeriesTrend) -> String {
    if TrendLead(summary).hasMoved(trend) { return Self.unbroken("🟣 moved") }
    let outcome = trend.assessment.outcome
    let alert = trend.assessment.alert.map { " \(link($0))" } ?? ""
    if outcome == .missing {
      return Self.unbroken("⚫ not measured\(missingAge(of: trend))\(alert)")
    }
    // What an open alert has made the new normal is not green beside it.
    if outcome == .quiet, let open = summary.alerts.first(where: { isOpen($0, on: trend.key) }) {
      return Self.unbroken("\(TrendWords.symbol(open)) unchanged since \(link(open.number))")
    }
    return Self.unbroken("\(TrendWords.symbol(outcome)) \(TrendWords.word(outcome))\(alert)")
  }

  private func link(_ number: Int) -> String { "[R-\(number)](#r-\(number))" }

  private func isOpen(_ alert: Alert, on key: SeriesKey) -> Bool {
    alert.isOpen && alert.kind != .budget && alert.series.target == key.target
      && alert.series.state == key.state && alert.series.metric == key.metric
  }

  /// For how many nights there has been no value, such as ` for 3 nights`; empty for tonight alone.
  private func missingAge(of trend: SeriesTrend) -> String {
    let last = trend.points.last.flatMap { slots.index(of: $0.run) } ?? -1
    let nights = slots.slots.count - 1 - last
    return nights > 1 ? " for \(nights) nights" : ""
  }

  private func tonight(_ trend: SeriesTrend) -> String {
    trend.assessment.tonight.map { Quantity.text($0.median, trend.key.metric.unit) }
      ?? Quantity.none
  }

  /// The scatter of the nights of the baseline.
  private func variation(_ trend: SeriesTrend) -> String {
    guard let baseline = trend.assessment.baseline, baseline.mean != 0 else { return Quantity.none }
    return Quantity.percent(baseline.standardDeviation / baseline.mean)
  }

  private var releaseTitle: String? {
    summary.series.lazy.compactMap { releaseCheck(of: $0)?.against }.first
  }

  private func releaseCheck(of trend: SeriesTrend) -> DriftCheck? {
    trend.drifts.last { check in
      release.map { check.against == "release \($0)" } ?? check.against.hasPrefix("release ")
    }
  }

  /// Such as `9 unchanged series, at most 1.1 % off`.
  static func title(ofUnchanged trends: [SeriesTrend]) -> String {
    let count = Quantity.count(trends.count, "unchanged series", plural: "unchanged series")
    guard let largest = TrendLead.largestChange(trends) else { return count }
    return "\(count), at most \(Quantity.percent(abs(largest.ratio - 1))) off"
  }
}

extension Sparkline {
  /// The line of a trend over the last nights.
  init(_ trend: SeriesTrend, in slots: NightSlots, nights: Int = 30) {
    let points = slots.points(of: trend, last: nights)
    let broken = Set(trend.breaks.map(\.index))
    self.init(
      values: points.map { $0.map { trend.points[$0].median } },
      breaks: Set(points.indices.filter { $0 > 0 && points[$0].map(broken.contains) ?? false })
    )
  }
}

/// The nights of the line of tonight's host in order, those without a result included, so that each has a
/// place.
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
    let nights = summary.hostNights.line.map { Slot(day: $0.startedAt.utcDay, run: $0.run) }
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
