import LabAnalysis
package import LabModel

/// A comparison as it is asked for on the command line, in the words that were typed.
package struct CompareOptions: Sendable {
  /// Command lines, two stored runs, or one scenario file with `revisions`.
  package var words: [String]

  /// Two revisions of the scenario's source, such as `v1.0..HEAD`.
  package var revisions: String?

  /// How commands are launched; its `states` also choose those of a scenario or of stored runs.
  package var launching: MeasureOptions

  /// The names of the only targets of a scenario or of stored runs; empty means all.
  package var targets: [String]

  /// Names of metrics; empty means the launch time.
  package var metrics: [String]

  /// Such as `50` or `20..200`; nil means as the scenario says, or 50.
  package var launches: String?

  /// Such as `1%`.
  package var precision: String?

  /// Such as `2%`; nil means as the scenario says, or 2 %.
  package var effect: String?

  /// Such as `95%`; nil means as the scenario says, or 95 %.
  package var confidence: String?

  /// Where the result is written, for it to be no file of the comparison.
  package var files = CommandFiles()

  package var seed: UInt64?
  package var store: String?

  /// The ids of findings that are not warned of with a scenario.
  package var suppressed: [String]

  package init(
    words: [String],
    revisions: String? = nil,
    launching: MeasureOptions,
    targets: [String] = [],
    metrics: [String] = [],
    launches: String? = nil,
    precision: String? = nil,
    effect: String? = nil,
    confidence: String? = nil,
    seed: UInt64? = nil,
    store: String? = nil,
    suppressed: [String] = []
  ) {
    self.words = words
    self.revisions = revisions
    self.launching = launching
    self.targets = targets
    self.metrics = metrics
    self.launches = launches
    self.precision = precision
    self.effect = effect
    self.confidence = confidence
    self.seed = seed
    self.store = store
    self.suppressed = suppressed
  }

  /// How many launches commands get where it is not said.
  package static let usualLaunches = 50
}

extension CompareOptions {
  /// The metrics, each once, in the order they were given.
  func chosenMetrics() throws(WorkflowError) -> [Metric] {
    var chosen: [Metric] = []
    for name in metrics {
      guard let metric = Metric(rawValue: name) else {
        throw .badOption(
          name: "--metric",
          value: name,
          expected: "one of: \(Metric.allCases.map(\.rawValue).joined(separator: ", "))"
        )
      }
      if !chosen.contains(metric) { chosen.append(metric) }
    }
    return chosen.isEmpty ? [.launch] : chosen
  }

  /// The states, each once, in the order they were given; none where none was.
  func chosenStates() throws(WorkflowError) -> [LaunchState] {
    var chosen: [LaunchState] = []
    for name in launching.states {
      guard let state = LaunchState(rawValue: name) else {
        throw .badOption(
          name: "--state",
          value: name,
          expected: "one of: \(LaunchState.allCases.map(\.rawValue).joined(separator: ", "))"
        )
      }
      if !chosen.contains(state) { chosen.append(state) }
    }
    return chosen
  }

  /// When two targets are called different.
  ///
  /// - Parameter scenario: What the scenario says, where there is one.
  /// - Returns: What was typed, or else what the scenario says, or else what is usual.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for what is no percentage.
  func rule(in scenario: RegressionRule?) throws(WorkflowError) -> ComparisonRule {
    var rule = ComparisonRule()
    rule.effectLimit = scenario?.effect ?? rule.effectLimit
    rule.confidence = scenario?.confidence ?? rule.confidence
    if let effect { rule.effectLimit = try Percentage(effect, option: "--effect").share }
    if let confidence {
      rule.confidence = try Percentage(confidence, option: "--confidence").share
    }
    return rule
  }

  /// The launches that were asked for; nil where nothing was said.
  func launchCount() throws(WorkflowError) -> LaunchCount? {
    if let launches { return try LaunchCount(launches, precision: precision) }
    guard let precision else { return nil }
    throw .badOption(
      name: "--precision",
      value: precision,
      expected: "it with a range of launches, such as --launches 20..200"
    )
  }
}
