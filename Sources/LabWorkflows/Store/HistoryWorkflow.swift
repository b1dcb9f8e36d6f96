import Foundation
package import LabModel
import LabStore

/// Lists what was run.
package struct HistoryWorkflow {
  private let stores: [Store]

  /// - Parameter store: The SQLite file; nil means those of the working directory and right below.
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is no store, and `StoreError`.
  package init(store: String?) throws {
    stores = try StoreLocation.stores(store, from: FileManager.default.currentDirectoryPath)
  }

  /// The stores that are read, for the output to be compared with.
  package var files: CommandFiles { stores.reduce(CommandFiles()) { $0.keeping(store: $1.path) } }

  /// The stored runs, newest first; removed ones only if that is asked for.
  package func runs(
    limit: Int,
    scenario: String?,
    includesRemoved: Bool = false
  ) throws -> [RunListing] {
    let runs = try stores.flatMap {
      try $0.runs(limit: limit, scenario: scenario, includesRemoved: includesRemoved)
    }
    return Array(runs.sorted { $0.startedAt > $1.startedAt }.prefix(limit))
  }
}
