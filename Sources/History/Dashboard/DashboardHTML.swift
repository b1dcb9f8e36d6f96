import LaunchCore

/// The trend of a scenario as one self-contained page: every series as a chart that can be filtered,
/// zoomed and pointed at.
///
/// Its frame is `dashboard.html`, with `dashboard.css` and `dashboard.js` inside it. The page loads
/// nothing: its policy forbids every request. The same summary gives the same bytes. It needs a
/// browser with the CSS function `light-dark()` (2024). What comes from a scenario, a commit or a
/// store is escaped as text, and never as a part of the page or of its script.
package struct DashboardHTML {
  private let summary: TrendSummary

  /// - Parameter summary: What the night is concluded with.
  package init(_ summary: TrendSummary) { self.summary = summary }

  /// The page, in time and memory proportional to the number of points.
  package func rendered() -> String {
    // No part that comes from outside can hold a mark: each has its `<` escaped.
    let parts = [
      ("title", Markup.text("\(summary.scenario.name): launch trend")),
      ("style", DashboardFile.css), ("script", DashboardFile.js),
      ("header", DashboardHeader(summary).rendered()), ("data", DashboardData(summary).json),
    ]
    return parts.reduce(DashboardFile.html) { page, part in
      page.replacing("<!-- \(part.0) -->", with: part.1)
    }
  }
}
