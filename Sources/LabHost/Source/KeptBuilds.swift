package import LabModel
import SystemPackage

/// Tells which builds of a source are kept, without building or changing anything.
package struct KeptBuilds: Sendable {
  private let source: Source
  private let cache: FilePath

  /// - Parameters:
  ///   - source: What is built.
  ///   - cache: The directory that holds the builds.
  package init(source: Source, cache: String) {
    self.source = source
    self.cache = FilePath(cache)
  }

  /// How many of some builds are kept.
  ///
  /// - Parameter trees: The git tree ids, each counted as often as it is given.
  /// - Returns: The number; builds that have failed do not count.
  /// - Throws: ``HostError/notARepository(path:message:)``.
  package func count(ofTrees trees: [String]) async throws -> Int {
    let repository = try await GitRepository(containing: source.repository)
    let environment = BuildEnvironment(of: source).text
    return trees.count { tree in
      let room = SourceBuild.key(
        tree: tree,
        command: source.build,
        prefix: repository.prefix,
        submodules: source.submodules,
        environment: environment
      )
      return DiskUse.status(of: cache.appending(room).appending("complete")) != nil
    }
  }
}
