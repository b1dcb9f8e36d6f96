import Foundation
import LabAnalysis
import LabHost
import LabModel

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
      throw Obstacle(reason: "it is not stored what \(target.name) was in run \(good.run)")
    }
    guard before.keys.sorted() == now.keys.sorted() else {
      throw Obstacle(reason: "the command of \(target.name) names other files than in \(good.run)")
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
        "the program of \(target.name) is the same, but what its `files` and `install` were is not "
        + "kept: a section `source` would tell"
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
