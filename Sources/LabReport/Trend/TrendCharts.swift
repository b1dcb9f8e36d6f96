package import LabAnalysis
import LabModel

/// The charts that a report refers to, one per alert in a light and a dark form.
package struct TrendCharts {
  private let summary: TrendSummary

  package init(_ summary: TrendSummary) { self.summary = summary }

  /// The pictures.
  ///
  /// - Returns: The names of the files, such as `R-17-dark.svg`, and what they hold, in the order
  ///   of the alerts; none for an alert whose series has no value on tonight's host.
  package var files: [(name: String, text: String)] {
    let lead = TrendLead(summary)
    let slots = NightSlots(summary)
    return summary.alerts.flatMap { alert -> [(name: String, text: String)] in
      guard let trend = lead.trend(of: alert), !trend.points.isEmpty else { return [] }
      let chart = TrendChart(trend, in: summary, slots: slots, alert: alert)
      return [ChartTheme.light, .dark].map { theme in
        (name: "\(alert.id)\(theme.suffix).svg", text: chart.rendered(theme))
      }
    }
  }
}
