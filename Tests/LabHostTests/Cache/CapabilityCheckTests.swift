import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct CapabilityCheckTests {
  private var root: String { TemporaryDirectory.path }

  private static let mounts = MountInfo(
    text: """
      1 0 8:1 / / rw - ext4 /dev/sda1 rw
      2 1 0:9 / /memory rw - tmpfs tmpfs rw
      3 1 0:10 / /layers rw - overlay overlay rw
      """
  )

  private func check(canDrop: Bool) throws -> CapabilityCheck {
    if canDrop {
      try TestMachine.shell("mkdir -p proc/sys/vm; : > proc/sys/vm/drop_caches", in: root)
    }
    var check = CapabilityCheck()
    check.pageCache = PageCache(root: FilePath(root))
    check.mounts = Self.mounts
    return check
  }

  @Test func `refuses reboot-cold without the right to drop caches`() throws {
    let refusals = try check(canDrop: false).refusals(of: [.warm, .rebootCold], for: [])
    #expect(
      refusals.flatMap(\.diagnostics).map(\.description) == [
        """
        error: cannot reach the state "reboot-cold" without the right to drop caches
          at: \(root)/proc/sys/vm/drop_caches
          help: run as root (a container takes `--privileged`), or use the state `reinstall-cold`
        """
      ]
    )
    #expect(try check(canDrop: true).refusals(of: [.warm, .rebootCold], for: []).isEmpty)
  }

  @Test func `refuses a cold state of an own file in memory`() throws {
    let files = [
      WatchedFile(path: "/memory/tool", isOwn: true),
      WatchedFile(path: "/memory/library", isOwn: false),
      WatchedFile(path: "/usr/bin/tool", isOwn: true),
    ]
    let check = try check(canDrop: true)
    let refusals = check.refusals(of: [.warm, .reinstallCold], for: files).flatMap(\.diagnostics)
    #expect(
      refusals.map(\.problem) == [
        "\"/memory/tool\" lies on tmpfs, in memory, and has no state \"reinstall-cold\""
      ]
    )
    #expect(check.refusals(of: [.warm], for: files).isEmpty)
  }

  @Test func `notes own files on a stacked file system`() throws {
    let files = [WatchedFile(path: "/layers/tool", isOwn: true)]
    #expect(try check(canDrop: true).notes(on: files).map(\.id) == ["indirect-file-system"])
    #expect(
      try check(canDrop: true).notes(on: [WatchedFile(path: "/x", isOwn: true)]).isEmpty
    )
  }

  @Test func `can verify the files of its own user`() throws {
    try TestMachine.shell("echo x > file", in: root)
    let files = [WatchedFile(path: FilePath("\(root)/file"), isOwn: true)]
    #expect(try check(canDrop: false).unverified(files) == nil)
  }
}
