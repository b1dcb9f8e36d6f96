import Foundation
import LabHost
import LabModel
import LabScenarios
import LabStore

/// What an alert says of the change that is to be found.
struct AlertQuestion {
  let number: Int

  /// The last good commit and the bad one, with two dots between them.
  let range: String

  let target: String
  let state: String
  let metric: String
  let direction: BisectParameters.Direction

  /// The file that the alert is in.
  let store: String

  /// The scenario file that the alert's runs came from.
  let scenarioPath: String

  /// Finds an alert, and the commits of its nights.
  ///
  /// - Throws: ``WorkflowError`` for an alert that is none, or has no commits.
  init(_ id: String, _ options: BisectOptions) throws {
    let found = try WhyWorkflow(store: options.store, directory: options.launching.directory)
      .explanation(of: id)
    // What it holds decides what is built.
    try StoreFile(found.store).check()
    let alert = found.alert
    number = alert.number
    target = alert.series.target
    state = alert.series.state.rawValue
    metric = alert.series.metric.rawValue
    direction = alert.direction == .worse ? .regression : .improvement
    store = found.store
    range = try Self.range(of: alert, in: found.nights)
    scenarioPath = try options.scenario ?? Self.scenarioFile(of: alert, beside: found.store)
  }

  /// The two builds that were compared, or else the last good night and the first bad one.
  private static func range(of alert: Alert, in nights: [Night]) throws -> String {
    if let proof = alert.proof, proof.scope == .build { return "\(proof.good)..\(proof.bad)" }
    func commit(_ run: String?) -> String? {
      nights.first { $0.run == run }?.build?.commit
    }
    guard let good = commit(alert.lastGood), let bad = commit(alert.onset), good != bad else {
      throw WorkflowError.cannotBisect(
        reason: "\(alert.id) has no range of commits: "
          + "its nights were not built from different commits of a source",
        remedy: "give a range, as in `launchlab bisect GOOD..BAD --scenario FILE`"
      )
    }
    return "\(good)..\(bad)"
  }

  /// The one scenario file of that name in the directory that holds `.launchlab`.
  private static func scenarioFile(of alert: Alert, beside store: String) throws -> String {
    let directory = ((store as NSString).deletingLastPathComponent as NSString)
      .deletingLastPathComponent
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let files = names.filter { $0.hasSuffix(".yml") || $0.hasSuffix(".yaml") }.sorted()
      .map { "\(directory)/\($0)" }
      // Its commands are run, which nobody else may have written.
      .filter(OwnPlace.isOwn(file:))
      .filter { (try? ScenarioFile.load(path: $0))?.name == alert.series.scenario }
    guard files.count == 1 else {
      throw WorkflowError.cannotBisect(
        reason: "\(files.isEmpty ? "no file" : "more than one file") in \(directory) has the "
          + "scenario \"\(alert.series.scenario)\" of \(alert.id)",
        remedy: "name the scenario file with --scenario"
      )
    }
    return files[0]
  }
}
