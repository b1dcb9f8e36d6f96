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
  package var subject: Subject

  /// The path of the scenario.
  package var scenario: String

  /// How long the comparison may take; nil for what is usual.
  package var maxTime: String?
  package var targets: [String] = []
  package var store: String?
  package var suppressed: [String] = []

  /// The files that are written; `-` is stdout.
  package var outputs: [GateFormat: String] = [:]

  package init(_ subject: Subject, scenario: String) {
    self.subject = subject
    self.scenario = scenario
  }

  /// What is compared.
  package enum Subject: Hashable, Sendable {
    /// `base..head`, or `base...head` from where they parted.
    case revisions(String)

    /// Two builds: executables, or directories that stand for the one of the sources.
    case builds(base: String, head: String)
  }
}

/// What a gate found.
package struct GateResult: Sendable {
  package var base: Side
  package var head: Side

  /// The path of the scenario, as it was given.
  package var scenario: String

  /// The same below the top of the repository, and that of the sources, which ends in a slash where
  /// it is not empty.
  package var scenarioPath: String
  package var prefix = ""

  /// The most important first.
  package var findings: [GateFinding]

  /// What was not looked at, and why, as sentences without a full stop.
  package var problems: [String]

  /// Approvals that nothing needs, and why.
  package var idle: [(approval: GateApproval, reason: String)]

  package struct Side: Hashable, Sendable {
    /// The full commit, or the path of a build.
    package var id: String

    /// That of the commit; nil for a build.
    package var subject: String?

    /// What it is called in a line.
    package var name: String { subject == nil ? id : String(id.prefix(9)) }
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
  private let revisions: (base: String, head: String, isFromMergeBase: Bool)?
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
    revisions =
      if case .revisions(let range) = options.subject { try Self.revisions(in: range) } else { nil }
    var scenario = try ScenarioFile.loadForLaunch(
      path: options.scenario,
      suppressing: options.suppressed
    )
    try Preflight.check(scenario.controls?.suppressed ?? [])
    guard scenario.source != nil || revisions == nil else {
      throw WorkflowError.cannotCompare(
        reason: "\(options.scenario) has no section `source` to build revisions from",
        remedy: "add `source`, or give two builds with --artifacts"
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
    try options.outputs.sorted { $0.key.rawValue < $1.key.rawValue }
      .reduce(CommandFiles()) { $0.writing($1.value, as: "--\($1.key.rawValue)") }
      .keeping(store: store).reading(scenario, at: options.scenario).check()
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
    var (result, pairs) = try await subjects()
    guard let pairs else {
      result.problems.append(
        "base and head have the same files, so that there is nothing to look at"
      )
      return result
    }
    let judge = GateJudge(rules: rules, approvals: approvals, day: context.day)
    var seen = Seen()
    // What one step cannot do, the others may.
    do { try await compareFiles(of: pairs, by: judge, &seen, &result) } catch {
      try result.take(error)
    }
    do { try await count(pairs, by: judge, &seen, &result) } catch { try result.take(error) }
    do { try await time(pairs, &result) } catch { try result.take(error) }
    if options.targets.isEmpty, seen.hasFiles {
      result.idle = judge.idle(among: seen.things).filter { approval, _ in
        seen.hasLibraries || approval.kind != .library || approval.hasExpired(on: judge.day)
      }
    }
    result.findings = result.findings.enumerated().sorted { left, right in
      (left.element.rank, left.offset) < (right.element.rank, right.offset)
    }.map(\.element)
    return result
  }

  /// What the steps have seen of both builds.
  private struct Seen {
    /// What approvals can be of.
    var things: Set<GateThing> = []

    /// The names of the libraries that the files of each target tell.
    var libraries: [String: Set<String>] = [:]

    /// Whether the files were read, and all libraries seen that launches open.
    var hasFiles = false
    var hasLibraries = false
  }

  private var command: [String] {
    switch options.subject {
    case .revisions(let range): ["launchlab", "gate", range, options.scenario]
    case .builds(let base, let head):
      ["launchlab", "gate", "--artifacts", base, head, options.scenario]
    }
  }

  // MARK: - Builds

  /// What is compared; nil for revisions with the same files.
  private func subjects() async throws -> (GateResult, [GatePair]?) {
    var result = GateResult(
      base: .init(id: ""),
      head: .init(id: ""),
      scenario: options.scenario,
      scenarioPath: (options.scenario as NSString).lastPathComponent,
      findings: [],
      problems: [],
      idle: []
    )
    switch (options.subject, revisions, scenario.source) {
    case (.builds(let base, let head), _, _):
      (result.base.id, result.head.id) = (base, head)
      let sides = try [base, head].map(prebuilt)
      if let repository = try? await GitRepository(containing: scenario.directory) {
        result.scenarioPath =
          repository.pathBelowTop(absolute(options.scenario)) ?? result.scenarioPath
        result.prefix = repository.pathBelowTop(sides[1].tree).map { "\($0)/" } ?? ""
      }
      return (result, pairs(sides[0].targets, sides[1].targets, in: (sides[0].tree, sides[1].tree)))
    case (.revisions, let revisions?, let source?):
      let repository = try await GitRepository(containing: source.repository)
      let head = try await repository.commit(revisions.head)
      let base =
        revisions.isFromMergeBase
        ? try await repository.mergeBase(of: revisions.base, and: revisions.head)
        : try await repository.commit(revisions.base)
      result.base = .init(id: base.id, subject: base.subject)
      result.head = .init(id: head.id, subject: head.subject)
      result.prefix = repository.prefix
      result.scenarioPath =
        repository.pathBelowTop(absolute(options.scenario)) ?? result.scenarioPath
      return (
        result, base.tree == head.tree ? nil : try await built(base.id, head.id, of: source)
      )
    case (.revisions, _, _): preconditionFailure("checked when it was read")
    }
  }

  private func built(_ base: String, _ head: String, of source: Source) async throws -> [GatePair] {
    let cache = CacheLocation(directory: (store as NSString).deletingLastPathComponent)
    let (before, after) = try await context.lab(for: command) { _ in
      (
        try await cache.build(base, of: source, in: context),
        try await cache.build(head, of: source, in: context)
      )
    }
    return pairs(
      scenario.rebased(from: source.repository, to: before.directory).targets,
      scenario.rebased(from: source.repository, to: after.directory).targets,
      in: (before.directory, after.directory)
    )
  }

  /// The targets as a build that somebody else made has them, and its directory.
  private func prebuilt(_ path: String) throws -> (targets: [Target], tree: String) {
    var entry = absolute(path)
    // A link to a directory stands for the directory.
    let isDirectory = (try? FileManager.default.contentsOfDirectory(atPath: entry)) != nil
    if isDirectory { entry = (entry as NSString).resolvingSymlinksInPath }
    let own = scenario.source?.repository ?? scenario.directory
    let scenario = isDirectory ? scenario.rebased(from: own, to: entry) : scenario
    let targets = try scenario.targets.map { target in
      var target = target
      let isBuilt = target.command[0].hasPrefix("\(entry)/")
      if !isBuilt || !PrebuiltProgram.isExecutable(target.command[0]) {
        // An interpreter of the system stays what it is.
        let other = isDirectory && !isBuilt ? target.command[0] : nil
        guard let program = PrebuiltProgram.path(in: entry, of: target) ?? other else {
          let name = (target.command[0] as NSString).lastPathComponent
          throw WorkflowError.badOption(
            name: "--artifacts",
            value: path,
            expected: "an executable, or a directory with \(name) at its top or in bin"
          )
        }
        target.command[0] = program
      }
      return target
    }
    if !isDirectory, targets.count > 1 {
      throw WorkflowError.badOption(
        name: "--artifacts",
        value: path,
        expected: "a directory, since the scenario has \(targets.count) targets, or --target"
      )
    }
    return (targets, isDirectory ? entry : (entry as NSString).deletingLastPathComponent)
  }

  private func absolute(_ path: String) -> String {
    ((path.hasPrefix("/") ? path : "\(context.directory)/\(path)") as NSString).standardizingPath
  }

  private func pairs(
    _ base: [Target],
    _ head: [Target],
    in trees: (base: String, head: String)
  ) -> [GatePair] {
    zip(base, head).map { first, second in
      var (first, second) = (first, second)
      let name = first.name
      first.name = "\(name)@base"
      second.name = "\(name)@head"
      return GatePair(name: name, base: first, head: second, trees: trees)
    }
  }

  // MARK: - Steps

  /// What a step has found, in one line.
  private static func line(_ step: String, _ findings: [GateFinding]) -> String {
    let bad = findings.filter { $0.verdict < .approved }.map(\.item)
    return "\(step): \(bad.isEmpty ? "passed" : bad.joined(separator: ", "))"
  }

  private func compareFiles(
    of pairs: [GatePair],
    by judge: GateJudge,
    _ seen: inout Seen,
    _ result: inout GateResult
  ) async throws {
    let reader = ObjectReader()
    let policy = scenario.controls?.environment ?? .inherited
    var findings: [GateFinding] = []
    for pair in pairs {
      if let finding = pair.unbuilt { findings.append(finding) }
      let base = try await reader.objects(of: pair.base, in: policy)
      let head = try await reader.objects(of: pair.head, in: policy)
      for problem in base.problems + head.problems where !result.problems.contains(problem) {
        result.problems.append(problem)
      }
      let comparison = ObjectComparison(
        target: pair.name,
        base: BuiltObjects(base, in: pair.trees.base),
        head: BuiltObjects(head, in: pair.trees.head),
        judge: judge
      )
      findings += comparison.findings
      seen.things.formUnion(comparison.things)
      seen.libraries[pair.name] = comparison.head.libraryNames
    }
    seen.hasFiles = true
    result.findings += findings
    tell(Self.line("files", findings))
  }

  private func count(
    _ pairs: [GatePair],
    by judge: GateJudge,
    _ seen: inout Seen,
    _ result: inout GateResult
  ) async throws {
    let counts = GateCounts(
      pairs: pairs,
      scenario: scenario,
      judge: judge,
      known: seen.libraries,
      context: context
    )
    let interrupt = try context.interrupt()
    let counted = try await context.lab(for: command) { session in
      try await counts.result(in: session, interrupt: interrupt)
    }
    seen.things.formUnion(counted.things)
    seen.hasLibraries = counted.isWhole
    result.findings += counted.findings
    result.problems += counted.problems
    tell(Self.line("counts", counted.findings))
  }

  private func time(_ pairs: [GatePair], _ result: inout GateResult) async throws {
    var rule = ComparisonRule()
    rule.effectLimit = rules.limit(of: .launch)
    rule.tailLimit = rules.tailLimit
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
    findings += budgets(in: summary.run)
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
    let (base, head) = finding.sides
    let texts = Quantity.texts([base, head], .nanoseconds)
    return GateFinding(
      rule: GateRules.Figure.launch.rawValue,
      target: finding.pair.name,
      state: finding.state,
      item: "launch, \(finding.state.rawValue)",
      figures: .init(base: base, head: head),
      base: base.map { _ in texts[0] },
      head: head.map { _ in texts[1] },
      change: finding.ratio.map { Quantity.signed($0 - 1, Quantity.percent) },
      limit: "+\(Quantity.percent(rules.limit(of: .launch)))",
      verdict: finding.verdict == .regression
        ? .failed : finding.isTypicalOpen ? .undecided : .passed,
      details: [
        interval.map {
          "\(Quantity.percent(confidence)) interval \($0), from \(finding.count) pairs"
        }, finding.slowLaunches,
      ].compactMap(\.self)
    )
  }

  /// Whether head keeps the absolute budgets of the scenario, by the interval of its median.
  private func budgets(in run: RunSummary) -> [GateFinding] {
    guard rules.budgets == .keep else { return [] }
    return (scenario.budgets ?? []).compactMap { budget in
      // Only nights have launches enough for a share of slow ones.
      guard budget.metric != .slowShare,
        scenario.targets.contains(where: { $0.name == budget.target })
      else { return nil }
      func median(_ side: String) -> Estimates? {
        let arm = run.arms.first {
          $0.arm == Arm(target: "\(budget.target)@\(side)", state: budget.state, kind: .plain)
        }
        return arm?.metrics.first { $0.metric == budget.metric }?.estimates
      }
      let unit = budget.metric.unit
      let (base, head) = (median("base"), median("head"))
      let texts = Quantity.texts([base?.median, head?.median, budget.maximum], unit)
      var finding = GateFinding(
        rule: "budgets",
        target: budget.target,
        state: budget.state,
        item: "budget of \(budget.metric.label), \(budget.state.rawValue)",
        figures: .init(base: base?.median, head: head?.median),
        base: base.map { _ in texts[0] },
        head: head.map { _ in texts[1] },
        limit: texts[2],
        verdict: .undecided
      )
      let interval = head?.medianInterval.map { ($0.low, $0.high) }
      switch budget.outcome(head?.median, interval: interval) {
      case .kept: finding.verdict = .passed
      case .broken: finding.verdict = .failed
      case .undecided: break
      case .unmeasured: finding.details = ["it was not measured"]
      }
      return finding
    }
  }

  /// What `explain` says of a slower launch, or why it says nothing.
  ///
  /// - Throws: `HostError.interrupted`.
  private func why(
    _ finding: ComparisonFinding,
    _ pairs: [GatePair],
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

extension GatePair {
  /// Says that both builds launch the same; nil where they do not.
  fileprivate var unbuilt: GateFinding? {
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

extension WorkflowContext {
  /// Today in UTC, as approvals write it.
  var day: String { String(now().formatted(.iso8601).prefix(10)) }
}
