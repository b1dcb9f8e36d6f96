import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// What a machine may do to its files without becoming another one, and what makes it another one.
@Suite(.temporaryDirectory) struct FingerprintSurvivalTests {
  /// One change of the files of a machine.
  struct Change: CustomTestStringConvertible, Sendable {
    let name: String
    let apply: @Sendable (MachineTree) throws -> Void
    var testDescription: String { name }

    init(_ name: String, _ apply: @escaping @Sendable (MachineTree) throws -> Void) {
      self.name = name
      self.apply = apply
    }
  }

  @Test(arguments: [
    Change("nothing") { _ in },
    Change("the boot id") {
      try $0.write("2f9d0a44-3b0f-4d52-9a3c-2f7a9f1c0b11", to: "proc/sys/kernel/random/boot_id")
    },
    Change("the time since the boot") { try $0.write("12.31 20.05", to: "proc/uptime") },
    Change("other processes") { try $0.write("(systemd) S 0", to: "proc/4242/stat") },
    Change("the load") { try $0.write("7.11 3.02 1.10 9/400 9999", to: "proc/loadavg") },
    Change("a measured clock") {
      try $0.replace("cpu MHz\t\t: 800.031", with: "cpu MHz\t\t: 3900.002", in: "proc/cpuinfo")
    },
    Change("bogomips, which are measured too") {
      try $0.replace("bogomips\t: 4800.00", with: "bogomips\t: 4799.92", in: "proc/cpuinfo")
    },
    Change("the present clock") {
      try $0.write("3900002", to: "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq")
    },
    Change("a few pages of memory") {
      try $0.write("MemTotal:       16212344 kB", to: "proc/meminfo")
    },
    Change("memory that the hypervisor has taken back") {
      try $0.write("MemTotal:        9999999 kB", to: "proc/meminfo")
    },
    Change("the disks found in another order") {
      try $0.move("sys/block/sda", to: "sys/block/sdb")
      try $0.move("sys/block/sdb/sda2", to: "sys/block/sdb/sdb2")
      try $0.write("8:18", to: "sys/block/sdb/sdb2/dev")
      try $0.write("27 1 8:18 / / rw - ext4 /dev/sdb2 rw", to: "proc/self/mountinfo")
    },
    Change("more loop devices") {
      try $0.write("7:9", to: "sys/block/loop9/dev")
      try $0.write("0", to: "sys/block/loop9/queue/read_ahead_kb")
    },
    Change("an agent that reclaims idle pages") {
      try $0.write("Y", to: "sys/module/damon_reclaim/parameters/enabled")
    },
  ])
  func `stays over a reboot and a measured clock`(_ change: Change) throws {
    let machine = try MachineTree()
    let before = machine.fingerprint
    try change.apply(machine)
    #expect(machine.fingerprint == before)
  }

