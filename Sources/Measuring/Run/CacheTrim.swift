package import Builds
import Foundation
package import LaunchCore
package import LaunchStore

/// Keeps the builds and executables of former nights within their bound.
package struct CacheTrim {
  package let store: Store
  package let cache: CacheLocation

  /// In bytes.
  package let limit: Int64

  package init(store: Store, cache: CacheLocation, limit: Int64) {
    self.store = store
    self.cache = cache
    self.limit = limit
  }

  /// How many complete nights of each scenario keep what they launched: the last good night is one of
  /// them, unless there is an alert.
  static let nights = 8

  /// Removes what was not used for the longest time, and is needed by nobody, until the rest fits.
  ///
  /// The newest nights of every scenario of the store, the last good nights of open alerts, pinned
  /// programs, and the builds that the last night launched, such as that of the control, are needed.
  ///
  /// - Throws: `StoreError`.
  package func run() throws {
    let total = cache.builds.rooms(neededTrees: []) + cache.artifacts.rooms(needed: [])
    guard total.reduce(0, { $0 + $1.bytes }) > limit else { return }
    let needed = try needed()
    let builds = cache.builds.rooms(neededTrees: needed.trees).map { room in
      var room = room
      let name = "/\((room.path as NSString).lastPathComponent)/"
      if needed.places.contains(where: { $0.contains(name) }) { room.isNeeded = true }
      return room
    }
    let artifacts = cache.artifacts.rooms(needed: needed.digests)
    for room in KeptRoom.surplus(of: builds + artifacts, limit: limit) {
      if builds.contains(room) { cache.builds.remove(room) } else { cache.artifacts.remove(room) }
    }
  }

  /// What must stay, and paths of files that were launched.
  fileprivate struct Needed {
    var trees: Set<String> = []
    var digests: Set<String>
    var places: Set<String> = []
  }

  private func needed() throws -> Needed {
    var needed = Needed(digests: cache.pins.digests)
    for store in try [store] + neighbours() { try needed.add(from: store) }
    return needed
  }

  /// The other stores in the directory, which keep their builds and executables in the same place.
  ///
  /// - Throws: `StoreError` when one of them cannot be read now, so that nothing of it is removed.
  private func neighbours() throws -> [Store] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: cache.directory)) ?? []
    let sides = ["-wal", "-shm", "-journal"]
    return try names.sorted().compactMap { name in
      let path = "\(cache.directory)/\(name)"
      let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type]
      guard kind as? FileAttributeType == .typeRegular, path != store.path,
        !sides.contains(where: name.hasSuffix)
      else { return nil }
      do {
        return try Store(path: path, mode: .readOnly)
      } catch let error as StoreError {
        switch error {
        case .notADatabase, .notAStore, .missingStore, .cannotOpen: return nil
        default: throw error
        }
      }
    }
  }
}

extension CacheTrim.Needed {
  fileprivate mutating func add(from store: Store) throws {
    for scenario in try store.scenarios() {
      // A run that does not count may be put back.
      let nights = try store.nights(scenario: scenario, includesLeftOut: true)
      let good = try store.alerts(scenario: scenario).filter(\.isOpen).compactMap(\.lastGood)
      let recent = nights.filter { $0.status == .complete }.suffix(CacheTrim.nights)
      for night in recent + nights.filter({ good.contains($0.run) }) {
        if let tree = night.build?.tree { trees.insert(tree) }
        digests.formUnion(night.artifacts.values.map(\.digest))
      }
      if let last = recent.last {
        for target in try store.run(last.run).plan.scenario.targets {
          places.formUnion([target.directory] + target.command)
        }
      }
    }
  }
}

/// Where what is kept of former nights is, beside the store.
package struct CacheLocation: Hashable, Sendable {
  /// The absolute path of the directory of the store.
  package let directory: String

  package init(directory: String) { self.directory = directory }

  /// What builds and executables may take together where the scenario does not say it.
  package static let defaultLimit: Int64 = 2 << 30

  package var buildDirectory: String { "\(directory)/builds" }
  package var artifacts: ArtifactCache { ArtifactCache(directory: "\(directory)/artifacts") }
  package var builds: BuildCache { BuildCache(directory: buildDirectory) }
  var pins: PinnedPrograms { PinnedPrograms(directory: "\(directory)/pins") }

  /// Builds a revision of a source, unless its build is kept here.
  ///
  /// - Throws: `HostError`.
  package func build(
    _ revision: String,
    of source: Source,
    in context: WorkflowContext
  ) async throws -> BuildRecord {
    let builder = SourceBuild(
      source: source,
      cache: buildDirectory,
      interrupt: try context.interrupt()
    )
    return try await builder.build(revision) { context.observe(.building($0)) }
  }
}
