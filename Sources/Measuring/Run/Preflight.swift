import Foundation
package import LaunchCore
import LaunchHost
import LaunchStore

/// Where what is known of the host itself is kept.
package enum HostStore {
  /// The path that was asked for, or `launchlab/launchlab.sqlite` in the state directory of the user.
  ///
  /// - Parameters:
  ///   - asked: Absolute, or relative to the working directory.
  ///   - context: A `XDG_STATE_HOME` that is not absolute is passed over, as the XDG Base Directory
  ///     Specification wants it.
  /// - Returns: An absolute path.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` when there is no home directory.
  package static func path(_ asked: String?, in context: WorkflowContext) throws -> String {
    if let asked { return StoreLocation.path(asked, beside: context.directory) }
    let directory = try context.directory(
      .state,
      else: "an absolute HOME, or name the file with --store"
    )
    return "\(directory)/launchlab.sqlite"
  }

  /// What self-tests have found of a host, the newest of each state and command; empty when there
  /// was none, or it cannot be read.
  package static func noise(of fingerprint: String, in context: WorkflowContext) -> [HostNoise] {
    guard let path = try? path(nil, in: context),
      FileManager.default.fileExists(atPath: path),
      let store = try? Store(path: path, mode: .readOnly)
    else { return [] }
    return (try? store.noise(fingerprint: fingerprint)) ?? []
  }
}

/// What is known of a host that makes the numbers of a run worse, and that nobody has suppressed.
package struct Preflight {
  private let plan: Plan

  init(plan: Plan) { self.plan = plan }

  var warnings: [Diagnostic] {
    let suppressed = plan.scenario.controls?.suppressed ?? []
    return Doctor.preflight(for: plan).filter { !suppressed.contains($0.id) }
      .compactMap(\.warning)
  }

  /// Refuses ids that do not exist, and names the nearest one.
  package static func check(_ suppressed: some Sequence<String>) throws(WorkflowError) {
    guard let unknown = suppressed.first(where: { !Doctor.ids.contains($0) }) else { return }
    throw .badOption(
      name: "--suppress",
      value: unknown,
      expected: nearestWord(to: unknown, in: Doctor.ids)
        ?? "one of: \(Doctor.ids.joined(separator: ", "))"
    )
  }
}
