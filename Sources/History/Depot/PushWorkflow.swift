import Foundation
package import LaunchCore
import LaunchDepot
import LaunchHost
import LaunchStore
package import Measuring
import Rendering

/// Sends the complete nights of stores to a depot, each of them once.
///
/// A host needs no right but that of pushing. What is stored of the runs here is not changed, and what
/// could not be sent is sent the next time.
package struct PushWorkflow {
  private let depot: Depot
  private let paths: [String]
  private let here: HostFacts
  private let now: () -> Date

  /// - Parameters:
  ///   - address: The URI of the depot.
  ///   - store: The SQLite file; nil means those of the working directory and right below.
  ///   - context: Says what the working directory is, and the time.
  /// - Throws: `DepotError` for an address that is none, ``WorkflowError/nothingStored(store:)``.
  package init(to address: String, store: String?, in context: WorkflowContext) throws {
    depot = Depot(try DepotLocation.address(address))
    paths = try StoreLocation.paths(store, from: context.directory)
    here = Doctor.facts
    now = context.now
  }

  /// What came of it.
  package struct Summary: Hashable, Sendable {
    /// How many runs the depot has now that it did not have.
    package var stored = 0

    /// How many it had already.
    package var known = 0

    /// How many scenarios have new alerts or decisions.
    package var concluded = 0

    /// Why something stays here.
    package var problems: [Diagnostic] = []
  }

  /// The runs of one machine in a store.
  private struct Part {
    var store: Store
    var identity: String
    var runs: [Store.SharedRun]
  }

  /// Sends what the depot does not have.
  ///
  /// - Parameter progress: Called after each run, with how many of all are done.
  /// - Returns: What was sent; a run or a store that cannot be sent keeps no other one here.
  /// - Throws: `DepotError` where the depot cannot be used, ``WorkflowError/noIdentity``.
  package func push(_ progress: (_ done: Int, _ total: Int) -> Void) async throws -> Summary {
    var summary = Summary()
    var work: [(part: Part, ids: [String])] = []
    for part in try parts(&summary) {
      let ids = part.runs.filter { !$0.isLeftOut }.map(\.id)
      // A host that belongs to another login keeps none of the others here.
      try await sending(&summary) { summary in
        let missing = try await depot.missing(ids, of: part.identity)
        summary.known += ids.count - missing.count
        work.append((part, missing))
      }
    }
    let total = work.reduce(0) { $0 + $1.ids.count }
    var done = 0
    for (part, ids) in work {
      for id in ids {
        try await sending(&summary) { summary in
          switch try await depot.push(run(id, of: part)) {
          case .stored: summary.stored += 1
          case .known: summary.known += 1
          }
        }
        done += 1
        progress(done, total)
      }
    }
    var seen: Set<[String]> = []
    for part in work.map(\.part) {
      for scenario in part.runs.map(\.scenario).uniqued {
        guard seen.insert([part.identity, scenario]).inserted else {
          summary.problems.append(Self.twice(scenario, part.store))
          continue
        }
        try await sending(&summary) { summary in
          if try await push(conclusions: scenario, of: part) { summary.concluded += 1 }
        }
      }
    }
    return summary
  }

  /// Sends one thing; an error of it alone becomes a problem.
  private func sending(
    _ summary: inout Summary,
    _ body: (inout Summary) async throws -> Void
  ) async throws {
    do {
      try await body(&summary)
    } catch let error as DepotError where !error.isOfOneRun {
      throw error
    } catch let error as any LabError {
      summary.problems += error.diagnostics
    }
  }

  private static func twice(_ scenario: String, _ store: Store) -> Diagnostic {
    Diagnostic(
      .error,
      id: "depot-two-stores",
      problem:
        "another store has scenario \"\(scenario)\" too, so that the alerts of this one stay here",
      place: store.path,
      remedy: "keep one store per scenario on a host, or name one of the scenarios otherwise"
    )
  }

  /// What each store has, by machine.
  ///
  /// Runs that name no machine are of the only one that the store has, or of this one where it has
  /// none.
  private func parts(_ summary: inout Summary) throws -> [Part] {
    var parts: [Part] = []
    for path in paths {
      let store: Store
      let runs: [Store.SharedRun]
      do {
        // One of an older launchlab is migrated.
        store = try Store.writable(at: path)
        runs = try store.sharedRuns(at: now())
      } catch let error as any LabError {
        summary.problems += error.diagnostics
        continue
      }
      guard !runs.isEmpty else { continue }
      let named = runs.compactMap(\.identity).uniqued
      if named.count > 1 {
        let unnamed = runs.count { $0.identity == nil && !$0.isLeftOut }
        if unnamed > 0 { summary.problems.append(Self.unnamed(unnamed, in: store)) }
        parts += named.map { identity in
          Part(store: store, identity: identity, runs: runs.filter { $0.identity == identity })
        }
      } else {
        guard let only = named.first ?? here.identity else { throw WorkflowError.noIdentity }
        parts.append(Part(store: store, identity: only, runs: runs))
      }
    }
    return parts
  }

  private static func unnamed(_ count: Int, in store: Store) -> Diagnostic {
    Diagnostic(
      .error,
      id: "depot-unnamed-runs",
      problem:
        "\(Quantity.count(count, "run")) stay here: they name no machine, and the store has runs of several",
      place: store.path,
      remedy: "take them out with `launchlab runs remove`"
    )
  }

  private func push(conclusions scenario: String, of part: Part) async throws -> Bool {
    let (store, identity) = (part.store, part.identity)
    guard let digest = try store.conclusionsDigest(scenario: scenario, identity: identity) else {
      return false
    }
    let conclusions = DepotConclusions(
      scenario: scenario,
      schema: Store.schemaVersion,
      digest: digest
    ) {
      try TemporaryFile.bytes {
        try store.writeConclusions(scenario: scenario, identity: identity, to: $0)
      }
    }
    return try await depot.push(conclusions, of: identity)
  }

  private func run(_ id: String, of part: Part) throws -> DepotRun {
    let store = part.store
    let run = try store.run(id)
    let points = try store.summaries(run: id).filter { $0.arm.kind == .plain }.map { row in
      DepotPoint(
        target: row.arm.target,
        state: row.arm.state,
        metric: row.metric,
        n: row.n,
        median: row.median,
        medianAbsoluteDeviation: row.medianAbsoluteDeviation,
        intervalLow: row.intervalLow,
        intervalHigh: row.intervalHigh
      )
    }
    return DepotRun(
      hostIdentity: part.identity,
      hostName: run.host.name,
      currentName: part.identity == here.identity ? here.name : nil,
      fingerprint: run.host.fingerprint,
      id: id,
      scenario: run.plan.scenario.name,
      purpose: run.purpose,
      startedAt: run.startedAt,
      finishedAt: run.finishedAt ?? run.startedAt,
      commit: run.build?.commit,
      tree: run.build?.tree,
      tool: run.tool,
      schema: Store.schemaVersion,
      digest: try store.digest(of: id),
      slot: run.slot,
      points: points,
      content: try TemporaryFile.bytes { try store.write(run: id, to: $0) }
    )
  }
}

