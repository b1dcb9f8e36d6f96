import Foundation
import LabHost
import LabModel

/// Looks at the programs that a run launches, and keeps them for comparisons in later nights.
struct ArtifactWorkflow {
  /// With the control, and with the paths of what was built.
  let scenario: Scenario

  /// Whether the run was built from a source, which can be built again.
  let isBuilt: Bool

  let cache: CacheLocation

  /// What is stored with the run, and what a person should know.
  struct Kept: Hashable {
    var artifacts: [String: Artifact] = [:]
    var notes: [Diagnostic] = []
  }

  /// Reads every program, and copies those that are not kept yet.
  ///
  /// What cannot be read or copied is a warning: the launches do not need it.
  func kept() -> Kept {
    var kept = Kept()
    for target in scenario.targets where !isBuilt || target.name == Arm.controlTarget {
      guard let files = try? LaunchedFiles(of: target, in: scenario) else { continue }
      keep(files.program, as: ArtifactName.name(target.name, at: 0), in: &kept)
      for (index, path) in files.arguments.sorted(by: { $0.key < $1.key }) {
        keep(path, as: ArtifactName.name(target.name, at: index), in: &kept)
      }
    }
    return kept
  }

  private func keep(_ path: String, as entry: String, in kept: inout Kept) {
    do {
      let artifact = try ArtifactCache.artifact(at: path)
      kept.artifacts[entry] = artifact
      guard artifact.bytes <= scenario.artifactLimit ?? CacheLocation.defaultLimit else { return }
      try cache.artifacts.keep(artifact, as: (path as NSString).lastPathComponent)
    } catch {
      let note = Diagnostic(
        .warning,
        id: "program-not-kept",
        problem: "no copy of \"\(path)\" is kept, so that no later night can be compared with it: "
          + (error.diagnostics.first?.problem ?? "it cannot be read"),
        place: "\(cache.directory)/artifacts",
        remedy: "make room on the disk of the store, or let its directory be written to"
      )
      // A full disk would be told of for every program.
      if !kept.notes.contains(where: { $0.id == note.id }) { kept.notes.append(note) }
    }
  }
}
