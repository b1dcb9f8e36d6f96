import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct BlockDiskTests {
  @Test func `names a disk by its model and size`() throws {
    #expect(try MachineTree().facts.storage == "Samsung SSD 860, 466 GiB")
  }

  @Test func `looks through a volume at the disks below`() throws {
    let machine = try MachineTree()
    try machine.write("253:0", to: "sys/block/dm-0/dev")
    try machine.write("vg-root", to: "sys/block/dm-0/dm/name")
    try machine.write("512", to: "sys/block/dm-0/queue/read_ahead_kb")
    try machine.write("", to: "sys/block/dm-0/slaves/sda2/dev")
    try machine.write(
      "27 1 253:0 / / rw - ext4 /dev/mapper/vg-root rw",
      to: "proc/self/mountinfo"
    )
    let facts = machine.facts
    #expect(facts.storage == "Samsung SSD 860, 466 GiB")
    #expect(facts.readAheadKilobytes == 512)
    #expect(facts.ioScheduler == "mq-deadline")
  }

  @Test func `finds the volume of a file system with a number of its own by its name`() throws {
    let machine = try MachineTree()
    try machine.write("253:0", to: "sys/block/dm-0/dev")
    try machine.write("vg-root", to: "sys/block/dm-0/dm/name")
    try machine.write("2097152", to: "sys/block/dm-0/size")
    try machine.write(
      "27 1 0:31 / / rw - btrfs /dev/mapper/vg-root rw",
      to: "proc/self/mountinfo"
    )
    #expect(machine.facts.storage == "1 GiB")
  }

  @Test func `names a loop device by its file`() throws {
    let machine = try MachineTree()
    try machine.write("7:3", to: "sys/block/loop3/dev")
    try machine.write("/var/lib/tool.img", to: "sys/block/loop3/loop/backing_file")
    try machine.write("27 1 7:3 / / ro - squashfs /dev/loop3 ro", to: "proc/self/mountinfo")
    #expect(machine.facts.storage == "loop of /var/lib/tool.img")
  }

  @Test func `tells file systems without a disk apart by their source`() throws {
    let machine = try MachineTree()
    try machine.write("27 1 0:40 / / rw - nfs4 server:/a rw", to: "proc/self/mountinfo")
    try machine.write("15360", to: "sys/class/bdi/0:40/read_ahead_kb")
    let facts = machine.facts
    #expect(facts.storage == nil)
    #expect(facts.readAheadKilobytes == 15_360)
    try machine.write("27 1 0:40 / / rw - nfs4 server:/b rw", to: "proc/self/mountinfo")
    #expect(machine.fingerprint != facts.fingerprint)
  }

  @Test func `does not tell unknown disks apart by names that may swap`() throws {
    let machine = try MachineTree()
    try machine.remove("sys/block/sda/device")
    try machine.remove("sys/block/sda/size")
    let before = machine.fingerprint
    try machine.write("27 1 8:2 / / rw - ext4 /dev/sdb2 rw", to: "proc/self/mountinfo")
    #expect(machine.fingerprint == before)
  }
}

@Suite struct MemorySizeTests {
  /// What the kernel manages of installed memory, as seen on real machines, in KiB.
  @Test(arguments: [
    (985_412, 1_024), (2_014_440, 2_048), (3_905_796, 3_840), (7_864_320 + 100, 8_192),
    (16_218_540, 16_384), (24_684_096, 24_576), (32_775_412, 32_768), (65_748_000, 65_536),
    (131_800_000, 131_072), (528_300_000, 524_288),
  ])
  func `rounds to what is installed`(kibibytes: Int, mebibytes: Int) {
    #expect(MemorySize.roundedMebibytes(Int64(kibibytes) << 10) == Int64(mebibytes))
  }

  @Test func `takes tiny sizes`() {
    #expect(MemorySize.roundedMebibytes(1) == 8)
    #expect(MemorySize.roundedMebibytes(0) == 8)
  }
}
