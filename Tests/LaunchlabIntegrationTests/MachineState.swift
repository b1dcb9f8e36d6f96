import Foundation
import Glibc

/// What launchlab may change of a machine, as it stands.
struct MachineState: Equatable {
  /// The values of the knobs that this machine lets one set, by path.
  let knobs: [String: String]

  /// The cpusets and cgroups that bear launchlab's name.
  let groups: [String]

  let networkNamespaces: Int
  let mounts: String

  static let knobPaths = [
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/proc/sys/vm/swappiness",
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/kernel/nmi_watchdog",
  ]

  static var now: Self {
    Self(
      knobs: knobPaths.reduce(into: [:]) { $0[$1] = text(at: $1) },
      groups: groups,
      networkNamespaces: Set(ProcessTable.ids.compactMap(networkNamespace(of:))).count,
      mounts: text(at: "/proc/self/mountinfo")
    )
  }

  static func text(at path: String) -> String {
    let bytes = FileManager.default.contents(atPath: path) ?? Data()
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Writes a knob as launchlab found it, or another value.
  static func set(_ path: String, to value: String) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    try file.write(contentsOf: Data(value.utf8))
  }

  private static var groups: [String] {
    ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/cpuset"].flatMap { parent in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
      return names.filter { $0.hasPrefix("launchlab-") }.map { "\(parent)/\($0)" }
    }
  }

  private static func networkNamespace(of pid: pid_t) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/ns/net")
  }
}
