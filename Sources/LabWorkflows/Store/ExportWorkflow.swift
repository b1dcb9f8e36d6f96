import Foundation
import LabModel
import LabReport
import LabStore

/// Writes every launch of stored runs.
package struct ExportWorkflow {
  private let stores: [Store]

  /// - Parameter store: The SQLite file; nil means those of the working directory and right below.
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is no store, and `StoreError`.
  package init(store: String?) throws {
    stores = try StoreLocation.stores(store, from: FileManager.default.currentDirectoryPath)
  }

  /// Writes the launches of a run, or of all runs, oldest first.
  ///
  /// - Parameters:
  ///   - id: The id of a run, or its beginning; nil means the newest one.
  ///   - all: Whether every run is written.
  ///   - isCSV: CSV rather than JSON lines.
  ///   - sink: Takes the text in pieces.
  /// - Throws: ``WorkflowError`` when no run, or more than one, is meant; `StoreError`; and what
  ///   `sink` throws.
  package func write(
    _ id: String?,
    all: Bool,
    asCSV isCSV: Bool,
    to sink: (String) throws -> Void
  ) throws {
    if isCSV { try sink(LaunchCSV.header) }
    for (store, run) in try selected(id, all: all) {
      let lines = LaunchLines(run)
      let rows = LaunchCSV(run)
      let symbols = try store.symbols(of: run.id)
      try store.forEachLaunch(of: run.id) { launch in
        var launch = launch
        launch.stages = launch.stages?.naming(symbols)
        try sink(isCSV ? rows.line(for: launch) : lines.line(for: launch))
      }
    }
  }

  private func selected(_ id: String?, all: Bool) throws -> [(Store, RunRecord)] {
    var listed: [(store: Store, run: RunListing)] = []
    for store in stores {
      for run in try store.runs(limit: nil, scenario: nil) {
        guard id.map(run.id.hasPrefix) ?? true else { continue }
        listed.append((store, run))
      }
    }
    listed.sort { $0.run.startedAt < $1.run.startedAt }
    if !all { listed = try [only(id, of: listed)] }
    return try listed.map { ($0.store, try $0.store.run($0.run.id)) }
  }

  /// The run that is meant when one is: the newest, or the only one whose id begins as given.
  private func only(
    _ id: String?,
    of listed: [(store: Store, run: RunListing)]
  ) throws -> (store: Store, run: RunListing) {
    guard let newest = listed.last else {
      guard let id else { throw WorkflowError.nothingStored(store: stores[0].path) }
      throw WorkflowError.unknownRun(id)
    }
    guard id != nil, listed.count > 1 else { return newest }
    if let exact = listed.first(where: { $0.run.id == id }) { return exact }
    throw WorkflowError.ambiguousRun(id ?? "", candidates: listed.map(\.run.id))
  }
}