extension DepotError {
  /// Whether other runs may well be pushed.
  fileprivate var isOfOneRun: Bool {
    switch self {
    case .otherContent, .clonedHost, .otherLogin, .refused: true
    default: false
    }
  }
}

/// A file that is gone at once.
enum TemporaryFile {
  /// Gives the bytes of a file that `make` makes at a path.
  ///
  /// - Throws: What `make` throws, and ``WorkflowError/cannotWrite(path:reason:)``.
  static func bytes(_ make: (_ path: String) throws -> Void) throws -> [UInt8] {
    try with { path in
      try make(path)
      return try checked(path) { [UInt8](try Data(contentsOf: URL(filePath: path))) }
    }
  }

  /// Calls `body` with the path of a file with some content, or of none.
  static func with<Result>(
    _ content: [UInt8]? = nil,
    _ body: (_ path: String) throws -> Result
  ) throws -> Result {
    let directory = try OwnedDirectory.makeTemporary()
    let path = "\(directory.path)/run.sqlite"
    defer { directory.remove() }
    if let content { try checked(path) { try Data(content).write(to: URL(filePath: path)) } }
    return try body(path)
  }

  private static func checked<Result>(_ path: String, _ body: () throws -> Result) throws -> Result
  {
    do {
      return try body()
    } catch let error as CocoaError {
      throw WorkflowError.cannotWrite(path: path, reason: error.localizedDescription)
    }
  }
}
