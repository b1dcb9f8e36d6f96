import Foundation
import LabModel

/// Where bisections are kept: a directory each, beside the store.
struct BisectLocation {
  /// The absolute path of the directory of the store.
  let storeDirectory: String

  /// The absolute path of the directory of all bisections.
  var directory: String { "\(storeDirectory)/bisect" }

  init(storeDirectory: String) { self.storeDirectory = storeDirectory }

  /// Finds the place beside a store.
  ///
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for a store that is a directory.
  init(besideStore path: String) throws(WorkflowError) {
    var isDirectory: ObjCBool = false
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    guard !path.hasSuffix("/"), !(exists && isDirectory.boolValue) else {
      let directory = path.hasSuffix("/") ? path : path + "/"
      throw .badOption(
        name: "--store",
        value: path,
        expected: "the path of a file, such as \(directory)launchlab.sqlite"
      )
    }
    self.init(storeDirectory: (path as NSString).deletingLastPathComponent)
  }

  /// The log of a bisection.
  func log(of id: String) -> String { "\(directory)/\(id)/log.jsonl" }

  /// Where the culprit report goes.
  func report(of id: String) -> String { "\(directory)/\(id)/report.md" }

  /// The ids of all bisections, the newest last.
  var ids: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { FileManager.default.fileExists(atPath: log(of: $0)) }.sorted()
  }

  /// The one bisection whose id begins with some digits; `last` means the newest.
  ///
  /// - Throws: ``WorkflowError/unknownBisection(id:problem:newest:)``.
  func id(_ name: String) throws -> String {
    let ids = ids
    if name == "last", let last = ids.last { return last }
    let found = ids.filter { $0.hasPrefix(name) }
    if found.contains(name) { return name }
    guard found.count == 1 else {
      let newest = ids.suffix(3).joined(separator: ", ")
      throw WorkflowError.unknownBisection(
        id: name,
        problem: found.isEmpty
          ? "there is no such bisection in \(directory)" : "\(found.count) begin with it",
        newest: newest
      )
    }
    return found[0]
  }
}
