package import LabAnalysis
package import LabModel

/// How far a bisection is, on one line.
package struct BisectProgressText {
  private let progress: BisectProgress
  private let words: BisectWords?

  /// Creates the line.
  ///
  /// - Parameters:
  ///   - progress: How far it is.
  ///   - start: What is bisected; without it revisions are called by their number.
  package init(_ progress: BisectProgress, start: BisectStart? = nil) {
    self.progress = progress
    words = start.map(BisectWords.init)
  }

  /// Such as `search: 12 commits left, 1a2b3c4d5e6f has 62.0 %; about 3 builds, 6 minutes left`.
  ///
  /// - Returns: A phrase without line feeds and colours.
  package func rendered() -> String {
    let parts = ["\(phase): \(range)", left].filter { !$0.isEmpty }
    return parts.joined(separator: "; ").printable
  }

  private var phase: String {
    switch progress.phase {
    case .ends: "good against bad"
    case .search: "search"
    case .confirmation: "confirmation"
    case .others: "other changes"
    case .done: "done"
    }
  }

  private var range: String {
    guard let remaining = progress.remaining else { return "is there a difference" }
    let size = words?.count(remaining.count) ?? Quantity.count(remaining.count, "revision")
    guard let best = progress.best else { return "\(size) left" }
    let ends = Set([best.lowerBound, best.upperBound]).sorted()
    let name = ends.map { words?.short($0) ?? "#\($0)" }.joined(separator: "..")
    return "\(size) left, \(name) has \(BisectWords.probability(progress.probability))"
  }

  private var left: String {
    guard progress.phase != .done else { return "" }
    let builds = Int(min(max(0, progress.buildsLeft), 1e6).rounded(.up))
    let count = builds > 0 ? "about \(Quantity.count(builds, "build")), " : ""
    return "\(count)\(BisectWords.estimate(progress.secondsLeft)) left"
  }
}
