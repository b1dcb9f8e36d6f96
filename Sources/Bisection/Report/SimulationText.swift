import Foundation
package import Rendering

/// How often simulated bisections were right, as a terminal shows it.
package struct SimulationText {
  private let result: SimulationResult
  private let style: TextStyle

  package init(_ result: SimulationResult, style: TextStyle) {
    self.result = result
    self.style = style
  }

  private var runs: Int { result.settings.runs }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let answer = style.wrapped(sentence).map { style.paint($0, ink) }
    return [answer, table, world].map { $0.joinedLines(style) }.joined(separator: "\n")
  }

  private var ink: TextStyle.Ink { result.wrong == 0 ? .bold : .boldFailure }

  private var sentence: String {
    let all = Quantity.count(runs, "simulated bisection")
    let wrong = "\(result.wrong) named what is no change\(bound)"
    if result.settings.scenario == .null {
      return "Of \(all) of a range without a change, \(result.refused) said so, and \(wrong)"
    }
    return "Of \(all), \(result.right) named the change, and \(wrong)"
  }

  /// What the share of wrong ones may be where none was seen; source: (1 − p)ⁿ = 0.05.
  private var bound: String {
    guard result.wrong == 0, runs > 0 else { return "" }
    let share = -expm1(log(0.05) / Double(runs))
    return " (at most \(Quantity.percent(share)) with 95 % confidence)"
  }

  private var table: [String] {
    let counts: [(String, Int)] = [
      ("right", result.right), ("right, but not the largest", result.partlyRight),
      ("wrong", result.wrong), ("undecided", result.undecided), ("refused", result.refused),
    ]
    let shares = counts.map { name, count in
      [name, String(count), Quantity.percent(Double(count) / Double(max(1, runs)))]
    }
    let figures: [(String, Double?)] = [
      ("builds, mean", result.builds), ("launches, mean", result.launches),
      ("launches, 95 % take at most", result.launches95),
      ("changes that were named", result.foundShare),
      ("intervals that hold a change", result.coverage),
      ("commits in an interval, mean", result.intervalWidth),
      ("sizes against the true ones, mean", result.sizeRatio),
      ("intervals of sizes that hold the true one", result.sizeCoverage),
    ]
    let shareNames: Set = [
      "changes that were named", "intervals that hold a change",
      "sizes against the true ones, mean", "intervals of sizes that hold the true one",
    ]
    let rest = figures.compactMap { name, value in
      value.map { value in
        let isShare = shareNames.contains(name)
        return isShare
          ? [name, "", Quantity.percent(value)] : [name, String(format: "%.1f", value), ""]
      }
    }
    return TextTable(
      columns: [.left, .decimal, .right],
      rows: (shares + rest).map { row in row.map { TextTable.Cell($0) } }
    ).lines(style: style)
  }

  /// The world that was simulated.
  private var world: [String] {
    let settings = result.settings
    let shares: [(String, Double)] = [
      ("effect", settings.effect), ("cv", settings.noise), ("jitter", settings.jitter),
      ("broken", settings.broken), ("drift", settings.drift), ("outliers", settings.outliers),
    ]
    let text =
      "n \(settings.candidates), scenario \(settings.scenario.rawValue), "
      + shares.map { "\($0) \(Quantity.percent($1))" }.joined(separator: ", ")
      + ", seed \(settings.seed)"
    let wrong = result.wrongSeeds.prefix(20).map(String.init).joined(separator: ", ")
    return
      (style.wrapped(text, indent: 2)
      + (wrong.isEmpty ? [] : style.wrapped("wrong with the seeds \(wrong)", indent: 2)))
      .map { style.paint($0, .dim) }
  }
}

/// How often simulated bisections were right, as JSON of schema `launchlab.bisect-simulation/1`.
package struct SimulationJSON {
  private let result: SimulationResult

  package init(_ result: SimulationResult) { self.result = result }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let value: JSONValue = [
      "schema": "launchlab.bisect-simulation/1",
      "runs": JSONValue(result.settings.runs),
      "right": JSONValue(result.right),
      "partly_right": JSONValue(result.partlyRight),
      "wrong": JSONValue(result.wrong),
      "undecided": JSONValue(result.undecided),
      "refused": JSONValue(result.refused),
      "builds": .number(result.builds),
      "launches": .number(result.launches),
      "launches_p95": .number(result.launches95),
      "found_share": JSONValue(result.foundShare),
      "interval_coverage": JSONValue(result.coverage),
      "interval_width": JSONValue(result.intervalWidth),
      "size_ratio": JSONValue(result.sizeRatio),
      "size_coverage": JSONValue(result.sizeCoverage),
      "wrong_seeds": .array(result.wrongSeeds.map(JSONValue.unsigned)),
      "world": world,
    ]
    try JSONText.write(value, .indented, to: sink)
  }

  private var world: JSONValue {
    let settings = result.settings
    return [
      "n": JSONValue(settings.candidates),
      "scenario": .string(settings.scenario.rawValue),
      "seed": .unsigned(settings.seed),
      "effect": .number(settings.effect),
      "cv": .number(settings.noise),
      "jitter": .number(settings.jitter),
      "broken": .number(settings.broken),
      "drift": .number(settings.drift),
      "outliers": .number(settings.outliers),
      "wander": .number(settings.wander),
      "bursts": .number(settings.bursts),
      "levels": .number(settings.levels),
      "counts": .bool(settings.isExact),
      "sizes": .array(settings.sizes.map { .number($0) }),
      "bimodal": .number(settings.bimodal),
      "cold": .number(settings.cold),
      "build": .number(settings.build),
      "launches": JSONValue(settings.launches),
      "confidence": .number(settings.confidence),
      "second": .number(settings.second),
    ]
  }
}
