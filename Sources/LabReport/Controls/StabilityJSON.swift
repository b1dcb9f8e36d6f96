package import LabAnalysis
import LabModel

/// Hosts in the order of their stability as JSON, of schema `launchlab.selftest-comparison/1`.
package struct StabilityJSON {
  private let rankings: [StabilityRanking]

  package init(_ rankings: [StabilityRanking]) { self.rankings = rankings }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let value: JSONValue = [
      "schema": "launchlab.selftest-comparison/1",
      "rankings": .array(rankings.map(ranking)),
    ]
    try JSONText.write(value, .indented, to: sink)
  }

  private func ranking(_ ranking: StabilityRanking) -> JSONValue {
    [
      "command": .array(ranking.command.map(JSONValue.string)),
      "states": .array(ranking.states.map { .string($0.rawValue) }),
      "pairs": JSONValue(ranking.pairs),
      "hosts": .array(ranking.places.enumerated().map { place($1, rank: $0 + 1) }),
      "unranked": .array(ranking.unranked.map(JSONValue.string)),
    ]
  }

  private func place(_ place: StabilityRanking.Place, rank: Int) -> JSONValue {
    [
      "rank": JSONValue(rank),
      "result": .string(place.host.name),
      "fingerprint": .string(place.host.fingerprint),
      "cpu_model": JSONValue(place.host.cpuModel),
      "worst_state": .string(place.state.rawValue),
      "effect": .number(place.effect),
      "cv": .number(place.coefficientOfVariation),
      "comparisons": JSONValue(place.comparisons),
      "false_alarms": JSONValue(place.falseAlarms),
    ]
  }
}
