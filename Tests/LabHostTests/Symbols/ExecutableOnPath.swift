import Foundation

/// Programs that a test needs, where the shell would find them.
enum ExecutableOnPath {
  static func exists(_ name: String) -> Bool { path(name) != nil }

  static func path(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
