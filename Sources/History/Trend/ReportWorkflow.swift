import Foundation
package import LaunchCore
import LaunchHost
import LaunchStore
package import Measuring
import Scenarios

/// Concludes and writes the reports that somebody asks for.
package struct ReportWorkflow {
  private let request: ReportRequest

  /// The working directory.
  private let directory: String

  /// - Parameters:
  ///   - request: Which reports are written.
  ///   - context: Says what the working directory is.
  package init(_ request: ReportRequest, in context: WorkflowContext) {
    self.request = request
    directory = context.directory
  }

  /// A report that was written.
  package struct Report {
    package var summary: TrendSummary
    package var options: ReportOptions

    /// The path of its Markdown.
    package var path: String

    /// Where its nights are.
    let store: Store
  }

  /// Writes the report of each scenario that is asked for.
  ///
  /// - Parameter warn: Told which hosts of a depot are left out since they cannot be judged.
  /// - Returns: The newest scenario of each store first, at least one.
  /// - Throws: a ``LabError`` when there is nothing to report, or a file cannot be written.
  package func reports(_ warn: ([Diagnostic]) -> Void = { _ in }) throws -> [Report] {
    let file = try request.scenarioPath.map { try ScenarioFile.load(path: $0, suppressing: []) }
    let (found, summaries) = try judged(subjects(file), warn)
    try checkRelease(in: summaries)
    let places = try places(in: found.map(\.0), file)
    let only = found.count == 1 ? request.output : nil
    let directories = found.map { store, scenario in
      only ?? places.directory(of: scenario, in: store) ?? "\(directory)/report"
    }
    try check(directories, stores: found.map(\.0), summaries)
    return try zip(directories, zip(found, summaries)).map { directory, subject in
      let ((store, scenario), concluded) = subject
      var (summary, options) = (concluded, request.options)
      if let path = request.scenarioPath { summary.scenarioFile = path }
      options.host = DepotMirror.host(of: store)
      let path = try ReportFiles.write(
        summary,
        kind(of: summary.run, scenario, in: store),
        to: directory,
        template: request.template,
        options: options
      )
      return Report(summary: summary, options: options, path: path, store: store)
    }
  }

  /// Concludes what is asked for; a host of a depot that fails keeps no other one away.
  private func judged(
    _ subjects: [(Store, String)],
    _ warn: ([Diagnostic]) -> Void
  ) throws -> ([(Store, String)], [TrendSummary]) {
    var found: [(Store, String)] = []
    var summaries: [TrendSummary] = []
    var failure: StoreError?
    for (store, scenario) in subjects {
      do {
        let workflow = TrendWorkflow(store: store, scenario: scenario)
        let summary = try workflow.summary(of: request.run, hindsight: request.hindsight)
        // The dashboard of the newest night has pictures always.
        let isDrawn =
          try request.options.hasCharts || kind(of: summary.run, scenario, in: store) == .newest
        summaries.append(try isDrawn ? workflow.illustrated(summary) : summary)
        found.append((store, scenario))
      } catch let error as StoreError {
        guard let host = DepotMirror.host(of: store) else { throw error }
        failure = error
        let reason = error.diagnostics.first?.problem ?? "its store is damaged"
        let problem = "host \(host) is left out of scenario \"\(scenario)\": \(reason)"
        warn([Diagnostic(.warning, id: "depot-unread-host", problem: problem)])
      }
    }
    if let failure, found.isEmpty { throw failure }
    return (found, summaries)
  }

  /// The files of an older night never replace those of the newest one.
  private func kind(
    of run: RunRecord,
    _ scenario: String,
    in store: Store
  ) throws -> ReportFiles.Kind {
    guard request.run != nil else { return .newest }
    let newest = try store.nights(scenario: scenario, .newest).last?.run
    return newest == run.id ? .newest : request.hindsight ? .hindsight : .record
  }

  /// What the hosts of a depot say together of a scenario, and the path of its Markdown.
  package struct HostsReport {
    package var summary: HostsSummary
    package var path: String
  }

  /// Writes a report over the hosts of each scenario that several hosts of a depot have nights of.
  ///
  /// There is none of an older night, since each host has runs of its own.
  ///
  /// - Parameter reports: Those of the hosts.
  /// - Returns: Ascending by the name of the scenario.
  /// - Throws: `HostError` when a directory cannot be made, or what writing a file throws.
  package func reports(overHostsOf reports: [Report]) throws -> [HostsReport] {
    guard request.run == nil else { return [] }
    let ofHosts = reports.filter { $0.options.host != nil }
    let groups = Dictionary(grouping: ofHosts, by: \.summary.scenario.name)
      .filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
    var taken: Set<String> = []
    return try groups.map { scenario, reports in
      let hosts = reports.map { HostsSummary.Host($0.options.host ?? "", $0.summary) }
      let proofs = try HostsProofs(
        of: scenario,
        nights: HostsProofs.nights(of: hosts),
        in: reports.map(\.store)
      )
      let summary = HostsSummary(scenario, of: hosts, proofs: proofs.series)
      var directory = hostsDirectory(of: scenario)
      while !taken.insert(directory).inserted { directory += "-" }
      try OwnPlace.makeWay(to: directory)
      let path = "\(directory)/latest.md"
      try WholeFile(path).write { try $0(HostsMarkdown(summary).rendered()) }
      return HostsReport(summary: summary, path: path)
    }
  }

  /// The directory that holds the reports of hosts, and those over hosts.
  private var top: String { request.output ?? "\(directory)/report" }

  private func hostsDirectory(of scenario: String) -> String {
    "\(top)/\(Self.hostsFolder)/\(ReportPlaces.folder(scenario))"
  }

  static let hostsFolder = "hosts"

  /// Compares what is written with what is read.
  private func check(
    _ directories: [String],
    stores: [Store],
    _ summaries: [TrendSummary]
  ) throws(WorkflowError) {
    var files = stores.reduce(request.files) { $0.keeping(store: $1.path) }
      .reading(request.scenarioPath, as: "the scenario")
      .reading(request.template, as: "the template")
    for (directory, summary) in zip(directories, summaries) {
      files = files.writing(report: directory)
        .reading(ReportNames.ownTemplate(of: summary.scenario), as: "the report's template")
    }
    if stores.contains(where: { DepotMirror.host(of: $0) != nil }) {
      for scenario in Set(summaries.map(\.scenario.name)).sorted() {
        files = files.writing(report: hostsDirectory(of: scenario), as: "the report over hosts")
      }
    }
    try files.check()
  }

  /// Lays out the reports of the stores, those of scenarios that are not asked for included.
  ///
  /// A directory that is stored may be gone, or be that of another machine, and is not made anew.
  private func places(in stores: [Store], _ file: Scenario?) throws -> ReportPlaces {
    var places = ReportPlaces()
    for store in stores {
      try places.add(store) { scenario, stored in
        if let host = DepotMirror.host(of: store) {
          return "\(top)/\(DepotMirror.folder(ofHost: host))/\(ReportPlaces.folder(scenario))"
        }
        if let output = request.output { return output }
        if let file, file.name == scenario { return "\(file.directory)/report" }
        let isDirectory = FileManager.default.fileExists(atPath: "\(stored)/.")
        return
          "\(isDirectory && !StoreLocation.isCopy(store.path, of: stored) ? stored : directory)/report"
      }
    }
    return places
  }

  private func subjects(_ file: Scenario?) throws -> [(Store, String)] {
    let stores: [Store]
    var name = request.scenario
    if let scenario = file {
      let store = StoreLocation.path(request.store, beside: scenario.directory)
      stores = try StoreLocation.stores(store, from: scenario.directory)
      name = name ?? scenario.name
    } else {
      stores = try StoreLocation.stores(request.store, from: directory)
    }
    let found = try stores.flatMap { store in
      try store.scenarios().filter { name == nil || $0 == name }.map { (store, $0) }
    }
    guard found.isEmpty else { return found }
    guard let name else { throw WorkflowError.nothingStored(store: stores[0].path) }
    throw WorkflowError.badOption(
      name: "--scenario",
      value: name,
      expected: "the name of a scenario that has a stored night; `launchlab history` lists them"
    )
  }

  /// Throws when none of the scenarios has the release that is asked for.
  private func checkRelease(in summaries: [TrendSummary]) throws(WorkflowError) {
    guard let name = request.options.release else { return }
    let known = summaries.flatMap { $0.scenario.releases ?? [] }.map(\.name)
    guard !known.contains(name) else { return }
    throw .badOption(
      name: "--release",
      value: name,
      expected: known.isEmpty
        ? "one that the scenario of the night names in its section `releases`; it names none"
        : "one of the section `releases`: \(known.joined(separator: ", "))"
    )
  }
}

/// Which reports are written, and where.
package struct ReportRequest: Sendable {
  /// The path of a scenario file; its store and its name are taken.
  package var scenarioPath: String?

  /// The SQLite file; nil means those of the working directory and right below.
  package var store: String?

  /// The name of the only scenario; nil means every one.
  package var scenario: String?

  /// The id of the night; nil means the newest one.
  package var run: String?

  /// Whether an older night is told of with what is known now.
  package var hindsight = false

  /// The directory of the report; nil means `report` beside the scenario, or in the working directory
  /// where that of the scenario is gone.
  package var output: String?

  /// The path of a mustache template.
  package var template: String?

  package var options: ReportOptions

  /// What is written besides, for it to be no file of a report.
  package var files = CommandFiles()

  package init(
    scenarioPath: String? = nil,
    store: String? = nil,
    scenario: String? = nil,
    run: String? = nil,
    output: String? = nil,
    template: String? = nil,
    options: ReportOptions = ReportOptions()
  ) {
    self.scenarioPath = scenarioPath
    self.store = store
    self.scenario = scenario
    self.run = run
    self.output = output
    self.template = template
    self.options = options
  }
}
