import Builds
import Comparison
import Foundation
import LaunchCore
import LaunchStatistics
import Measuring
import Scenarios

/// Settles a suspicion: launches the last good build and tonight's in the same blocks.
struct ProofWorkflow {
  let request: RunRequest

  /// Tonight's run, and what trends know of it.
  let run: RunRecord
  let night: Night

  let context: WorkflowContext

  /// How many pairs are launched, without a look before; nil to end with a verdict.
  var pairCount: Int?

  /// How often builds are launched before the launches are looked at for the first time.
  static let firstLook = 40

  /// How long a comparison launches at most.
  private static let seconds: Int64 = 600

  /// What became of a proof, and whether a signal asked to stop.
  struct Result: Hashable {
    var outcome: ProofOutcome
    var isInterrupted = false
  }

  /// Runs a proof; whatever goes wrong with it is a reason why there is none.
  ///
  /// - Parameter proof: What is in doubt.
  /// - Returns: The answer, also of a proof that was interrupted.
  func result(of proof: ProofRequest) async -> Result {
    do {
      let (answer, isInterrupted) = try await answer(to: proof)
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
    to proof: ProofRequest
  ) async throws -> (ProofOutcome.Answer, isInterrupted: Bool) {
    guard rule.proofLaunches > 0 else {
      return (.impossible(reason: "`regression.proof` of the scenario is 0"), false)
    }
    switch try await found(for: proof) {
    case .same: return (.sameBuild, false)
    case .impossible(let reason): return (.impossible(reason: reason), false)
    case .builds(let builds):
      let arms = Self.words(for: proof.series)
      context.observe(.proving(arms: arms, good: builds.good, bad: builds.bad))
      let comparison = comparison(of: builds, for: proof)
      let summary = try await CompareWorkflow(comparison, in: context).run()
      let answer = Self.answer(to: proof, builds: builds, from: summary)
      return (answer, summary.run.run.status == .interrupted)
    }
  }

  /// Looks for the builds of a proof; one of a source is built again where it is not kept.
  ///
  /// - Throws: `HostError` when it cannot be built, or another lab is at work.
  func found(for proof: ProofRequest) async throws -> ProofBuilds.Found {
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
      command: request.commandLine,
      context: context
    ).found(names, good: proof.good, night: night, tonight: scenario.targets)
  }

  /// Both builds in the concerned states only, with several looks up to the most launches unless the number
  /// of pairs is given.
  func comparison(of builds: ProofBuilds, for proof: ProofRequest) -> CompareRequest {
    var (scenario, pairs) = run.plan.scenario.doubled(
      baseline: builds.baseline,
      candidate: builds.candidate,
      labels: (builds.good, builds.bad)
    )
    scenario.states = scenario.states.filter { state in
      proof.series.contains { $0.state == state }
    }
    let most = rule.proofLaunches * proof.effort
    scenario.launches = pairCount ?? min(Self.firstLook, most)
    scenario.adaptive =
      pairCount == nil && most > Self.firstLook
      ? AdaptiveLaunches(
        most: most,
        precision: rule.effect / 4,
        timeLimit: .seconds(Self.seconds * Int64(proof.effort))
      ) : nil
    var comparison = CompareRequest(
      scenario: scenario,
      pairs: pairs,
      metrics: Metric.allCases.filter { metric in
        proof.series.contains { $0.metric.ofLaunches == metric }
      },
      rule: ComparisonRule(
        effectLimit: rule.effect,
        tailLimit: proof.series.contains { $0.metric == .slowShare } ? rule.tail : nil,
        confidence: rule.confidence
      ),
      purpose: .proof,
      store: request.store,
      seed: request.seed,
      commandLine: request.commandLine
    )
    // One that the head of a fleet has asked for is read there.
    if pairCount != nil { comparison.slot = run.slot }
    return comparison
  }

  private var rule: RegressionRule { run.plan.scenario.regressionRule }

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
        $0.pair.name == key.target && $0.state == key.state && $0.metric == key.metric.ofLaunches
      }
      guard let arm, arm.comparison != nil else { continue }
      var found = Proof(
        arm: arm,
        run: run.id,
        good: builds.good,
        bad: builds.bad,
        scope: builds.scope
      )
      switch key.metric {
      case .slowShare: found.concludeShares(arm.comparison?.tail)
      default: found.verdict = arm.typicalVerdict
      }
      proofs[key] = found
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

extension ProofRequest {
  /// What the host of a run proves by itself: slow launches only, where the hosts of a fleet prove together.
  ///
  /// Together they prove changes of levels, and slow launches are counted on each host.
  func ofOneHost(_ run: RunRecord) -> Self {
    guard run.slot != nil, run.plan.scenario.regressionRule.proofHosts > 0 else { return self }
    var own = self
    own.series.removeAll { $0.metric != .slowShare }
    return own
  }
}

extension Proof {
  /// Makes the proof of launch times one of the shares of slow launches.
  ///
  /// Its ratio is 1 + the difference of the shares. A typical launch that is slower says nothing for more
  /// slow ones.
  mutating func concludeShares(_ tail: TailComparison?) {
    guard let tail else {
      (ratio, low, high, verdict) = (1, nil, nil, .inconclusive)
      return
    }
    let shares = tail.shares
    ratio = 1 + shares.candidate - shares.baseline
    (low, high) = (1 + shares.difference.low, 1 + shares.difference.high)
    verdict = tail.verdict
  }
}

/// The two builds of some targets that a proof launches in the same blocks.
struct ProofBuilds: Hashable {
  /// The targets as they were in the last good night.
  var baseline: [Target]

  /// The same targets as they are tonight.
  var candidate: [Target]

  /// The commits, or the first digits of the digests, of the two builds.
  var good: String
  var bad: String

