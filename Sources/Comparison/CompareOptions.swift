import Foundation
package import LaunchCore
import LaunchStatistics
package import Measuring
import Scenarios

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

  /// Such as `50` or `20..200`; nil means as the scenario says, or until there is a verdict.
  package var launches: String?

  /// Such as `2m`: how long launches may go on that end with a verdict; nil means 30 s where nothing
  /// is said of launches.
  package var maxTime: String?

  /// Such as `1%`.
  package var precision: String?

  /// Such as `2%`; nil means as the scenario says, or 2 %.
  package var effect: String?

  /// Such as `95%`; nil means as the scenario says, or 95 %.
  package var confidence: String?

  /// Such as `10%`, or `off`; nil means as the scenario says, or 10 %.
  package var tail: String?

  /// Where the result is written, for it to be no file of the comparison.
  package var files = CommandFiles()

  /// Whether the launches of stored runs are read, to be drawn.
  package var readsLaunches = false

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
    maxTime: String? = nil,
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
    self.maxTime = maxTime
    self.precision = precision
    self.effect = effect
    self.confidence = confidence
    self.seed = seed
    self.store = store
    self.suppressed = suppressed
  }
}

extension CompareOptions {
  /// The metrics, each once, in the order they were given.
  func chosenMetrics() throws(WorkflowError) -> [Metric] {
    var chosen: [Metric] = []
    for name in metrics {
      guard let metric = Metric(judged: name) else {
        throw .badOption(
          name: "--metric",
          value: name,
          expected: "one of: \(Metric.judged.map(\.rawValue).joined(separator: ", "))"
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
    rule.tailLimit = scenario == nil ? RegressionRule.usualTail : scenario?.tail
    if let effect { rule.effectLimit = try Percentage(effect, option: "--effect").share }
    if let confidence {
      rule.confidence = try Percentage(confidence, option: "--confidence").share
    }
    if let tail {
      rule.tailLimit = try tail == "off" ? nil : Percentage(tail, option: "--tail").share
    }
    return rule
  }

  /// The launches that were asked for; nil where nothing was said.
  func launchCount() throws -> LaunchCount? {
    let time = try maxTime.map { try ScenarioFile.duration($0, option: "--max-time") }
    if let launches {
      var count = try LaunchCount(launches, precision: precision)
      if let maxTime, count.adaptive == nil {
        throw WorkflowError.badOption(
          name: "--max-time",
          value: maxTime,
          expected: "it without --launches, or with a range such as --launches 20..200"
        )
      }
      count.adaptive?.timeLimit = time
      return count
    }
    if let precision {
      throw WorkflowError.badOption(
        name: "--precision",
        value: precision,
        expected: "it with a range of launches, such as --launches 20..200"
      )
    }
    return time.map(LaunchCount.init(within:))
  }
}

extension LaunchCount {
  /// The same, with up to four times the usual time for what bounds slow launches by a limit.
  ///
  /// Without any slow launch, n pairs exclude more than z² / (n + z²) of them, with z the score of many
  /// looks.
  func bounding(_ tailLimit: Double?) -> Self {
    var count = self
    let square = pow(PairedTail.boundScore(looks: 15), 2)
    count.adaptive?.fewestInTime = tailLimit.map { Int((square / $0 - square).rounded(.up)) }
    return count
  }
}

/// How many launches each side of a comparison gets: a number, or as many as it takes.
package struct LaunchCount: Hashable, Sendable {
  /// The launches of each arm, the fewest where more are allowed.
  package var fewest: Int

  /// When launches end before the most that there may be; nil for a fixed number.
  package var adaptive: AdaptiveLaunches?

  /// The fewest pairs that have an interval.
  package static let least = PairedRatio.fewestPairs()

  /// How long launches go on where it is not said.
  package static let usualTime = Nanoseconds(30_000_000_000)

  /// As many as a verdict takes, within a time.
  ///
  /// Ten pairs are the fewest whose interval holds what it says; the most are 1,280 for 30 s, which
  /// short programs take, and more for longer times.
  package init(within time: Nanoseconds = Self.usualTime) {
    fewest = 10
    let share = max(1, Double(time.count) / Double(Self.usualTime.count))
    adaptive = AdaptiveLaunches(most: Int(1_280 * share), precision: 0, timeLimit: time)
  }

  /// Reads what was typed.
  ///
  /// - Parameters:
  ///   - text: A number such as `50`, or a range such as `20..200`.
  ///   - precision: A percentage such as `1%`, with a range only; nil means 1 %.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)``.
  package init(_ text: String, precision: String?) throws(WorkflowError) {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
    let bad = WorkflowError.badOption(
      name: "--launches",
      value: text,
      expected: "a number from \(Self.least) on, or a range such as 20..200"
    )
    guard let first = ends.first, let fewest = first, fewest >= Self.least, ends.count <= 2 else {
      throw bad
    }
    self.fewest = fewest
    guard ends.count == 2 else {
      guard let precision else { return }
      throw .badOption(
        name: "--precision",
        value: precision,
        expected: "it with a range of launches, such as --launches 20..200"
      )
    }
    guard let most = ends[1], most >= fewest else { throw bad }
    let share = try Percentage(precision ?? "1%", option: "--precision").share
    adaptive = AdaptiveLaunches(most: most, precision: share)
  }
}

/// A percentage as it is typed, such as `2%`.
package struct Percentage {
  /// From 0 to 1, both excluded.
  package let share: Double

  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for something else than a number
  ///   between 0 and 100 and the sign.
  package init(_ text: String, option: String) throws(WorkflowError) {
    let isDecimal = text.dropLast().allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard text.last == "%", isDecimal, let number = Double(text.dropLast()), number > 0,
      number < 100
    else {
      throw .badOption(
        name: option,
        value: text,
        expected: "a percentage between 0% and 100%, such as 2%"
      )
    }
    share = number / 100
  }
}

extension Scenario {
  /// A scenario that launches every target twice in each block, and what is compared in it.
  ///
  /// The two targets of a name become `NAME@LABEL` each, the baseline before the candidate. Only
  /// their plain launches are of use, so that nothing else is launched, and nothing is built.
  ///
  /// - Parameters:
  ///   - baseline: The targets that the others are compared with.
  ///   - candidate: The targets that are judged; those without a baseline of the same name are left
  ///     out.
  ///   - labels: What tells the two apart, such as the first digits of their commits; not the same.
  /// - Returns: The scenario, and one pair per target that both have, in the order of `baseline`.
  package func doubled(
    baseline: [Target],
    candidate: [Target],
    labels: (String, String)
  ) -> (Scenario, [ComparedPair]) {
    var targets: [Target] = []
    var pairs: [ComparedPair] = []
    for first in baseline {
      guard let second = candidate.first(where: { $0.name == first.name }) else { continue }
      let pair = ComparedPair(
        name: first.name,
        baseline: "\(first.name)@\(labels.0)",
        candidate: "\(first.name)@\(labels.1)"
      )
      for (target, name) in [(first, pair.baseline), (second, pair.candidate)] {
        var target = target
        target.name = name
        targets.append(target)
      }
      pairs.append(pair)
    }
    return (comparing(targets), pairs)
  }

  /// The pairs that ``doubled(baseline:candidate:labels:)`` has made, known by the names of its targets:
  /// NAME@GOOD, and NAME@BAD right after it.
  package var doubledPairs: [ComparedPair] {
    func target(of build: String) -> Substring? { build.lastIndex(of: "@").map { build[..<$0] } }
    let names = targets.map(\.name)
    return zip(names, names.dropFirst()).compactMap { baseline, candidate in
      guard let name = target(of: baseline), name == target(of: candidate) else { return nil }
      return ComparedPair(name: String(name), baseline: baseline, candidate: candidate)
    }
  }

  /// The scenario with other targets, and with nothing in it that a comparison has no use for.
  package func comparing(_ targets: [Target]) -> Scenario {
    var scenario = self
    scenario.targets = targets.map(\.withPlainLaunchesOnly)
    scenario.source = nil
    scenario.includesEmptyBaseline = false
    scenario.stages = nil
    scenario.budgets = nil
    scenario.control = nil
    scenario.notifiers = nil
    scenario.releases = nil
    scenario.artifactLimit = nil
    scenario.bisection = nil
    scenario.explanation = nil
    scenario.gate = nil
    return scenario
  }
}

extension Target {
  /// Keeps tables of Python and Perl in one order, which is random otherwise.
  ///
  /// Without it launches of either differ by 0.1 to 0.4 % of their instructions, and with it not at
  /// all. What the scenario says comes first.
  package mutating func fixOrder() {
    let seeds = ["PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0", "PYTHONHASHSEED": "0"]
    environment.merge(seeds) { own, _ in own }
  }
}
