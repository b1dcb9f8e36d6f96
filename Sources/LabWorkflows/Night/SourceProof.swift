import LabAnalysis
import LabHost
import LabModel
import LabScenarios

/// Finds the builds of a proof for a scenario with a source: by commit.
struct SourceProof {
  /// As it was read, with paths in the repository.
  let scenario: Scenario

  let source: Source
  let cache: CacheLocation

  /// The command line of launchlab.
  let command: [String]

  /// Takes the build of the good night from the cache, or builds it again.
  ///
  /// - Parameters:
  ///   - names: The targets.
  ///   - good: The last good night.
  ///   - night: Tonight.
  ///   - tonight: The targets as they are launched tonight.
  ///   - observe: Told of the build.
  /// - Returns: The builds, unless both nights have the same one.
  /// - Throws: `HostError` when it cannot be built, or another lab is at work.
  func found(
    _ names: [String],
    good: Night,
    night: Night,
    tonight: [Target],
    _ observe: (RunEvent) -> Void
  ) async throws -> ProofBuilds.Found {
    guard let before = good.build, let now = night.build else {
      return .impossible(reason: "it is not stored what run \(good.run) was built from")
    }
    guard before.tree != now.tree else { return .same }
    // Nothing is built beside the launches of another lab.
    let build = try await LabSession.use(command: command) { _ in
      try await cache.builder(of: source).build(before.commit) { observe(.building($0)) }
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
