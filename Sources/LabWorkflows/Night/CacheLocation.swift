import LabHost
import LabModel

/// Where what is kept of former nights is, beside the store.
struct CacheLocation: Hashable, Sendable {
  /// The absolute path of the directory of the store.
  let directory: String

  /// What builds and executables may take together where the scenario does not say it.
  static let defaultLimit: Int64 = 2 << 30

  var buildDirectory: String { "\(directory)/builds" }
  var artifacts: ArtifactCache { ArtifactCache(directory: "\(directory)/artifacts") }
  var builds: BuildCache { BuildCache(directory: buildDirectory) }
  var pins: PinnedPrograms { PinnedPrograms(directory: "\(directory)/pins") }

  /// The builder of a source, whose builds are kept here.
  func builder(of source: Source) throws -> SourceBuild {
    SourceBuild(
      source: source,
      cache: buildDirectory,
      interrupt: try InterruptFlag.onSignals.get()
    )
  }
}
