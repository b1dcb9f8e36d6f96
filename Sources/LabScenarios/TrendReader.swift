import LabModel

/// Reads how many launches are enough, and the sections for many nights, of a value whose shape was
/// checked.
///
/// Where the shape was wrong it goes on with defaults; the finding is already made.
struct TrendReader {
  var findings: Findings

  /// Where relative paths begin.
  let directory: String

  /// A proof of fewer pairs of launches could hardly settle anything.
  static let fewestPairs = 10

  /// Completes a scenario whose source, targets and states are there already.
  mutating func read(_ root: Value, into scenario: inout Scenario) {
    if let launches = root["launches"] { read(launches: launches, into: &scenario) }
    scenario.regression = rule(from: root["regression"])
    scenario.control = root["baseline"]?["control"].flatMap { control(from: $0, in: scenario) }
    scenario.budgets = root["budgets"].map { budgets(from: $0, in: scenario) }
    scenario.notifiers = root["notify"].map { notifiers(from: $0) }
    scenario.releases = root["releases"].map { releases(from: $0) }
    scenario.bisection = root["bisect"].flatMap { bisection(from: $0, in: scenario) }
    let limit = root["artifacts"]?.text.flatMap { try? TrendForm.bytes($0) }
    scenario.artifactLimit = limit ?? ScenarioKeys.defaultArtifactLimit
  }

  private mutating func read(launches value: Value, into scenario: inout Scenario) {
    guard case .map = value.content else {
      if let count = whole(value) { scenario.launches = count }
      return
    }
    let given = (fewest: whole(value["min"]), most: whole(value["max"]))
    let fewest =
      given.fewest ?? min(ScenarioKeys.defaultLaunches, given.most ?? ScenarioKeys.defaultLaunches)
    let most = given.most ?? max(ScenarioKeys.defaultMost, fewest)
    if fewest > most, let place = value["max"]?.place {
      findings.report(
        "contradiction",
        "the most launches, \(most), are fewer than the fewest, \(fewest)",
        at: place,
        remedy: "raise `max`, or lower `min`"
      )
    }
    scenario.launches = fewest
    scenario.adaptive = AdaptiveLaunches(
      most: max(fewest, most),
      precision: share(value["precision"]) ?? ScenarioKeys.defaultPrecision
    )
  }

  private mutating func rule(from value: Value?) -> RegressionRule {
    var rule = RegressionRule()
    guard let value else { return rule }
    if let effect = share(value["effect"]) { rule.effect = effect }
    if let confidence = share(value["confidence"]) { rule.confidence = confidence }
    if let floor = value["floor"]?.text.flatMap({ try? Nanoseconds(written: $0) }) {
      rule.floor = floor
    }
    if let metrics = value["metrics"] { rule.metrics = self.metrics(from: metrics) }
    if let nights = whole(value["nights"]) { rule.nights = nights }
    if let proof = value["proof"], let pairs = whole(proof) {
      rule.proofLaunches = pairs
      if (1..<Self.fewestPairs).contains(pairs) {
        findings.report(
          "invalid-value",
          "a proof of \(pairs) pairs of launches can settle nothing",
          at: proof.place,
          remedy: "allow at least \(Self.fewestPairs), or write 0 for no proof"
        )
      }
    }
    return rule
  }

  private mutating func metrics(from value: Value) -> [Metric] {
    var metrics: [Metric] = []
    for element in value.elements {
      guard let metric = element.text.flatMap(Metric.init(rawValue:)) else { continue }
      if metrics.contains(metric) {
        reportTwice("the metric \(quoted(metric.rawValue))", at: element.place)
      } else {
        metrics.append(metric)
      }
    }
    return metrics
  }

  private func releases(from value: Value) -> [Release] {
    value.entries.compactMap { entry in
      entry.value.text.map { Release(name: entry.key, anchor: $0) }
    }
  }

  // MARK: - Scalars

  private func whole(_ value: Value?) -> Int? { value?.text.flatMap { Int($0) } }

  /// From 0 to 1.
  private func share(_ value: Value?) -> Double? {
    value?.text.flatMap { TrendForm.percent($0) }.map { $0 / 100 }
  }

  mutating func reportTwice(_ what: String, at place: Place) {
    findings.report(
      "contradiction",
      "\(what) is given twice",
      at: place,
      remedy: "keep one of them"
    )
  }
}
