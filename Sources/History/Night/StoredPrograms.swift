import Builds
import Comparison
package import Explanation
import Foundation
import LaunchCore
import LaunchHost
import LaunchStore
package import Measuring
import Scenarios

/// Programs that nights launched, to be launched again and traced: those of an alert, or of two nights.
package struct StoredPrograms {
  private let options: ExplainOptions
  private let context: WorkflowContext

  /// - Parameters:
  ///   - options: Say which store is read, which target is meant, and how launches are made.
  ///   - context: Where revisions are built that are not kept.
  package init(_ options: ExplainOptions, in context: WorkflowContext) {
    self.options = options
    self.context = context
  }

  /// What explains an alert: the last good build and the one that is slower.
  ///
  /// - Parameter id: Such as `R-17`.
  /// - Returns: What is launched.
  /// - Throws: a ``LabError`` for an alert that is none, or whose programs are not kept.
  package func request(ofAlert id: String) async throws -> ExplainRequest {
    let found = try WhyWorkflow(store: options.comparison.store, in: context).explanation(of: id)
    let alert = found.alert
    guard alert.series.metric.ofLaunches == .launch else {
      throw WorkflowError.cannotExplain(
        reason:
          "\(alert.id) is of \(alert.series.metric.rawValue), and only launch times are explained",
        remedy: "see what is known of it with `launchlab why \(alert.id)`"
      )
    }
    let range = AlertRange(alert, nights: found.nights)
    guard let good = range.good.night, let bad = range.bad.night else {
      throw WorkflowError.cannotExplain(
        reason: "\(alert.id) has no recorded nights before and after it",
        remedy: "compare two revisions with `launchlab explain --revisions A..B SCENARIO`"
      )
    }
    let store = try Store(path: found.store, mode: .readOnly)
    let pair = try await scenario(of: good, and: bad, target: alert.series.target, in: store)
    var request = try options.request(of: pair, in: alert.series.state, ["--alert", alert.id])
    if alert.series.metric == .slowShare { request.explainSlow() }
    request.alert = alert.id
    return request
  }

  /// Keeps a result with its alert.
  ///
  /// - Parameters:
  ///   - result: What was found; nothing is kept of no difference.
  ///   - id: Such as `R-17`.
  /// - Throws: a ``LabError`` for an alert that is none, and where the store cannot be written.
  package func keep(_ result: ExplanationResult, ofAlert id: String) throws {
    guard let kept = KeptExplanation(result) else { return }
    let found = try WhyWorkflow(store: options.comparison.store, in: context).explanation(of: id)
    let run = RunID.make(at: context.now(), salt: .random(in: 0...(.max)))
    try Store.writable(at: found.store)
      .explain(alert: found.alert.number, by: kept.explanation(by: run), kept.documents)
  }

  /// What explains the difference of two nights.
  ///
  /// - Parameter runs: What they are called, the former first.
  /// - Returns: The target and the command of the later one, with both programs.
  /// - Throws: a ``LabError`` for runs that are none, or whose programs are not kept.
  package func request(ofRuns runs: [String]) async throws -> ExplainRequest {
    let stored = try StoredRuns(store: options.comparison.store, in: context)
    let found = try runs.map { try stored.run($0) }
    let (before, after) = (found[0], found[1])
    guard before.store.path == after.store.path,
      before.run.plan.scenario.name == after.run.plan.scenario.name
    else {
      throw WorkflowError.cannotExplain(
        reason: "\(before.run.id) and \(after.run.id) belong to different scenarios",
        remedy: "give two runs of one scenario; see `launchlab history`"
      )
    }
    let nights = try after.store.nights(scenario: after.run.plan.scenario.name)
    func night(_ run: RunRecord) throws -> Night {
      if let night = nights.first(where: { $0.run == run.id }) { return night }
      throw WorkflowError.cannotExplain(
        reason: "\(run.id) is not a night, and programs are kept for nights only",
        remedy: "give two nights, or two commands in quotes"
      )
    }
    let pair = try await scenario(
      of: night(before.run),
      and: night(after.run),
      target: options.comparison.targets.first,
      in: after.store
    )
    return try options.request(of: pair, in: options.state, runs)
  }

  /// Both programs as targets of the later scenario.
  private func scenario(
    of good: Night,
    and bad: Night,
    target name: String?,
    in store: Store
  ) async throws -> Scenario {
    // What it holds decides what is built and launched.
    try StoreFile(store.path).check()
    let run = try store.run(bad.run)
    let stored = run.plan.scenario
    let names = stored.targets.map(\.name)
    guard let target = name ?? (names.count == 1 ? names[0] : nil), names.contains(target) else {
      throw WorkflowError.badOption(
        name: "--target",
        value: name ?? "",
        expected: "one of: \(names.joined(separator: ", "))"
      )
    }
    let builds: ProofBuilds
    switch try await found(target, of: good, and: run, bad, beside: store) {
    case .builds(let found): builds = found
    case .same:
      throw WorkflowError.cannotExplain(
        reason: "\(good.run) and \(bad.run) launched the same build of \(target)",
        remedy: "give two nights with different builds; see `launchlab history`"
      )
    case .impossible(let reason):
      throw WorkflowError.cannotExplain(
        reason: reason,
        remedy: "keep programs of more nights with `artifacts`, or give two commands in quotes"
      )
    }
    return stored.doubled(
      baseline: builds.baseline,
      candidate: builds.candidate,
      labels: (builds.good, builds.bad)
    ).0
  }

  private func found(
    _ target: String,
    of good: Night,
    and run: RunRecord,
    _ bad: Night,
    beside store: Store
  ) async throws -> ProofBuilds.Found {
    let stored = run.plan.scenario
    let cache = CacheLocation(directory: (store.path as NSString).deletingLastPathComponent)
    guard let source = stored.source, let built = run.build else {
      return ArtifactProof(scenario: stored, cache: cache.artifacts)
        .found([target], good: good, night: bad)
    }
    guard let before = good.build else {
      return .impossible(reason: "run \(good.run) has no recorded build")
    }
    guard before.tree != built.tree else { return .same }
    // Nothing is built beside the launches of another lab.
    let builds = try await context.lab(for: ["launchlab", "explain"]) { _ in
      [
        try await cache.build(before.commit, of: source, in: context),
        try await cache.build(built.commit, of: source, in: context),
      ]
    }
    let targets = builds.map { build in
      stored.rebased(from: built.directory, to: build.directory).targets
        .filter { $0.name == target }
    }
    let labels = ProofBuilds.labels(before.commit, built.commit)
    return .builds(
      ProofBuilds(
        baseline: targets[0],
        candidate: targets[1],
        good: labels.0,
        bad: labels.1,
        scope: .build
      )
    )
  }
}
