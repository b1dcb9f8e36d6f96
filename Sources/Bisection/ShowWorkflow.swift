package import Comparison
import History
import LaunchCore
import LaunchStore
package import Measuring
import Rendering

/// Concludes again from what a run, a comparison or a bisection has stored; nothing is launched.
package struct ShowWorkflow {
  private let store: String?
  private let context: WorkflowContext

  /// - Parameters:
  ///   - store: The SQLite file; nil means those of the working directory and right below.
  ///   - context: Says what the working directory is.
  package init(store: String?, in context: WorkflowContext) {
    self.store = store
    self.context = context
  }

  /// What was concluded.
  package enum Answer: Sendable {
    case run(RunSummary)
    case comparison(ComparisonSummary)
    case bisection(BisectSummary)
  }

  /// Finds what is meant, and concludes.
  ///
  /// - Parameter name: The id of a run or of a bisection, the beginning of one, or `last` for the
  ///   newest of all; `last~1` is the run before the newest.
  /// - Returns: What the stored launches or events come to.
  /// - Throws: ``WorkflowError`` when nothing, or more than one, is meant; `StoreError`.
  package func answer(_ name: String) async throws -> Answer {
    let path = StoreLocation.path(store, beside: context.directory)
    let bisections = try LogLocation(.bisection, besideStore: path)
    let found: (store: Store, run: RunRecord)
    do {
      found = try StoredRuns(store: store, in: context).run(name)
    } catch {
      guard let id = try? bisections.id(name) else { throw error }
      return try await bisection(bisections.log(of: id))
    }
    // Ids begin with the time.
    if name == "last", let id = try? bisections.id(name), id > found.run.id {
      return try await bisection(bisections.log(of: id))
    }
    return try answer(of: found.run, in: found.store)
  }

  private func bisection(_ log: String) async throws -> Answer {
    var summary = try BisectReplay(path: log).summary()
    await CulpritChanges.add(to: &summary)
    return .bisection(summary)
  }

  private func answer(of run: RunRecord, in store: Store) throws -> Answer {
    let pairs = [.comparison, .proof].contains(run.purpose) ? Self.pairs(of: run.plan) : []
    var launches = RunAccumulator(plan: run.plan)
    var compared = ComparisonAccumulator(plan: run.plan, pairs: pairs, metrics: [.launch])
    try store.forEachLaunch(of: run.id) {
      launches.add($0)
      if !pairs.isEmpty { compared.add($0) }
    }
    let summary = launches.summary(of: run).naming(try store.symbols(of: run.id)).foldingStages()
    guard !pairs.isEmpty else { return .run(summary) }
    var comparison = compared.summary(of: summary, by: rules(of: run))
    let stored = try store.runs(includesRemoved: true).first { $0.id == run.id }?.outcome?.verdict
    if let stored, stored != comparison.verdict.rawValue {
      comparison.run.warnings.insert(Self.otherVerdict(stored), at: 0)
    }
    if pairs.allSatisfy({ $0.baseline.hasSuffix("@base") && $0.candidate.hasSuffix("@head") }) {
      let file = OwnScenarioFiles(run.plan.scenario.name, beside: store.path).shown
      comparison.run.warnings.insert(Self.gate(file), at: 0)
    }
    return .comparison(comparison)
  }

  /// Two builds of each target, which have its name and a label, or commands after the first one.
  private static func pairs(of plan: Plan) -> [ComparedPair] {
    let doubled = plan.scenario.doubledPairs
    let names = plan.scenario.targets.map(\.name)
    if !doubled.isEmpty, 2 * doubled.count == names.count { return doubled }
    return names.dropFirst().map { ComparedPair(name: $0, baseline: names[0], candidate: $0) }
  }

  private func rules(of run: RunRecord) -> ComparisonRules {
    var rule = ComparisonRule()
    if let scenario = run.plan.scenario.regression {
      (rule.effectLimit, rule.confidence) = (scenario.effect, scenario.confidence)
      rule.tailLimit = scenario.tail
    }
    return ComparisonRules(
      base: rule,
      looks: run.plan.looks.count,
      noise: HostStore.noise(of: run.host.fingerprint, in: context),
      commands: run.plan.scenario.targets.reduce(into: [:]) { $0[$1.name] = $1.command }
    )
  }

  private static func gate(_ file: String) -> Diagnostic {
    Diagnostic(
      .note,
      id: "comparison-of-gate",
      problem: "this is the comparison of a gate, whose other findings are not stored",
      remedy: "repeat the gate with `launchlab gate BASE..HEAD \(ShellQuoting.text([file])) -v`"
    )
  }

  private static func otherVerdict(_ stored: String) -> Diagnostic {
    Diagnostic(
      .warning,
      id: "other-verdict",
      problem: "the comparison itself ended with \"\(stored)\"",
      remedy: "its --effect, --confidence and --metric are not stored; the usual ones are used here"
    )
  }
}