  @Test(arguments: [
    Change("the release of the kernel") {
      try $0.write("6.1.0-26-amd64", to: "proc/sys/kernel/osrelease")
    },
    Change("the build of the kernel") {
      try $0.write("#1 SMP Debian 6.1.106-4", to: "proc/sys/kernel/version")
    },
    Change("microcode") {
      try $0.replace("microcode\t: 0xf6", with: "microcode\t: 0xf8", in: "proc/cpuinfo")
    },
    Change("the microcode of one processor") {
      let text = try #require($0.text(at: "proc/cpuinfo"))
      let last = try #require(text.ranges(of: "0xf6").last)
      try $0.write(text.replacingCharacters(in: last, with: "0xf8"), to: "proc/cpuinfo")
    },
    Change("the model of the processor") {
      try $0.replace("i5-6300U CPU @ 2.40GHz", with: "i7-6600U CPU @ 2.60GHz", in: "proc/cpuinfo")
    },
    Change("a processor less") {
      let text = try #require($0.text(at: "proc/cpuinfo"))
      let last = try #require(text.ranges(of: "\n\n").first)
      try $0.write(String(text[last.upperBound...]), to: "proc/cpuinfo")
    },
    Change("the governor") {
      try $0.write("performance", to: "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    },
    Change("memory") { machine in
      for number in 0..<64 {
        try machine.write("1", to: "sys/devices/system/memory/memory\(number)/online")
      }
    },
    Change("the file system") {
      try $0.write("27 1 8:2 / / rw - xfs /dev/sda2 rw", to: "proc/self/mountinfo")
    },
    Change("the model of the disk") {
      try $0.write("CT500MX500SSD1", to: "sys/block/sda/device/model")
    },
    Change("the size of the disk") { try $0.write("1953525168", to: "sys/block/sda/size") },
    Change("read-ahead") { try $0.write("4096", to: "sys/block/sda/queue/read_ahead_kb") },
    Change("the scheduler of the disk") {
      try $0.write("none mq-deadline [bfq]", to: "sys/block/sda/queue/scheduler")
    },
    Change("a hypervisor") { try $0.write("xen", to: "sys/hypervisor/type") },
  ])
  func `changes with the machine`(_ change: Change) throws {
    let machine = try MachineTree()
    let before = machine.fingerprint
    try change.apply(machine)
    #expect(machine.fingerprint != before)
  }
}

/// The files of a machine in the directory of the test.
struct MachineTree: Sendable {
  let root: FilePath

  init() throws {
    root = FilePath(TemporaryDirectory.path)
    let processor = """
      vendor_id\t: GenuineIntel
      model name\t: Intel(R) Core(TM) i5-6300U CPU @ 2.40GHz
      microcode\t: 0xf6
      cpu MHz\t\t: 800.031
      flags\t\t: fpu vme tsc
      bogomips\t: 4800.00
      """
    let processors = (0..<2).map { "processor\t: \($0)\n\(processor)" }
    let files = [
      "proc/cpuinfo": processors.joined(separator: "\n\n"),
      "proc/meminfo": "MemTotal:       16212340 kB",
      "proc/self/mountinfo": "27 1 8:2 / / rw,relatime - ext4 /dev/sda2 rw",
      "proc/sys/kernel/osrelease": "6.1.0-25-amd64",
      "proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC Debian 6.1.106-3 (2024-08-26)",
      "proc/sys/kernel/random/boot_id": "0b8f5c2e-6f53-4b0f-8f6a-b3d8e2a53a01",
      "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
      "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "800031",
      "sys/devices/system/memory/block_size_bytes": "8000000",
      "sys/devices/system/memory/memory0/online": "1",
      "sys/block/sda/dev": "8:0", "sys/block/sda/sda2/dev": "8:2",
      "sys/block/sda/size": "976773168",
      "sys/block/sda/device/model": "Samsung SSD 860",
      "sys/block/sda/queue/read_ahead_kb": "128",
      "sys/block/sda/queue/scheduler": "[mq-deadline] none bfq",
      "sys/module/damon_reclaim/parameters/enabled": "N",
    ]
    for (path, text) in files { try write(text, to: path) }
  }

  var facts: HostFacts {
    HostFactsReader(root: root, architecture: "x86_64", libc: "glibc 2.36").facts(for: "/bin/sh")
  }

  var fingerprint: String { facts.fingerprint }

  var tree: HostTree { HostTree(root: root) }

  func text(at path: String) -> String? { tree.text(at: path) }

  func write(_ text: String, to path: String) throws {
    try FileManager.default.createDirectory(
      at: place(path).deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data("\(text)\n".utf8).write(to: place(path))
  }

  /// The old text must be there.
  func replace(_ old: String, with new: String, in path: String) throws {
    let content = try #require(text(at: path))
    try #require(content.contains(old))
    try write(content.replacing(old, with: new), to: path)
  }

  func move(_ path: String, to other: String) throws {
    try FileManager.default.moveItem(at: place(path), to: place(other))
  }

  func remove(_ path: String) throws { try FileManager.default.removeItem(at: place(path)) }

  private func place(_ path: String) -> URL { URL(filePath: root.string).appending(path: path) }
}
