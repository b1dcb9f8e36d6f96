package import LabAnalysis
package import LabModel

/// How launches were spent as JSON, of schema `launchlab.stages/1`.
///
/// Each launch is one element of `blocks`, and `summaries` have the medians over all of them, one
/// per collector. Every value of a launch is an integer in nanoseconds, or null.
package struct StagesJSON {
  private let command: [String]
  private let launches: [LaunchStages]
  private let summaries: [StagesSummary]

  package init(command: [String], launches: [LaunchStages], summaries: [StagesSummary]) {
    self.command = command
    self.launches = launches
    self.summaries = summaries
  }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let value: JSONValue = [
      "schema": "launchlab.stages/1",
      "command": .array(command.map(JSONValue.string)),
      "launches": JSONValue(launches.count),
      "collector": JSONValue(summaries.first?.collector.rawValue),
      "blocks": .array(launches.map { LaunchStagesJSON($0).value }),
      "summaries": .array(summaries.map(JSONValue.init(summary:))),
    ]
    try JSONText.write(value, .indented, to: sink)
  }
}
