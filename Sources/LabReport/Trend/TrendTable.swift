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
    let titles =
      ["verdict", "series", "last 30 nights", "tonight", "baseline", "1 night", "7 nights"]
      + ["30 nights"] + (release.map { [MarkdownTable.escaped($0)] } ?? []) + ["CV", "noise"]
    let rows = trends.map { trend in
      let assessment = trend.assessment
      let changes = [
        assessment.ratio, assessment.overOneNight, assessment.overSevenNights,
        assessment.overThirtyNights,
      ]
      return [verdict(trend), MarkdownTable.escaped(TrendWords.name(trend.key))]
        + ["`\(Sparkline(trend, in: slots).text)`", tonight(trend)]
        + changes.map(TrendWords.change)
        + (release == nil ? [] : [TrendWords.change(releaseCheck(of: trend)?.ratio)])
        + [variation(trend), trend.noise.rawValue]
    }
    return MarkdownTable(
      titles: titles,
      textColumns: [0, 1, 2, titles.count - 1],
      rows: rows
    ).lines
  }

  /// Such as `🔴 regression R-17`.
  private func verdict(_ trend: SeriesTrend) -> String {
    let outcome = trend.assessment.outcome
    let alert = trend.assessment.alert.map { " [R-\($0)](#r-\($0))" } ?? ""
    return "\(TrendWords.symbol(outcome)) \(TrendWords.word(outcome))\(alert)"
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

  /// Such as `9 unchanged series, at most +1.1 % off`.
  static func title(ofUnchanged trends: [SeriesTrend]) -> String {
    let count = Quantity.count(trends.count, "unchanged series", plural: "unchanged series")
    guard let largest = TrendLead.largestChange(trends) else { return count }
    return "\(count), at most \(TrendWords.change(largest.ratio)) off"
  }
}
