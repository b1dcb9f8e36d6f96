import Glibc
import LabModel
import SystemPackage

/// Records which files a launch opens, by way of the program `watcher`.
struct FileRecorder {
  /// The watcher, which becomes the target.
  private let watcher: String

  /// Where the records go, in a private directory.
  private let records: FilePath

  /// - Parameter directory: A private directory that the target can reach.
  /// - Throws: ``HostError/system(operation:path:errno:)`` when the watcher cannot be unpacked.
  init(in directory: FilePath) throws(HostError) {
    watcher = try EmbeddedHelper.watcher.unpacked()
    records = directory.appending("records")
  }

  /// The words that launch a program under the watcher.
  ///
  /// - Parameters:
  ///   - program: The absolute path of the program.
  ///   - arguments: All of `argv`.
  /// - Returns: The program to launch, and all of its `argv`.
  func command(
    _ program: String,
    _ arguments: [String]
  ) -> (program: String, arguments: [String]) {
    (watcher, [watcher, records.string, program] + arguments)
  }

  /// Makes ready for a launch: the file is there and empty.
  func begin() throws(HostError) {
    let descriptor = unsafe records.withPlatformString {
      unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
    guard descriptor >= 0 else {
      throw .system(operation: "make the file", path: records.string, errno: errno)
    }
    close(descriptor)
  }

  /// Reads what was recorded, and removes it.
  func end() -> FileRecords {
    defer { _ = unsafe records.withPlatformString { unsafe unlink($0) } }
    return FileRecords(HostTree().bytes(at: records.string) ?? [])
  }
}
