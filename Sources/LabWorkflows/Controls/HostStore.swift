import Foundation
import LabModel
import LabStore

/// Where what is known of the host itself is kept.
enum HostStore {
  /// The path that was asked for, or `launchlab/launchlab.sqlite` in the state directory of the user.
  ///
  /// - Parameters:
  ///   - asked: Absolute, or relative to the working directory.
  ///   - environment: A `XDG_STATE_HOME` that is not absolute is passed over, as the XDG Base
  ///     Directory Specification wants it.
  /// - Returns: An absolute path.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` when there is no home directory.
  static func path(_ asked: String?, environment: [String: String]) throws -> String {
    if let asked {
      return StoreLocation.path(asked, beside: FileManager.default.currentDirectoryPath)
    }
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    guard let directory = state ?? home.map({ "\($0)/.local/state" }) else {
      throw WorkflowError.badOption(
        name: "HOME",
        value: environment["HOME"] ?? "",
        expected: "an absolute HOME, or name the file with --store"
      )
    }
    return "\(directory)/launchlab/launchlab.sqlite"
  }

  /// What self-tests have found of a host, the newest of each state and command; empty when there
  /// was none, or it cannot be read.
  static func noise(of fingerprint: String) -> [HostNoise] {
    let environment = ProcessInfo.processInfo.environment
    guard let path = try? path(nil, environment: environment),
      FileManager.default.fileExists(atPath: path),
      let store = try? Store(path: path, mode: .readOnly)
    else { return [] }
    return (try? store.noise(fingerprint: fingerprint)) ?? []
  }
}
