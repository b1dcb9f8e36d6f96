import Builds
import LaunchCore
package import Measuring
import Scenarios

/// Builds two revisions of a scenario's source, and makes a comparison of them.
package struct RevisionsWorkflow {
  private let options: CompareOptions
  private let scenario: Scenario
  private let revisions: (baseline: String, candidate: String)
  private let store: String
  private let context: WorkflowContext

  /// Reads the scenario.
  ///
  /// - Throws: `ScenarioError` with every problem of the file, and ``WorkflowError``.
  package init(_ options: CompareOptions, in context: WorkflowContext) throws {
    let text = options.revisions ?? ""
    revisions = try Self.revisions(in: text)
    guard options.words.count == 1, let path = options.words.first else {
      throw WorkflowError.cannotCompare(
        reason: "--revisions needs one scenario file, not \(options.words.count)",
        remedy: "write `launchlab compare --revisions \(text) scenario.yml`"
      )
    }
    let file = try ScenarioFile.loadForLaunch(path: path, suppressing: options.suppressed)
    try Preflight.check(file.controls?.suppressed ?? [])
    guard file.source != nil else {
      throw WorkflowError.cannotCompare(
        reason: "\(path) has no section `source` to build revisions from",
        remedy: "add `source`, or compare two commands"
      )
    }
    var scenario = try Self.filtered(file, by: options)
    if let count = try options.launchCount() {
      scenario.launches = count.fewest
      scenario.adaptive = count.adaptive
    } else if scenario.adaptive == nil {
      // The launches of a night are too few to say much of slow ones.
      let rule = try options.rule(in: file.regressionRule)
      let usual = LaunchCount().bounding(rule.tailLimit)
      scenario.launches = max(usual.fewest, scenario.launches)
      scenario.adaptive = usual.adaptive
      scenario.adaptive?.most = max(usual.adaptive?.most ?? 0, scenario.launches)
    }
    // The control never changes, so that comparing it with itself answers nothing.
    scenario.control = nil
    self.options = options
    self.context = context
    self.scenario = scenario
    store = StoreLocation.path(options.store, beside: scenario.directory)
    try options.files.keeping(store: store).reading(scenario, at: path).check()
  }

  /// Builds both revisions, unless they are built already, while no other lab is at work.
  ///
  /// - Returns: The targets that both have, each twice.
  /// - Throws: a ``LabError`` when a revision is not known, or cannot be built.
  package func request() async throws -> CompareRequest {
    try await checkCommits()
    let command = ["launchlab", "compare", "--revisions", options.revisions ?? ""] + options.words
    let (baseline, candidate) = try await context.lab(for: command) { _ in
      (try await built(revisions.baseline), try await built(revisions.candidate))
    }
    guard let first = baseline.build?.commit, let second = candidate.build?.commit, first != second
    else { throw sameCommit }
    let labels = Self.labels(first, second)
    let (doubled, pairs) = scenario.doubled(
      baseline: baseline.scenario.targets,
      candidate: candidate.scenario.targets,
      labels: labels
    )
    return CompareRequest(
      scenario: doubled,
      pairs: pairs,
      metrics: try options.chosenMetrics(),
      rule: try options.rule(in: scenario.regression),
      store: store,
      seed: options.seed,
      commandLine: command
    )
  }

  /// Refuses two names of one commit before anything is built.
  private func checkCommits() async throws {
    guard let source = scenario.source else { return }
    let repository = try await GitRepository(containing: source.repository)
    let baseline = try await repository.commit(revisions.baseline)
    let candidate = try await repository.commit(revisions.candidate)
    guard baseline.id != candidate.id else { throw sameCommit }
  }

  private var sameCommit: WorkflowError {
    .cannotCompare(
      reason: "\(revisions.baseline) and \(revisions.candidate) are the same commit",
      remedy: "give two revisions that differ, such as HEAD~1..HEAD"
    )
  }

  private func built(_ revision: String) async throws -> SourceWorkflow.Built {
    let run = RunRequest(
      scenario: scenario,
      store: store,
      revision: revision,
      commandLine: []
    )
    return try await SourceWorkflow(run, in: context).scenario()
  }
}

// MARK: - Words

extension RevisionsWorkflow {
  /// The two sides of `A..B`; a missing one is HEAD.
  static func revisions(
    in text: String
  ) throws(WorkflowError) -> (baseline: String, candidate: String) {
    let parts = text.split(separator: "..", omittingEmptySubsequences: false).map(String.init)
    let isRange = parts.count == 2 && parts.contains { !$0.isEmpty }
    guard isRange, !text.contains("..."), !parts.contains(where: { $0.hasPrefix("-") }) else {
      throw .badOption(
        name: "--revisions",
        value: text,
        expected: "two revisions with two dots between them, such as v1.0..HEAD"
      )
    }
    return (parts[0].isEmpty ? "HEAD" : parts[0], parts[1].isEmpty ? "HEAD" : parts[1])
  }

  /// The first seven digits of each commit, or more where those are the same.
  static func labels(_ first: String, _ second: String) -> (String, String) {
    let common = zip(first, second).prefix { $0 == $1 }.count
    let length = max(7, common + 1)
    return (String(first.prefix(length)), String(second.prefix(length)))
  }

  /// The scenario with the targets and states that were asked for.
  private static func filtered(
    _ scenario: Scenario,
    by options: CompareOptions
  ) throws(WorkflowError) -> Scenario {
    var scenario = scenario
    let names = scenario.targets.map(\.name)
    if let unknown = options.targets.first(where: { !names.contains($0) }) {
      throw .badOption(
        name: "--target",
        value: unknown,
        expected: "a target of the scenario: \(names.joined(separator: ", "))"
      )
    }
    let states = try options.chosenStates()
    if let unknown = states.first(where: { !scenario.states.contains($0) }) {
      throw .badOption(
        name: "--state",
        value: unknown.rawValue,
        expected: "a state of the scenario: "
          + scenario.states.map(\.rawValue).joined(separator: ", ")
      )
    }
    if !options.targets.isEmpty {
      scenario.targets.removeAll { !options.targets.contains($0.name) }
    }
    if !states.isEmpty { scenario.states = states }
    return scenario
  }
}
