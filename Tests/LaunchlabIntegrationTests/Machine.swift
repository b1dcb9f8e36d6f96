import Foundation
import Glibc

/// What this machine allows a test to do.
enum Machine {
  static let isRoot = geteuid() == 0

  /// Whether small file systems can be mounted.
  static let canMount = isRoot && has("mount")

  /// Whether the state reboot-cold can be had; a container may have it read-only.
  static let canDropCaches = FileManager.default.isWritableFile(
    atPath: "/proc/sys/vm/drop_caches"
  )

  /// Whether launchlab can be run as the user `nobody`, from a directory that everybody may read.
  static let canBecomeNobody = isRoot && has("setpriv")

  /// Whether users without rights may make namespaces, so that `nobody` can have a network apart.
  static let usersCanMakeNamespaces: Bool = {
    let change = isRoot ? ["--reuid=65534", "--regid=65534", "--clear-groups"] : []
    return (try? Tool.run("setpriv", change + ["unshare", "-Un", "true"], in: "/").status) == 0
  }()

  static let hasMemoryFileSystem = (try? isInMemory("/dev/shm")) == true

  /// Whether temporary directories are on a disk, so that files there can be cold.
  static let isTemporaryDirectoryOnDisk =
    (try? isInMemory(FileManager.default.temporaryDirectory.path)) == false

  /// Whether a program is in PATH.
  static func has(_ program: String) -> Bool {
    (try? Tool.run("sh", ["-c", "command -v \(program)"]).status) == 0
  }

  private static func isInMemory(_ path: String) throws -> Bool {
    let type = try Tool.run("stat", ["--file-system", "--format=%T", path]).stdout
    return ["tmpfs", "ramfs"].contains(type.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// A TCP port of the loopback that nobody listens on.
  static func freePort() throws -> Int {
    let source = """
      my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1:0"); print $s->sockport
      """
    let port = try Tool.run("perl", ["-MIO::Socket::INET", "-e", source]).stdout
    guard let port = Int(port) else { throw CocoaError(.featureUnsupported) }
    return port
  }
}

/// A memory file system of a fixed size, mounted on a directory.
struct SmallDisk {
  let path: String

  init(at path: String, kilobytes: Int) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    _ = try Tool.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path])
  }

  /// Changes the size, or makes it read-only.
  func remount(_ option: String) throws {
    _ = try Tool.run("mount", ["-o", "remount,\(option)", path])
  }

  func unmount() { _ = try? Tool.run("umount", ["--lazy", path]) }
}
