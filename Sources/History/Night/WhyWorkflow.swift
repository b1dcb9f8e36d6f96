import Foundation
package import LaunchCore
import LaunchHost
import LaunchStore
package import Measuring
import Scenarios
import SystemPackage

/// Tells everything that is known of an alert.
package struct WhyWorkflow {
  /// An alert, and what it is read with.
  package struct Explanation: Hashable, Sendable {
    package var alert: Alert

    /// Those of its scenario.
    package var nights: [Night]

    /// Why launches are slower, as JSON of schema `launchlab.explain/1`; nil where it is not known.
    package var explanation: String?

    /// Whom its events were told to.
    package var deliveries: [Delivery]

    /// The path of the store that has them.
    package var store: String

    /// The full ids of the commits that the change lies between, such as `4c1f…..8cd7…`; nil where its
    /// nights are not known, or were not built from different commits.
    package var commits: String? {
      AlertRange(alert, nights: nights).revisions.map { "\($0.good)..\($0.bad)" }
    }

    /// The scenario files of that name in the directory that holds `.launchlab`, which are the user's own.
    package var scenarioFiles: [String] {
      OwnScenarioFiles(alert.series.scenario, beside: store).paths
    }

    /// The path to show for the scenario.
    package var scenarioFile: String {
      OwnScenarioFiles(alert.series.scenario, beside: store).shown
    }

    /// New divided by old: by the proof that found the change, or else by the levels; nil where old is 0.
    package var ratio: Double? {
      let isProved = alert.cause != .machine && alert.proof?.verdict == alert.direction.verdict
      return isProved ? alert.ratio : alert.before == 0 ? nil : alert.after / alert.before
    }
  }

  /// How many alerts an error lists.
  private static let listed = 5

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

  /// Reads one alert, open or not.
  ///
  /// - Parameter id: Such as `R-17`.
  /// - Returns: The alert with every event.
  /// - Throws: ``WorkflowError`` for an id that is none, that no store has, or that several have;
  ///   `StoreError`.
  package func explanation(of id: String) throws -> Explanation {
    guard let number = Alert.number(in: id) else {
      throw WorkflowError.notAnAlertID(id)
    }
    let all = try stores.map { store in
      (store: store, alerts: try store.alerts(scenario: nil))
    }
    let found = all.compactMap { store, alerts in
      alerts.first { $0.number == number }.map { (store: store, alert: $0) }
    }
    guard let (store, alert) = found.first else {
      let newest = all.flatMap(\.alerts).map(\.number).sorted(by: >).prefix(Self.listed)
      throw WorkflowError.noAlert(id: "R-\(number)", newest: newest.map { "R-\($0)" })
    }
    guard found.count == 1 else {
      throw WorkflowError.ambiguousAlert(id: alert.id, stores: found.map(\.store.path))
    }
    let scenario = alert.series.scenario
    let nights = try store.nights(scenario: scenario)
    let counted = try CountedAlerts(of: scenario, in: store, nights: nights).alerts
    return Explanation(
      alert: counted.first { $0.number == number } ?? alert,
      nights: nights,
      explanation: try store.explanationDocuments(ofAlert: number)?.json,
      deliveries: try store.deliveries(scenario: scenario).filter { $0.alert == number },
      store: store.path
    )
  }
}

/// The files of a scenario in the directory that holds `.launchlab`, which are the user's own.
package struct OwnScenarioFiles {
  /// Absolute, or relative as the store is, sorted.
  package let paths: [String]

  /// - Parameters:
  ///   - scenario: The name of the scenario.
  ///   - store: The path of the store that has its nights.
  package init(_ scenario: String, beside store: String) {
    let directory = FilePath(store).removingLastComponent().removingLastComponent().string
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    paths = names.filter { $0.hasSuffix(".yml") || $0.hasSuffix(".yaml") }.sorted()
      .map { "\(directory)/\($0)" }
      // Its commands are run, which nobody else may have written.
      .filter(OwnPlace.isOwn(file:))
      .filter { (try? ScenarioFile.load(path: $0))?.name == scenario }
  }

  /// The path to show, short where it is in the working directory; `scenario.yml` where there is not one.
  package var shown: String {
    guard paths.count == 1, let file = paths.first else { return "scenario.yml" }
    let working = "\(FileManager.default.currentDirectoryPath)/"
    return file.hasPrefix(working) ? String(file.dropFirst(working.count)) : file
  }
}
