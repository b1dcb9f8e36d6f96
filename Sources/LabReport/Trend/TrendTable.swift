import LabAnalysis
import LabModel

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
        ].map(TrendWords.change)
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
    let alert = trend.assessment.alert.map { " [R-\($0)](#r-\($0))" } ?? ""
    return Self.unbroken("\(TrendWords.symbol(outcome)) \(TrendWords.word(outcome))\(alert)")
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
