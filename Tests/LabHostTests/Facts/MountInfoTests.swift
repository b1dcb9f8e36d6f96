import SystemPackage
import Testing

@testable import LaunchHost

@Suite struct MountInfoTests {
  static let mounts = MountInfo(
    text: """
      29 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
      31 29 259:3 / /home rw,relatime - ext4 /dev/nvme0n1p3 rw
      35 29 0:24 / /tmp rw,nosuid shared:4 master:2 - tmpfs tmpfs rw
      36 29 0:25 / /mnt/with\\040space rw - nfs4 server:/export rw
      37 31 0:26 / /home rw - overlay overlay rw
      38 29 broken
      """
  )

  @Test(arguments: [
    ("/usr/bin/perl", "ext4"), ("/tmp", "tmpfs"), ("/tmp/x/y", "tmpfs"), ("/tmpfile", "ext4"),
    ("/mnt/with space/a", "nfs4"), ("/home/me", "overlay"),
  ])
  func `finds the deepest and the last mount`(path: String, type: String) {
    #expect(Self.mounts.mount(holding: FilePath(path))?.type == type)
  }

  @Test func `knows what stays in memory and what lies elsewhere`() {
    #expect(Self.mounts.mount(holding: "/tmp")?.isInMemory == true)
    #expect(Self.mounts.mount(holding: "/usr")?.isInMemory == false)
    #expect(Self.mounts.mount(holding: "/mnt/with space")?.isIndirect == true)
  }
}
