import Comparison
import Foundation
import LaunchCore
import LaunchStore
package import Measuring

/// Replays the rule of nights over a stored history.
package struct ReplayWorkflow {
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

  /// Replays the nights of a scenario, without changing anything.
  ///
  /// The rule is that of the newest night's scenario.
  ///
  /// - Parameters:
  ///   - scenario: Its name; nil means the one of the newest night.
  ///   - since: A day such as `2026-10-01`; nights before it are not judged. Nil means all.
  ///   - effects: The smallest changes that matter, such as `3%`; empty means that of the scenario.
  /// - Returns: Per effect the alerts, and what was missed.
  /// - Throws: ``WorkflowError`` for a day or a name that is none, or a scenario without nights;
  ///   `StoreError`.
  package func summary(
    scenario: String?,
    since: String?,
    effects: [String]
  ) throws -> ReplaySummary {
    let chosen = try effects.map { try Percentage($0, option: "--effect").share }
    let day = try since.map(Self.day)
    let (store, name) = try place(of: scenario)
    guard let last = try store.nights(scenario: name, .newest).last else {
      throw WorkflowError.nothingStored(store: store.path)
    }
    let host = NightChoice.host(identity: last.identity)
    let nights = try store.nights(scenario: name, host)
    let newest = nights.last { $0.status == .complete } ?? last
    let plan = try store.run(newest.run).plan
    let rule = plan.scenario.regressionRule
    let metrics = rule.metrics.filter(\.hasLevel)
    let history = TrendHistory(
      scenario: plan.scenario,
      nights: nights,
      series: try store.series(scenario: name, metrics: metrics, of: host),
      alerts: []
    )
    return Replay(history: history, since: day, effects: chosen.isEmpty ? [rule.effect] : chosen)
      .summary
  }

  /// The store that holds a scenario, or the newest night of all.
  private func place(of scenario: String?) throws -> (Store, String) {
    let listed = try stores.map { (store: $0, names: try $0.scenarios()) }
    if let scenario {
      guard let found = listed.first(where: { $0.names.contains(scenario) }) else {
        let known = listed.flatMap(\.names)
        throw WorkflowError.badOption(
          name: "--scenario",
          value: scenario,
          expected: known.isEmpty
            ? "one that has nights; there is none yet"
            : "one that has nights, such as \(known.prefix(3).joined(separator: ", "))"
        )
      }
      return (found.store, scenario)
    }
    let newest = try listed.compactMap { store, names in
      try names.first.map { (store, $0, try store.nights(scenario: $0, .newest).last?.startedAt) }
    }
    .max { ($0.2 ?? .distantPast) < ($1.2 ?? .distantPast) }
    guard let newest else { throw WorkflowError.nothingStored(store: stores[0].path) }
    return (newest.0, newest.1)
  }

  private static func day(_ text: String) throws -> Date {
    guard let day = ImportedTime.day(text) else {
      throw WorkflowError.badOption(
        name: "--since",
        value: text,
        expected: "a day such as 2026-10-01"
      )
    }
    return day
  }
}
