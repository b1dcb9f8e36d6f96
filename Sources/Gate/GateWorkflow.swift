// Gate: what a change does to the launches of a program, before it is merged.
//
// `GateWorkflow` tells the story: both revisions are built, and looked at in the order of what it costs. What
// is in the files (`ObjectComparison`), what launches do a few times (`GateCounts`), and what they take, by an
// interleaved comparison. Each difference becomes a `GateFinding`, which `GateJudge` judges by the rules of the
// scenario and by what was approved. `GateReport` shows them.

import Builds
import Comparison
import Explanation
import Foundation
package import LaunchCore
import LaunchHost
import LaunchStatistics
package import Measuring
import Rendering
import Scenarios

/// What is asked of a gate.
package struct GateOptions {
  /// `base..head`, or `base...head` from where they parted.
  package var range: String

  /// The path of the scenario.
  package var scenario: String

  /// How long the comparison may take; nil for what is usual.
  package var maxTime: String?
  package var targets: [String] = []
  package var store: String?
  package var suppressed: [String] = []

  /// The files that the command writes.
  package var files = CommandFiles()

  package init(range: String, scenario: String) {
    self.range = range
    self.scenario = scenario
  }
}

/// What a gate found.
package struct GateResult: Sendable {
  /// Full commits, and what they are called.
  package var base: GitRevision
  package var head: GitRevision

  /// The path of the scenario, as it was given.
  package var scenario: String

  /// The most important first.
  package var findings: [GateFinding]

  /// What was not looked at, and why, as sentences without a full stop.
  package var problems: [String]

  /// Approvals that nothing needs, and why.
  package var idle: [(approval: GateApproval, reason: String)]

  package struct GitRevision: Hashable, Sendable {
    package var id: String
    package var subject: String
  }

  /// Why a step could not be done.
  package var failures: [Diagnostic] = []

  /// The worst of all findings; what could not be done is undecided.
  package var verdict: GateFinding.Verdict {
    min(findings.map(\.verdict).min() ?? .passed, failures.isEmpty ? .passed : .undecided)
  }

  package var exitCode: LabExitCode {
    failures.isEmpty ? findings.map(\.verdict.exitCode).max() ?? .done : .couldNotMeasure
  }

  /// Takes what ended a step; an interruption ends all of them.
  fileprivate mutating func take(_ error: any Error) throws {
    guard let error = error as? any LabError, error.exitCode != .interrupted else { throw error }
    failures += error.diagnostics.filter { !failures.contains($0) }
  }
}

