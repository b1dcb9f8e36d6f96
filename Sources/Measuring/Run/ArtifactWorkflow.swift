import Builds
import Foundation
package import LaunchCore
import LaunchHost

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

/// What the files of a target are called where they are stored with a run.
package enum ArtifactName {
  /// The name of the file at an index of the command of a target.
  ///
  /// - Returns: The name of the target for its program, and such as `server[1]` for its arguments,
  ///   which no target can be called.
  static func name(_ target: String, at index: Int) -> String {
    index == 0 ? target : "\(target)[\(index)]"
  }

  /// The files of a target that are stored with a night, by their index in its command.
  package static func artifacts(of target: String, in night: Night) -> [Int: Artifact] {
    night.artifacts.reduce(into: [:]) { found, entry in
      if entry.key == target { found[0] = entry.value }
      guard entry.key.hasPrefix("\(target)["), entry.key.hasSuffix("]"),
        let index = Int(entry.key.dropFirst(target.count + 1).dropLast())
      else { return }
      found[index] = entry.value
    }
  }
}
