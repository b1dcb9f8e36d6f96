import Foundation
import LaunchCore
import LaunchStore
package import Measuring

/// What is exported of a store.
package struct ExportRequest: Sendable {
  package var subject: Subject

  /// The id of a run, or its beginning; nil means the newest one for launches, and every one
  /// otherwise.
  package var run: String?

  /// Whether the launches of every run are written.
  package var all: Bool

  /// The name of the only scenario; nil means every one.
  package var scenario: String?

  package var format: Format

  package init(
    subject: Subject = .launches,
    run: String? = nil,
    all: Bool = false,
    scenario: String? = nil,
    format: Format = .jsonl
  ) {
    self.subject = subject
    self.run = run
    self.all = all
    self.scenario = scenario
    self.format = format
  }

  /// What the lines are; the raw value is the name on the command line.
  package enum Subject: String, CaseIterable, Sendable {
    /// Every launch of one run or of all.
    case launches

    /// The summaries that trends read: one per night, target, state and metric.
    case nights

    /// Every alert with what happened to it.
    case alerts
  }

  /// How it is written; the raw value is the name on the command line.
  package enum Format: String, CaseIterable, Sendable {
    /// JSON lines, one object each.
    case jsonl

    /// Comma-separated values with a header, of what holds no lists.
    case csv
  }
}

/// Writes what is stored, line by line.
package struct ExportWorkflow {
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

  /// Writes what is asked for, of each store the oldest first.
  ///
  /// - Parameters:
  ///   - request: What is written, and how.
  ///   - sink: Takes the text in pieces.
  /// - Throws: ``WorkflowError`` when no run, or more than one, is meant, when the scenario has no
  ///   night, or when alerts are asked for as CSV; `StoreError`; and what `sink` throws.
  package func write(_ request: ExportRequest, to sink: (String) throws -> Void) throws {
    switch request.subject {
    case .launches:
      try StoreLocation.check(request.scenario, in: stores)
      try writeLaunches(request, to: sink)
    case .nights:
      try check(request.scenario)
      try writeNights(request, to: sink)
    case .alerts:
      try check(request.scenario)
      try writeAlerts(request, to: sink)
    }
  }

  /// Throws when a scenario is named that has no night.
  private func check(_ scenario: String?) throws {
    let known = try stores.flatMap { try $0.scenarios() }
    guard let scenario, !known.contains(scenario) else { return }
    throw WorkflowError.badOption(
      name: "--scenario",
      value: scenario,
      expected: known.isEmpty
        ? "none, since there is no night" : "one that has nights, such as \(known[0])"
    )
  }

  private func writeLaunches(
    _ request: ExportRequest,
    to sink: (String) throws -> Void
  ) throws {
    if request.format == .csv { try sink(LaunchCSV.header) }
    for (store, id) in try selected(request) {
      let run = try store.run(id)
      let lines = LaunchLines(run)
      let rows = LaunchCSV(run)
      let symbols = try store.symbols(of: run.id)
      try store.forEachLaunch(of: run.id) { launch in
        var launch = launch
        launch.stages = launch.stages?.naming(symbols)
        try sink(request.format == .csv ? rows.line(for: launch) : lines.line(for: launch))
      }
    }
  }

  private func writeNights(
    _ request: ExportRequest,
    to sink: (String) throws -> Void
  ) throws {
    if request.format == .csv { try sink(NightCSV.header) }
    let lines = NightLines()
    let rows = NightCSV()
    func write(_ row: NightRow) throws {
      try sink(request.format == .csv ? rows.line(for: row) : lines.line(for: row))
    }
    if request.run != nil {
      for (store, id) in try selected(request) { try store.forEachNightRow(run: id, write) }
    } else {
      for store in stores { try store.forEachNightRow(scenario: request.scenario, write) }
    }
  }

  private func writeAlerts(
    _ request: ExportRequest,
    to sink: (String) throws -> Void
  ) throws {
    guard request.format != .csv else {
      throw WorkflowError.notTabular(what: "alerts", format: "CSV")
    }
    let lines = AlertLines()
    for store in stores {
      let deliveries = Dictionary(
        grouping: try store.deliveries(scenario: request.scenario),
        by: \.alert
      )
      for alert in try store.alerts(scenario: request.scenario) {
        try sink(lines.line(for: alert, deliveries: deliveries[alert.number] ?? []))
      }
    }
  }
}

// MARK: - Runs

extension ExportWorkflow {
  private func selected(_ request: ExportRequest) throws -> [(store: Store, id: String)] {
    var listed: [(store: Store, id: String, startedAt: Date)] = []
    for store in stores {
      let runs = try store.runIDs(
        scenario: request.scenario,
        beginning: request.run ?? "",
        limit: request.all || request.run != nil ? nil : 1
      )
      listed += runs.map { (store, $0.id, $0.startedAt) }
    }
    listed.sort { $0.startedAt < $1.startedAt }
    let chosen = listed.map { (store: $0.store, id: $0.id) }
    return request.all ? chosen : [try only(request.run, of: chosen)]
  }

  /// The run that is meant when one is: the newest, or the only one whose id begins as given.
  private func only(
    _ id: String?,
    of listed: [(store: Store, id: String)]
  ) throws -> (store: Store, id: String) {
    guard let newest = listed.last else {
      guard let id else { throw WorkflowError.nothingStored(store: stores[0].path) }
      throw WorkflowError.unknownRun(id)
    }
    guard let id, listed.count > 1 else { return newest }
    if let exact = listed.first(where: { $0.id == id }) { return exact }
    throw WorkflowError.ambiguousRun(id, candidates: listed.map(\.id))
  }
}
