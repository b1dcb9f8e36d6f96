package import LabAnalysis
package import LabModel

/// Which targets are launched in the same blocks, and how they are judged.
package struct CompareRequest: Sendable {
  /// Its targets are those of the pairs.
  package var scenario: Scenario

  /// Names of targets of the scenario, at least one pair.
  package var pairs: [ComparedPair]

  /// At least one, each once.
  package var metrics: [Metric]

  /// When two targets are called different, before the looks and the noise of the host are known.
  package var rule: ComparisonRule

  /// What the run is stored as.
  package var purpose: RunRecord.Purpose

  /// The absolute path of the SQLite file.
  package var store: String

  /// The seed of the blocks and of the resampling; drawn when nil.
  package var seed: UInt64?

  /// The command that repeats the comparison.
  package var commandLine: [String]

  package init(
    scenario: Scenario,
    pairs: [ComparedPair],
    metrics: [Metric] = [.launch],
    rule: ComparisonRule = ComparisonRule(),
    purpose: RunRecord.Purpose = .comparison,
    store: String,
    seed: UInt64? = nil,
    commandLine: [String]
  ) {
    self.scenario = scenario
    self.pairs = pairs
    self.metrics = metrics
    self.rule = rule
    self.purpose = purpose
    self.store = store
    self.seed = seed
    self.commandLine = commandLine
  }
}
