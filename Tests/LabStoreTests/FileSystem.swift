import Foundation

/// A small file system in memory, mounted for one test.
struct FileSystem {
  let path: String

  /// Whether this process may mount.
  static let canMount: Bool = {
    let path = NSTemporaryDirectory() + "launchlab-mount-\(UUID().uuidString)"
    guard let probe = try? FileSystem(at: path, kilobytes: 64) else { return false }
    probe.unmount()
    return true
  }()

  init(at path: String, kilobytes: Int) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Self.run("mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path)
  }

  func grow(toKilobytes kilobytes: Int) throws {
    try Self.run("mount", "-o", "remount,size=\(kilobytes)k", path)
  }

  func makeReadOnly() throws { try Self.run("mount", "-o", "remount,ro", path) }

  func unmount() {
    try? Self.run("umount", "--lazy", path)
    try? FileManager.default.removeItem(atPath: path)
  }

  private static func run(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteNoPermission) }
  }
}
