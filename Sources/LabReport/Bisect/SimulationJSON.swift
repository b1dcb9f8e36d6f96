package import LabAnalysis

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