/// Looks at a change before it is merged.
package struct GateWorkflow {
  private let options: GateOptions
  private let scenario: Scenario
  private let rules: GateRules
  private let approvals: [GateApproval]
  private let revisions: (base: String, head: String, isFromMergeBase: Bool)
  private let store: String
  private let context: WorkflowContext

  /// Told of each step that is over, in one line.
  private let tell: (String) -> Void

  /// How long the comparison may take where nobody says it.
  private static let usualTime = "5m"

  /// Reads the scenario and its approvals.
  ///
  /// - Throws: `ScenarioError` with every problem of a file, and `WorkflowError`.
  package init(
    _ options: GateOptions,
    in context: WorkflowContext,
    telling tell: @escaping (String) -> Void = { _ in }
  ) throws {
    self.options = options
    self.context = context
    self.tell = tell
    revisions = try Self.revisions(in: options.range)
    var scenario = try ScenarioFile.loadForLaunch(
      path: options.scenario,
      suppressing: options.suppressed
    )
    try Preflight.check(scenario.controls?.suppressed ?? [])
    guard scenario.source != nil else {
      throw WorkflowError.cannotCompare(
        reason: "\(options.scenario) has no section `source` to build revisions from",
        remedy: "add `source`"
      )
    }
    if let unknown = options.targets.first(where: { name in
      !scenario.targets.contains { $0.name == name }
    }) {
      throw WorkflowError.badOption(
        name: "--target",
        value: unknown,
        expected: "a target of the scenario: "
          + scenario.targets.map(\.name).joined(separator: ", ")
      )
    }
    if !options.targets.isEmpty {
      scenario.targets.removeAll { !options.targets.contains($0.name) }
    }
    scenario.control = nil
    rules = scenario.gate ?? GateRules()
    approvals = try ApprovalsFile.approvals(at: Self.approvalsPath(of: scenario))
    let count = try LaunchCount(
      within: ScenarioFile.duration(options.maxTime ?? Self.usualTime, option: "--max-time")
    )
    scenario.launches = count.fewest
    scenario.adaptive = count.adaptive
    self.scenario = scenario
    store = StoreLocation.path(options.store, beside: scenario.directory)
    try options.files.keeping(store: store).reading(scenario, at: options.scenario).check()
  }

  /// The file of approvals of a scenario.
  package static func approvalsPath(of scenario: Scenario) -> String {
    scenario.gate?.approvals ?? "\(scenario.directory)/\(ApprovalsFile.name)"
  }

  /// The two sides of `A..B` or `A...B`; a missing one is HEAD.
  static func revisions(
    in text: String
  ) throws(WorkflowError) -> (base: String, head: String, isFromMergeBase: Bool) {
    let isFromMergeBase = text.contains("...")
    let parts = text.split(
      separator: isFromMergeBase ? "..." : "..",
      omittingEmptySubsequences: false
    )
    .map(String.init)
    let isRange = parts.count == 2 && parts.contains { !$0.isEmpty }
    guard isRange,
      !parts.contains(where: { $0.hasPrefix("-") || $0.hasPrefix(".") || $0.contains("..") })
    else {
      throw .badOption(
        name: "base..head",
        value: text,
        expected: "two revisions with dots between them, such as main...HEAD"
      )
    }
    return (
      parts[0].isEmpty ? "HEAD" : parts[0], parts[1].isEmpty ? "HEAD" : parts[1], isFromMergeBase
    )
  }

  /// Builds, looks, counts and times.
  ///
  /// - Throws: a ``LabError`` when a revision cannot be built, or nothing could be looked at.
  package func run() async throws -> GateResult {
    guard let source = scenario.source else { preconditionFailure("checked when it was read") }
    let repository = try await GitRepository(containing: source.repository)
    let head = try await repository.commit(revisions.head)
    let base =
      revisions.isFromMergeBase
      ? try await repository.mergeBase(of: revisions.base, and: revisions.head)
      : try await repository.commit(revisions.base)
    var result = GateResult(
      base: .init(id: base.id, subject: base.subject),
      head: .init(id: head.id, subject: head.subject),
      scenario: options.scenario,
      findings: [],
      problems: [],
      idle: []
    )
    guard base.tree != head.tree else {
      result.problems.append(
        "base and head have the same files, so that there is nothing to look at"
      )
      return result
    }
    let built = try await built(base.id, head.id, of: source)
    let judge = GateJudge(rules: rules, approvals: approvals, day: context.day)
    // What one step cannot do, the others may.
    do { try await compareFiles(of: built, by: judge, &result) } catch { try result.take(error) }
    do { try await count(built.pairs, &result) } catch { try result.take(error) }
    do { try await time(built.pairs, &result) } catch { try result.take(error) }
    result.findings = result.findings.enumerated().sorted { left, right in
      (left.element.rank, left.offset) < (right.element.rank, right.offset)
    }.map(\.element)
    return result
  }

  private var command: [String] {
    ["launchlab", "gate", options.range, options.scenario]
  }

  /// Both builds.
  private struct Built {
    var pairs: [Pair]

    /// Their trees.
    var base: String
    var head: String
  }

  /// A target in both builds.
  private struct Pair {
    var name: String
    var base: Target
    var head: Target

    /// Says that both builds launch the same; nil where they do not.
    var unbuilt: GateFinding? {
      let isSame =
        base.command == head.command && base.directory == head.directory && base.files == head.files
      guard isSame else { return nil }
      return GateFinding(
        rule: GateRules.Figure.launch.rawValue,
        target: name,
        item: "what is launched",
        verdict: .undecided,
        details: ["\(base.command[0]) is not built from the source, so that both builds launch it"]
      )
    }
  }

  private func built(_ base: String, _ head: String, of source: Source) async throws -> Built {
    let cache = CacheLocation(directory: (store as NSString).deletingLastPathComponent)
    let (before, after) = try await context.lab(for: command) { _ in
      (
        try await cache.build(base, of: source, in: context),
        try await cache.build(head, of: source, in: context)
      )
    }
    let (old, new) = (
      scenario.rebased(from: source.repository, to: before.directory).targets,
      scenario.rebased(from: source.repository, to: after.directory).targets
    )
    let pairs = zip(old, new).map { first, second in
      var (first, second) = (first, second)
      let name = first.name
      first.name = "\(name)@base"
      second.name = "\(name)@head"
      return Pair(name: name, base: first, head: second)
    }
    return Built(pairs: pairs, base: before.directory, head: after.directory)
  }

  // MARK: - Steps

  /// What a step has found, in one line.
  private static func line(_ step: String, _ findings: [GateFinding]) -> String {
    let bad = findings.filter { $0.verdict < .approved }.map(\.item)
    return "\(step): \(bad.isEmpty ? "passed" : bad.joined(separator: ", "))"
  }

  private func compareFiles(
    of built: Built,
    by judge: GateJudge,
    _ result: inout GateResult
  ) async throws {
    let reader = ObjectReader()
    let policy = scenario.controls?.environment ?? .inherited
    var findings: [GateFinding] = []
    var things: Set<GateFinding.Thing> = []
    for pair in built.pairs {
      if let finding = pair.unbuilt { findings.append(finding) }
      let base = try await reader.objects(of: pair.base, in: policy)
      let head = try await reader.objects(of: pair.head, in: policy)
      for problem in base.problems + head.problems where !result.problems.contains(problem) {
        result.problems.append(problem)
      }
      let comparison = ObjectComparison(
        target: pair.name,
        base: BuiltObjects(base, in: built.base),
        head: BuiltObjects(head, in: built.head),
        judge: judge
      )
      findings += comparison.findings
      things.formUnion(comparison.things)
    }
    if options.targets.isEmpty { result.idle = judge.idle(among: things) }
    result.findings += findings
    tell(Self.line("files", findings))
  }

  private func count(_ pairs: [Pair], _ result: inout GateResult) async throws {
    let counts = GateCounts(
      pairs: pairs.map { ($0.name, $0.base, $0.head) },
      scenario: scenario,
      rules: rules,
      context: context
    )
    let interrupt = try context.interrupt()
    let counted = try await context.lab(for: command) { session in
      try await counts.result(in: session, interrupt: interrupt)
    }
    result.findings += counted.findings
    result.problems += counted.problems
    tell(Self.line("counts", counted.findings))
  }

  private func time(_ pairs: [Pair], _ result: inout GateResult) async throws {
    var rule = ComparisonRule()
    rule.effectLimit = rules.limit(of: .launch)
    rule.confidence = scenario.regression?.confidence ?? rule.confidence
    let compared = pairs.map {
      ComparedPair(name: $0.name, baseline: $0.base.name, candidate: $0.head.name)
    }
    let request = CompareRequest(
      scenario: scenario.comparing(pairs.flatMap { [$0.base, $0.head] }),
      pairs: compared,
      rule: rule,
      store: store,
      commandLine: command
    )
    let summary = try await CompareWorkflow(request, in: context).run()
    switch summary.run.exitCode {
    case .interrupted: throw HostError.interrupted
    case .couldNotMeasure:
      result.failures.append(
        Diagnostic(
          .error,
          id: "comparison-failed",
          problem: "the comparison failed part-way, as run \(summary.run.run.id)",
          remedy: "try `launchlab run \(options.scenario)`, which says what fails"
        )
      )
    default: break
    }
    var findings = summary.findings.map { timed($0, confidence: rule.confidence) }
    result.findings += findings
    tell(Self.line("times", findings))
    // All explanations together may take as long as one.
    let slower = summary.findings.indices.filter { summary.findings[$0].verdict == .regression }
    for index in slower {
      let time = Nanoseconds(Self.explanationTime.count / Int64(slower.count))
      if let why = try await why(summary.findings[index], pairs, within: time) {
        findings[index].details.append(why)
      }
    }
    result.findings.replaceSubrange((result.findings.count - findings.count)..., with: findings)
  }

  private static let explanationTime = Nanoseconds.seconds(60)

  private func timed(_ finding: ComparisonFinding, confidence: Double) -> GateFinding {
    let interval = finding.interval.map { interval in
      [interval.low, interval.high].map { Quantity.signed($0 - 1, Quantity.percent) }
        .joined(separator: " to ")
    }
    return GateFinding(
      rule: GateRules.Figure.launch.rawValue,
      target: finding.pair.name,
      state: finding.state,
      item: "launch, \(finding.state.rawValue)",
      base: finding.baselineMedian.map { Quantity.text($0, .nanoseconds) },
      // That of the pairs, since medians of all launches may say something else on a busy machine.
      head: finding.baselineMedian.flatMap { median in
        finding.ratio.map { Quantity.text(median * $0, .nanoseconds) }
      },
      change: finding.ratio.map { Quantity.signed($0 - 1, Quantity.percent) },
      limit: "+\(Quantity.percent(rules.limit(of: .launch)))",
      verdict: finding.verdict == .regression
        ? .failed : finding.verdict == .inconclusive ? .undecided : .passed,
      details: interval.map {
        ["\(Quantity.percent(confidence)) interval \($0), from \(finding.count) pairs"]
      } ?? []
    )
  }

  /// What `explain` says of a slower launch, or why it says nothing.
  ///
  /// - Throws: `HostError.interrupted`.
  private func why(
    _ finding: ComparisonFinding,
    _ pairs: [Pair],
    within time: Nanoseconds
  ) async throws -> String? {
    guard let pair = pairs.first(where: { $0.name == finding.pair.name }) else { return nil }
    var compared = scenario.comparing([pair.base, pair.head])
    compared.adaptive = nil
    let request = ExplainRequest(
      scenario: compared,
      state: finding.state,
      launches: ExplainRequest.mostLaunches,
      timeLimit: time,
      seed: nil,
      commandLine: command
    )
    do {
      return WhySentence(try await ExplainWorkflow(request, in: context).run()).plain
    } catch let error as any LabError where error.exitCode != .interrupted {
      return error.diagnostics.first.map { "not explained: \($0.problem)" }
    }
  }
}

extension WorkflowContext {
  /// Today in UTC, as approvals write it.
  var day: String { String(now().formatted(.iso8601).prefix(10)) }
}
