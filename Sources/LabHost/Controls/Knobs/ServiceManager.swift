import Foundation
import SystemPackage

/// What systemd tells of its units; it is only asked here.
///
/// Sources: systemctl(1), sd_booted(3).
struct ServiceManager {
  var tree: HostTree

  /// Whether systemd manages this machine.
  var isRunning: Bool { tree.names(in: "run/systemd").contains("system") && program != nil }

  /// The timers that are active, in order of their names.
  var activeTimers: [String] {
    let lines = output([
      "list-units", "--type=timer", "--state=active", "--plain", "--no-legend", "--no-pager",
    ])
    return lines.compactMap { $0.split(separator: " ").first.map { String($0) } }.sorted()
  }

  /// Whether there is such a unit; a masked one counts as none.
  func knows(_ unit: String) -> Bool { state(of: unit).first == "loaded" }

  func isActive(_ unit: String) -> Bool {
    ["active", "activating", "reloading", "refreshing"].contains(state(of: unit).last ?? "")
  }

  /// The load state and the active state, in this order.
  private func state(of unit: String) -> [String] {
    output(["show", "--property=LoadState", "--property=ActiveState", "--", unit])
      .sorted { first, _ in first.hasPrefix("LoadState=") }
      .map { $0.split(separator: "=").last.map { String($0) } ?? "" }
  }

  private var program: String? {
    ["usr/bin/systemctl", "bin/systemctl"].map { tree.root.appending($0).string }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// The lines that systemctl prints; none when it fails.
  private func output(_ arguments: [String]) -> [String] {
    guard let program else { return [] }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = ["LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    guard (try? process.run()) != nil else { return [] }
    let bytes = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: "\n").map { String($0) }
  }
}
