import Foundation
package import LaunchCore
import LaunchStore
package import Measuring

/// Takes runs out of history because a person says so, and puts them back.
///
/// Nothing of a run is changed or deleted: what was decided is stored beside it.
package struct RunDecisionWorkflow {
  /// What came of a decision.
  package struct Outcome: Hashable, Sendable {
    /// The run as it is listed now.
    package var run: RunListing

    package var decision: RunDecision

    /// The open alerts that began with the run, or compare with it.
    package var alerts: [Alert]
  }

  private let paths: [String]
  private let context: WorkflowContext

  /// - Parameters:
  ///   - store: The SQLite file; nil means those of the working directory and right below.
  ///   - context: Says what the working directory is.
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is no store.
  package init(store: String?, in context: WorkflowContext) throws {
    self.context = context
    paths = try StoreLocation.paths(store, from: context.directory)
  }

  /// Decides whether a run counts.
  ///
  /// - Parameters:
  ///   - standing: What the run is from now on.
  ///   - id: The id of a run, or its beginning.
  ///   - reason: Why, in a person's own words; only ``RunDecision/Standing/included`` needs none.
  /// - Returns: The run with what was decided.
  /// - Throws: ``WorkflowError`` for a run that is none or stands so already, or a reason that is
  ///   none; `StoreError`.
  package func decide(
    _ standing: RunDecision.Standing,
    on id: String,
    reason: String
  ) throws -> Outcome {
    let reason =
      standing == .included && reason.isEmpty
      ? "" : try GivenReason.checked(reason, saying: "why the run does not count")
    let (store, run) = try found(id)
    guard (run.decision?.standing ?? .included) != standing else {
      let before = run.decision.map {
        ", since \($0.at.formatted(.iso8601)) by \($0.person): \($0.reason)"
      }
      throw WorkflowError.alreadyDecided(
        id: run.id,
        standing: standing,
        since: before ?? ""
      )
    }
    let decision = RunDecision(
      at: context.now(),
      person: context.person,
      standing: standing,
      reason: reason
    )
    try store.decide(decision, on: run.id)
    var listed = run
    listed.decision = standing == .included ? nil : decision
    let alerts = try store.alerts(scenario: run.scenario)
      .filter { $0.isOpen && [$0.onset, $0.lastGood].contains(run.id) }
    return Outcome(run: listed, decision: decision, alerts: alerts)
  }

  /// The one run that is meant, and its store, open for writing.
  private func found(_ id: String) throws -> (store: Store, run: RunListing) {
    guard !id.isEmpty else { throw WorkflowError.unknownRun(id) }
    if paths.count == 1 {
      let path = paths[0]
      let store = try Store.writable(at: path)
      return (store, try only(id, of: Self.matches(id, in: store).map { (paths[0], $0) }).run)
    }
    let all = try paths.flatMap { path in
      try Self.matches(id, in: Store(path: path, mode: .readOnly)).map { (path: path, run: $0) }
    }
    let (path, run) = try only(id, of: all)
    return (try Store.writable(at: path), run)
  }

  private static func matches(_ id: String, in store: Store) throws -> [RunListing] {
    try store.runs(includesRemoved: true).filter { $0.id.hasPrefix(id) }
  }

  private func only(
    _ id: String,
    of matches: [(path: String, run: RunListing)]
  ) throws(WorkflowError) -> (path: String, run: RunListing) {
    let exact = matches.filter { $0.run.id == id }
    guard let first = exact.first ?? matches.first else { throw .unknownRun(id) }
    guard exact.count == 1 || matches.count == 1 else {
      throw .ambiguousRun(id, candidates: matches.map(\.run.id))
    }
    return first
  }
}

/// Lists what was run.
package struct HistoryWorkflow {
  private let stores: [Store]

  /// - Parameters:
  ///   - store: The SQLite file; nil means those of the working directory and right below.
  ///   - context: Says what the working directory is.
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is no store, and `StoreError`.
  package init(store: String?, in context: WorkflowContext) throws {
    stores = try StoreLocation.stores(store, from: context.directory)
  }

  /// The stores that are read, for the output to be compared with.
  package var files: CommandFiles { stores.reduce(CommandFiles()) { $0.keeping(store: $1.path) } }

  /// The stored runs, newest first; removed ones only if that is asked for.
  package func runs(
    limit: Int,
    scenario: String?,
    includesRemoved: Bool = false
  ) throws -> [RunListing] {
    try StoreLocation.check(scenario, in: stores)
    let runs = try stores.flatMap {
      try $0.runs(limit: limit, scenario: scenario, includesRemoved: includesRemoved)
    }
    return Array(runs.sorted { $0.startedAt > $1.startedAt }.prefix(limit))
  }
}