  var scope: Proof.Scope

  /// What became of looking for the builds.
  enum Found: Hashable {
    case builds(ProofBuilds)

    /// The two are the same, so that nothing needs to be launched.
    case same

    /// The reason is a sentence without a full stop.
    case impossible(reason: String)
  }

  /// The first digits of two texts, at least seven, and so many that they differ.
  static func labels(_ good: String, _ bad: String) -> (String, String) {
    let common = zip(good, bad).prefix { $0 == $1 }.count
    let count = max(7, common + 1)
    return (String(good.prefix(count)), String(bad.prefix(count)))
  }
}

/// Finds the builds of a proof for a scenario with a source: by commit.
struct SourceProof {
  /// As it was read, with paths in the repository.
  let scenario: Scenario

  let source: Source
  let cache: CacheLocation

  /// The command line of launchlab.
  let command: [String]

  let context: WorkflowContext

  /// Takes the build of the good night from the cache, or builds it again.
  ///
  /// - Parameters:
  ///   - names: The targets.
  ///   - good: The last good night.
  ///   - night: Tonight.
  ///   - tonight: The targets as they are launched tonight.
  /// - Returns: The builds, unless both nights have the same one.
  /// - Throws: `HostError` when it cannot be built, or another lab is at work.
  func found(
    _ names: [String],
    good: Night,
    night: Night,
    tonight: [Target]
  ) async throws -> ProofBuilds.Found {
    guard let before = good.build, let now = night.build else {
      return .impossible(reason: "run \(good.run) has no recorded build")
    }
    guard before.tree != now.tree else { return .same }
    // Nothing is built beside the launches of another lab.
    let build = try await context.lab(for: command) { _ in
      try await cache.build(before.commit, of: source, in: context)
    }
    let rebased = scenario.rebased(from: source.repository, to: build.directory)
    let labels = ProofBuilds.labels(before.commit, now.commit)
    return .builds(
      ProofBuilds(
        baseline: rebased.targets.filter { names.contains($0.name) },
        candidate: tonight.filter { names.contains($0.name) },
        good: labels.0,
        bad: labels.1,
        scope: .build
      )
    )
  }
}

/// Finds the builds of a proof for a scenario without a source: the executables, and the files that
/// the commands name, as they were kept.
struct ArtifactProof {
  /// That of tonight's run.
  let scenario: Scenario

  let cache: ArtifactCache

  /// Why a target cannot be compared with what it was.
  private struct Obstacle: Error { let reason: String }

  /// One target in both nights.
  private struct Change {
    var baseline: Target
    var candidate: Target

    /// The digests of the first file that is another one.
    var digests: (good: String, bad: String)
  }

  /// Takes the executables of both nights from the cache.
  func found(_ names: [String], good: Night, night: Night) -> ProofBuilds.Found {
    let targets = scenario.targets.filter { names.contains($0.name) }
    do {
      let changes = try targets.map { try change(of: $0, good: good, night: night) }
      guard let first = changes.compactMap(\.self).first else { return .same }
      let labels = ProofBuilds.labels(first.digests.good, first.digests.bad)
      return .builds(
        ProofBuilds(
          baseline: zip(targets, changes).map { $1?.baseline ?? $0 },
          candidate: zip(targets, changes).map { $1?.candidate ?? $0 },
          good: labels.0,
          bad: labels.1,
          scope: .executable
        )
      )
    } catch let obstacle as Obstacle {
      return .impossible(reason: obstacle.reason)
    } catch {
      return .impossible(reason: "\(error)")
    }
  }

  /// How a target differs between the nights; nil when it is the same.
  private func change(of target: Target, good: Night, night: Night) throws -> Change? {
    let before = ArtifactName.artifacts(of: target.name, in: good)
    let now = ArtifactName.artifacts(of: target.name, in: night)
    guard before[0] != nil, now[0] != nil else {
      throw Obstacle(reason: "run \(good.run) has no recorded program for \(target.name)")
    }
    guard before.keys.sorted() == now.keys.sorted() else {
      throw Obstacle(reason: "the command of \(target.name) named other files in run \(good.run)")
    }
    let changed = now.keys.sorted().filter { before[$0]?.digest != now[$0]?.digest }
    guard let first = changed.first, let old = before[first], let new = now[first] else {
      return try unchanged(target)
    }
    var change = Change(baseline: target, candidate: target, digests: (old.digest, new.digest))
    for index in changed {
      guard let old = before[index], let new = now[index] else { continue }
      change.baseline.command[index] = try copy(of: old, for: target, at: index)
      change.candidate.command[index] = try copy(of: new, for: target, at: index)
    }
    return change
  }

  /// The same program may still do something else, because of files that are not kept.
  private func unchanged(_ target: Target) throws -> Change? {
    guard target.files.isEmpty, target.install.isEmpty else {
      let reason =
        "the program of \(target.name) is the same, but its `files` and `install` are not kept; a "
        + "section `source` would keep them"
      throw Obstacle(reason: reason)
    }
    return nil
  }

  private func copy(of artifact: Artifact, for target: Target, at index: Int) throws -> String {
    let called = (target.command[index] as NSString).lastPathComponent
    let names = [called, (artifact.path as NSString).lastPathComponent]
    guard let copy = names.compactMap({ cache.copy(of: artifact, named: $0) }).first else {
      let reason = "\"\(artifact.path)\" with the digest \(artifact.digest.prefix(12)) is not kept"
      throw Obstacle(reason: reason)
    }
    guard index == 0, case .fixed(let reason) = Movability(ofProgram: copy) else { return copy }
    throw Obstacle(reason: "a copy of \"\(artifact.path)\" cannot be launched: it \(reason)")
  }
}
