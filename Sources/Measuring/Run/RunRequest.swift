package import Foundation
package import LaunchCore
package import LaunchStore
import Rendering
import Scenarios

/// What `run` and `measure` are asked to do.
package struct RunRequest: Sendable {
  package var scenario: Scenario

  /// The absolute path of the SQLite file.
  package var store: String

  /// The seed of the blocks; drawn when nil.
  package var seed: UInt64?

  /// The revision that is built, for a scenario with `source:`.
  package var revision: String

  /// The id of a cut-off run to go on with, or `last`.
  package var resume: String?

  /// What the run is for.
  package var purpose: RunRecord.Purpose

  /// What ends the run at one of its looks; nil for the precision of the scenario, if it has one.
  package var stoppingRule: (any StoppingRule)?

  /// When the run is said to have begun; nil for now.
  ///
  /// Its launches are as they are today.
  package var backdate: Date?

  /// The command that repeats the run, for the report.
  package var commandLine: [String]

  /// Options of the command line that a run which goes on with this one needs again.
  package var keptOptions: [String] = []

  /// The path of the scenario file; nil for options.
  package var scenarioPath: String?

  /// Where `run.md` and, of nights, the trend report are written; nil for the usual place.
  package var reportDirectory: String?

  /// Which night of a fleet the run is part of.
  package var slot: FleetSlot?

  /// Whether there is a report at all.
  private var hasReport = false

  package init(
    scenario: Scenario,
    store: String?,
    seed: UInt64? = nil,
    revision: String? = nil,
    resume: String? = nil,
    reportDirectory: String? = nil,
    purpose: RunRecord.Purpose = .night,
    stoppingRule: (any StoppingRule)? = nil,
    commandLine: [String]
  ) {
    self.scenario = scenario
    self.store = StoreLocation.path(store, beside: scenario.directory)
    self.seed = seed
    self.revision = revision ?? "HEAD"
    self.resume = resume
    self.reportDirectory = reportDirectory
    self.purpose = purpose
    self.stoppingRule = stoppingRule
    self.commandLine = commandLine
  }

  /// The directory of the store, which also holds builds and private directories.
  package var storeDirectory: String { (store as NSString).deletingLastPathComponent }

  /// The directory of the report; nil when there is none.
  ///
  /// - Throws: `StoreError`.
  package func reportPlace(in store: Store) throws -> String? {
    guard hasReport else { return nil }
    return try reportDirectory ?? ReportPlaces.directory(of: scenario, in: store)
  }

  /// The files of the run, for its outputs to be compared with.
  package var files: CommandFiles {
    let summary = "GITHUB_STEP_SUMMARY"
    let hasSummary = scenario.notifiers?.contains(.githubSummary) == true
    return CommandFiles().keeping(store: store).reading(scenario, at: scenarioPath)
      .writing(report: hasReport ? reportDirectory ?? "\(scenario.directory)/report" : nil)
      .reading(ReportNames.ownTemplate(of: scenario), as: "the report's template")
      .keeping(
        hasSummary ? ProcessInfo.processInfo.environment[summary] : nil,
        as: summary
      )
  }

  /// The command that goes on with a run that was interrupted; nil for one without a scenario file.
  ///
  /// It names what the run would not be found or taken without.
  func resumption(of id: String) -> String? {
    guard commandLine.count == 3, commandLine[1] == "run" else { return nil }
    let own = StoreLocation.path(nil, beside: scenario.directory)
    return ShellQuoting.text(
      commandLine + ["--resume", id] + (revision == "HEAD" ? [] : ["--revision", revision])
        + (purpose == .trial ? ["--no-verdict"] : []) + keptOptions
        + (store == own ? [] : ["--store", store])
    )
  }

  /// The command that shows the run again while it is the newest one.
  package var showCommand: String {
    let found = StoreLocation.path(nil, beside: FileManager.default.currentDirectoryPath)
    return ShellQuoting.text(["launchlab", "show"] + (store == found ? [] : ["--store", store]))
  }

  /// Reads the scenario file, and reports beside it unless another directory is given.
  ///
  /// - Throws: `ScenarioError` with every problem of the file and of the suppressed ids.
  package init(
    scenarioPath: String,
    store: String?,
    seed: UInt64?,
    revision: String?,
    resume: String?,
    reportDirectory: String?,
    backdate: Date? = nil,
    suppressed: [String] = []
  ) throws {
    let scenario = try ScenarioFile.loadForLaunch(path: scenarioPath, suppressing: suppressed)
    try Preflight.check(scenario.controls?.suppressed ?? [])
    if revision != nil, scenario.source == nil {
      throw WorkflowError.badOption(
        name: "--revision",
        value: revision ?? "",
        expected: "a revision only with a scenario that has a section `source`"
      )
    }
    self.init(
      scenario: scenario,
      store: store,
      seed: seed,
      revision: revision,
      resume: resume,
      reportDirectory: reportDirectory,
      commandLine: ["launchlab", "run", scenarioPath]
    )
    hasReport = true
    self.scenarioPath = scenarioPath
    self.backdate = backdate
  }

  /// Has three launches of each arm filmed of the targets whose windows have to settle.
  ///
  /// - Parameter path: Where the film strip is written.
  /// - Returns: The request with that; nil when there is no such target.
  package func filmed(into path: String) -> Self? {
    var request = self
    for (index, target) in scenario.targets.enumerated() where target.waitsUntilSettled {
      request.scenario.targets[index].isFilmed = true
    }
    guard request.scenario.targets.contains(where: { $0.isFilmed == true }) else { return nil }
    request.keptOptions += ["--film", path]
    return request
  }

  /// Reads the date of `--backdate`, which is not in the future.
  ///
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)``.
  package static func past(_ text: String, now: Date) throws(WorkflowError) -> Date {
    // Foundation reads a day that is not in the calendar as one of the next month.
    guard text.contains("T"), let date = ImportedTime.date(text), date <= now else {
      throw .badOption(
        name: "--backdate",
        value: text,
        expected: "an instant of the past in UTC, such as 2026-03-14T02:00:00Z"
      )
    }
    return date
  }

  /// Makes the scenario from options; no report is written.
  ///
  /// - Throws: `ScenarioError` with every problem of the options.
  package init(options: MeasureOptions, store: String?, seed: UInt64?) throws {
    let scenario = try ScenarioFile.loadForLaunch(options: options)
    try Preflight.check(scenario.controls?.suppressed ?? [])
    self.init(
      scenario: scenario,
      store: store,
      seed: seed,
      purpose: .trial,
      commandLine: ["launchlab", "measure", "--"] + options.command
    )
  }
}
