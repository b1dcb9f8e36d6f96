import Foundation
package import LabAnalysis
import LabReport

/// Compares the self-tests of several hosts, as each exported its own with `--json`.
package struct StabilityWorkflow {
  private let paths: [String]

  /// - Parameter paths: Files that `selftest --json` wrote.
  package init(paths: [String]) { self.paths = paths }

  /// Ranks the hosts, those that launched different commands apart.
  ///
  /// - Throws: ``WorkflowError`` when a file cannot be read, or holds something else.
  package func rankings() throws -> [StabilityRanking] {
    StabilityRanking.rankings(of: try paths.map(host))
  }

  private func host(_ path: String) throws -> HostStability {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw WorkflowError.cannotRead(path: path, reason: error.localizedDescription)
    }
    do throws(SelfTestDocument.Problem) {
      return try SelfTestDocument.host(data, name: path)
    } catch {
      throw WorkflowError.notASelfTest(path: path, reason: Self.reason(of: error))
    }
  }

  private static func reason(of problem: SelfTestDocument.Problem) -> String {
    switch problem {
    case .notJSON: "it is no JSON text"
    case .otherKind(nil): "it names no schema"
    case .otherKind(let schema?): "its schema is \"\(schema)\", not \"\(SelfTestDocument.schema)\""
    case .damaged(let reason): reason
    }
  }
}
