import Foundation
import LabModel
import LabStore

/// Where launches are kept, and where stored ones are looked for.
package enum StoreLocation {
  private static let name = ".launchlab/launchlab.sqlite"

  /// The absolute path that was asked for, or the default one beside a scenario.
  package static func path(_ asked: String?, beside directory: String) -> String {
    guard let asked else { return "\(directory)/\(name)" }
    guard !asked.hasPrefix("/") else { return asked }
    return "\(FileManager.default.currentDirectoryPath)/\(asked)"
  }

  /// The stores to read: the one asked for, or those of a directory and the ones right below it.
  ///
  /// A scenario keeps its store beside itself, so a checkout with `Scenarios/` is read from its top.
  ///
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is none.
  static func stores(_ asked: String?, from directory: String) throws -> [Store] {
    try paths(asked, from: directory).map { try Store(path: $0, mode: .readOnly) }
  }

  /// The files of the stores: the one asked for, or those of a directory and the ones right below.
  ///
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is none.
  static func paths(_ asked: String?, from directory: String) throws -> [String] {
    let files = FileManager.default
    let paths: [String]
    if asked != nil {
      paths = [path(asked, beside: directory)]
    } else {
      let below = (try? files.contentsOfDirectory(atPath: directory).sorted()) ?? []
      paths = ["\(directory)/\(name)"] + below.map { "\(directory)/\($0)/\(name)" }
    }
    let found = paths.filter(files.fileExists(atPath:))
    guard !found.isEmpty else { throw WorkflowError.nothingStored(store: paths[0]) }
    return found
  }
}
