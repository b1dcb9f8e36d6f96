/// The colours of a chart, as hexadecimal sRGB; each stands out from `background` by at least 4.5 : 1
/// but for the grid.
package struct ChartTheme: Hashable, Sendable {
  /// For pages with a light background.
  package static let light = ChartTheme(
    suffix: "",
    background: "#ffffff",
    text: "#1f2328",
    faint: "#59636e",
    grid: "#d8dee4",
    value: "#0969da",
    level: "#1f2328",
    worse: "#cf222e",
    better: "#1a7f37",
    broken: "#8250df",
    outlier: "#bc4c00"
  )

  /// For pages with a dark background.
  package static let dark = ChartTheme(
    suffix: "-dark",
    background: "#0d1117",
    text: "#e6edf3",
    faint: "#9198a1",
    grid: "#30363d",
    value: "#58a6ff",
    level: "#e6edf3",
    worse: "#ff7b72",
    better: "#56d364",
    broken: "#bc8cff",
    outlier: "#f0883e"
  )

  /// What the name of the file ends with, before its extension.
  let suffix: String

  let background: String
  let text: String
  let faint: String
  let grid: String
  let value: String
  let level: String
  let worse: String
  let better: String
  let broken: String
  let outlier: String
}
