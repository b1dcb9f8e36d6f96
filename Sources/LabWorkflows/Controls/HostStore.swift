import Foundation

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
}
