import Foundation

/// What launchlab may change of a machine for all who use it, as it stands.
struct MachineState: Equatable {
  /// The values of the knobs that this machine lets one set, by path.
  let knobs: [String: String]

  /// The mounts that have something to do with launchlab, or hold a namespace.
  let mounts: [String]

  static let knobPaths = [
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/proc/sys/vm/swappiness",
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/kernel/nmi_watchdog",
  ]

  static var now: Self {
    Self(
      knobs: knobPaths.reduce(into: [:]) { $0[$1] = text(at: $1) },
      mounts: text(at: "/proc/self/mountinfo").split(separator: "\n")
        .filter { $0.contains(".launchlab/") || $0.contains(" nsfs ") }.map { String($0) }
    )
  }

  static func text(at path: String) -> String {
    let bytes = FileManager.default.contents(atPath: path) ?? Data()
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  static func set(_ path: String, to value: String) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    try file.write(contentsOf: Data(value.utf8))
  }
}
