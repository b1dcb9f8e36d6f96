import Foundation
import LabAnalysis
import LabModel

/// What builds and launches were made with, and how much they scatter.
struct MeasuringConditions {
  private let summary: BisectSummary

  static let title = "Measured with"

  init(_ summary: BisectSummary) { self.summary = summary }

  /// Sentences without a full stop; empty where nothing is known.
  var phrases: [Phrase] {
    [compilers, variables, load, noise].compactMap(\.self)
  }

  private var compilers: Phrase? {
    guard let found = summary.conditions?.compilers, !found.isEmpty else { return nil }
    return
      "Compilers that are installed: \(found.map { $0.truncated(to: 80) }.joined(separator: "; "))"
  }

  private var variables: Phrase? {
    guard summary.start.artifacts == nil, let conditions = summary.conditions else { return nil }
    let variables = conditions.variables.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value)".truncated(to: 120) }
    return variables.isEmpty
      ? "No environment variable is known to change the build"
      : "Environment of the build: \(variables.joined(separator: " "))"
  }

  private var load: Phrase? {
    guard let conditions = summary.conditions, let before = conditions.loadBefore else {
      return nil
    }
    let after = conditions.loadAfter.map { String(format: " before and %.1f after", $0) } ?? ""
    let processors = conditions.processors.map { " on \(Quantity.count($0, "processor"))" } ?? ""
    return "Load average \(raw: String(format: "%.1f", before) + after + processors)"
  }

  private var noise: Phrase? {
    let launch = summary.answer.launchNoise.map {
      "one launch scatters by \(BisectWords.size($0))"
    }
    let build = summary.answer.buildNoise.map {
      "builds differ by about \(BisectWords.size($0)) by themselves"
    }
    let all = [launch, build].compactMap(\.self)
    return all.isEmpty ? nil : "Noise: \(raw: all.joined(separator: ", "))"
  }
}
