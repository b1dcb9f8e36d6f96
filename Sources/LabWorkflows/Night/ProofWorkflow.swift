import LabAnalysis
import LabHost
import LabModel

/// Settles a suspicion: launches the last good build and tonight's in the same blocks.
struct ProofWorkflow {
  /// Compares two builds, as ``CompareWorkflow`` does.
  typealias Comparing = (CompareRequest, @escaping (RunEvent) -> Void) async throws ->
    ComparisonSummary

  let request: RunRequest

  /// Tonight's run, and what trends know of it.
  let run: RunRecord
  let night: Night

  /// How often builds are launched before the launches are looked at for the first time.
  static let firstLook = 40

  /// What became of a proof, and whether a signal asked to stop.
  struct Result: Hashable {
    var outcome: ProofOutcome
    var isInterrupted = false
  }

  /// Runs a proof; whatever goes wrong with it is a reason why there is none.
  ///
  /// - Parameters:
  ///   - proof: What is in doubt.
  ///   - compare: Launches and compares.
  ///   - observe: Told what goes on.
  /// - Returns: The answer, also of a proof that was interrupted.
  func result(
    of proof: ProofRequest,
    comparing compare: Comparing,
    _ observe: @escaping (RunEvent) -> Void
  ) async -> Result {
    do {
      let (answer, isInterrupted) = try await answer(to: proof, comparing: compare, observe)
      return Result(
        outcome: ProofOutcome(request: proof, answer: answer),
        isInterrupted: isInterrupted
      )
    } catch {
      let known = error as? any LabError
      let problem = known?.diagnostics.first?.problem ?? "\(error)"
      let reason = problem.split(whereSeparator: \.isNewline).first.map(String.init) ?? problem
      return Result(
        outcome: ProofOutcome(request: proof, answer: .impossible(reason: reason)),
        isInterrupted: known?.exitCode == .interrupted
      )
    }
  }

  private func answer(
    to proof: ProofRequest,
    comparing compare: Comparing,
    _ observe: @escaping (RunEvent) -> Void
  ) async throws -> (ProofOutcome.Answer, isInterrupted: Bool) {
    guard rule.proofLaunches > 0 else {
      return (.impossible(reason: "`regression.proof` of the scenario is 0"), false)
    }
    switch try await found(for: proof, observe) {
    case .same: return (.sameBuild, false)
    case .impossible(let reason): return (.impossible(reason: reason), false)
    case .builds(let builds):
      let arms = Self.words(for: proof.series)
      observe(.proving(arms: arms, good: builds.good, bad: builds.bad))
      let summary = try await compare(comparison(of: builds, for: proof), observe)
      let answer = Self.answer(to: proof, builds: builds, from: summary)
      return (answer, summary.run.run.status == .interrupted)
    }
  }

  private func found(
    for proof: ProofRequest,
    _ observe: @escaping (RunEvent) -> Void
  ) async throws -> ProofBuilds.Found {
    let scenario = run.plan.scenario
    let concerned = Set(proof.series.map(\.target)).subtracting([Arm.controlTarget])
    let names = scenario.targets.map(\.name).filter(concerned.contains)
    guard !names.isEmpty else {
      return .impossible(reason: "none of the targets is built or kept")
    }
    let cache = CacheLocation(directory: request.storeDirectory)
    guard let source = request.scenario.source else {
      return ArtifactProof(scenario: scenario, cache: cache.artifacts)
        .found(names, good: proof.good, night: night)
    }
    return try await SourceProof(
      scenario: request.scenario,
      source: source,
      cache: cache,
      command: request.commandLine
    ).found(names, good: proof.good, night: night, tonight: scenario.targets, observe)
  }

  /// Both builds in the concerned states only, with looks that double up to the most launches.
  func comparison(of builds: ProofBuilds, for proof: ProofRequest) -> CompareRequest {
    var (scenario, pairs) = run.plan.scenario.doubled(
      baseline: builds.baseline,
      candidate: builds.candidate,
      labels: (builds.good, builds.bad)
    )
    scenario.states = scenario.states.filter { state in
      proof.series.contains { $0.state == state }
    }
    scenario.launches = min(Self.firstLook, rule.proofLaunches)
    scenario.adaptive =
      rule.proofLaunches > Self.firstLook
      ? AdaptiveLaunches(most: rule.proofLaunches, precision: rule.effect / 4) : nil
    return CompareRequest(
      scenario: scenario,
      pairs: pairs,
      metrics: Metric.allCases.filter { metric in proof.series.contains { $0.metric == metric } },
      rule: ComparisonRule(effectLimit: rule.effect, confidence: rule.confidence),
      purpose: .proof,
      store: request.store,
      seed: request.seed,
      commandLine: request.commandLine
    )
  }

  private var rule: RegressionRule { run.plan.scenario.regression ?? RegressionRule() }

  // MARK: - The answer

  /// What a comparison says of each series that is in doubt.
  static func answer(
    to proof: ProofRequest,
    builds: ProofBuilds,
    from summary: ComparisonSummary
  ) -> ProofOutcome.Answer {
    let run = summary.run.run
    switch run.status {
    case .interrupted: return .impossible(reason: "the proof \(run.id) was interrupted")
    case .failed, .unfinished:
      let failure = summary.run.warnings.first { $0.severity == .error }?.problem
      let line = failure?.split(whereSeparator: \.isNewline).first.map { ": \($0)" } ?? ""
      return .impossible(reason: "the launches of the proof \(run.id) failed\(line)")
    case .complete: break
    }
    var proofs: [SeriesKey: Proof] = [:]
    for key in proof.series {
      let arm = summary.arms.first {
        $0.pair.name == key.target && $0.state == key.state && $0.metric == key.metric
      }
      guard let arm, arm.comparison != nil else { continue }
      proofs[key] = Proof(
        arm: arm,
        run: run.id,
        good: builds.good,
        bad: builds.bad,
        scope: builds.scope
      )
    }
    return proofs.isEmpty
      ? .impossible(reason: "no launches of the proof \(run.id) could be compared")
      : .compared(proofs)
  }

  /// The arms of some series, such as `server warm, worker warm`.
  private static func words(for series: [SeriesKey]) -> String {
    var words: [String] = []
    for key in series {
      let word = "\(key.target) \(key.state.rawValue)"
      if !words.contains(word) { words.append(word) }
    }
    return words.joined(separator: ", ")
  }
}
