import Foundation
package import LabAnalysis
import LabModel

/// The trend of a scenario as one self-contained page: every series as a chart that can be filtered,
/// zoomed and pointed at.
///
/// The page loads nothing: its policy forbids every request. The same summary gives the same bytes.
/// It needs a browser with the CSS function `light-dark()` (2024). What comes from a scenario, a
/// commit or a store is escaped as text, and never as a part of the page or of its script.
package struct DashboardHTML {
  private let summary: TrendSummary

  /// - Parameter summary: What the night is concluded with.
  package init(_ summary: TrendSummary) { self.summary = summary }

  /// The page, in time and memory proportional to the number of points.
  package func rendered() -> String {
    let title = Markup.text("\(summary.scenario.name): launch trend")
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <title>\(title)</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      \(DashboardHeader(summary).rendered())
      \(Self.controls)
      <noscript><p class="problem">The charts need JavaScript. \
      The same figures are in latest.md beside this page.</p></noscript>
      <main id="cards" aria-label="charts"></main>
      <div id="table" hidden></div>
      \(Self.legend)
      <pre id="error" role="alert" hidden></pre>
      <script type="application/json" id="data">\(DashboardData(summary).json)</script>
      <script>
      \(Self.script)
      </script>
      </body>
      </html>

      """
  }

  /// Nothing may be loaded or sent; what is on the page itself may style and run.
  private static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    + "base-uri 'none'; form-action 'none'"

  /// The program of the page, in the order in which its parts build on each other.
  private static let script = """
    (() => {
    "use strict";
    \(scriptOfBasics)
    \(scriptOfView)
    \(scriptOfPoints)
    \(scriptOfChart)
    \(scriptOfMarks)
    \(scriptOfCards)
    \(scriptOfTables)
    \(scriptOfStart)
    })();
    """
}
