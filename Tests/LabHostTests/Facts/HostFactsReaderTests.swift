import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite struct HostFactsReaderTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let architecture: String
    let path: FilePath
    let facts: HostFacts
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "firecracker",
      architecture: "x86_64",
      path: "/usr/bin/perl",
      facts: HostFacts(
        cpuModel: "Intel(R) Xeon(R) Processor",
        cpuCount: 2,
        memoryBytes: 25_276_514_304,
        architecture: "x86_64",
        kernel: "6.18.44",
        libc: "glibc 2.36",
        microcode: "0x1",
        fileSystem: "ext4",
        device: "/dev/vda",
        readAheadKilobytes: 8192,
        ioScheduler: "mq-deadline",
        proactiveReclaim: "DAMON pageout",
        virtualization: "kvm",
        fingerprint: ""
      )
    ),
    Case(
      name: "intel",
      architecture: "x86_64",
      path: "/home/me/bin/tool",
      facts: HostFacts(
        cpuModel: "Intel(R) Core(TM) i5-8265U CPU @ 1.60GHz",
        cpuCount: 4,
        memoryBytes: 16_607_784_960,
        architecture: "x86_64",
        kernel: "6.1.0-25-amd64",
        libc: "glibc 2.36",
        microcode: "0xf6",
        governor: "powersave",
        fileSystem: "ext4",
        device: "/dev/nvme0n1p3",
        readAheadKilobytes: 128,
        ioScheduler: "none",
        fingerprint: ""
      )
    ),
    Case(
      name: "amd",
      architecture: "x86_64",
      path: "/opt/tool",
      facts: HostFacts(
        cpuModel: "AMD Ryzen 7 5800X 8-Core Processor",
        cpuCount: 2,
        memoryBytes: 33_562_021_888,
        architecture: "x86_64",
        kernel: "6.8.0-45-generic",
        libc: "glibc 2.36",
        microcode: "0xa20120a",
        governor: "performance,schedutil",
        fileSystem: "btrfs",
        device: "/dev/sda2",
        readAheadKilobytes: 4096,
        ioScheduler: "bfq",
        proactiveReclaim: "DAMON reclaim",
        virtualization: "vmware",
        fingerprint: ""
      )
    ),
    Case(
      name: "aarch64",
      architecture: "aarch64",
      path: "/usr/bin/perl",
      facts: HostFacts(
        cpuModel: "ARM implementer 0x41 part 0xd0c r0x3p1",
        cpuCount: 2,
        memoryBytes: 3_999_535_104,
        architecture: "aarch64",
        kernel: "6.1.0-25-arm64",
        libc: "glibc 2.36",
        fileSystem: "overlay",
        device: "overlay",
        virtualization: "qemu",
        fingerprint: ""
      )
    ),
  ]

  static func root(of host: String) throws -> FilePath {
    let fixtures = try #require(Bundle.module.resourceURL)
    return FilePath(fixtures.appending(components: "Fixtures", "hosts", host).path)
  }

  @Test(arguments: cases) func `reads the facts of a host`(_ test: Case) throws {
    let reader = HostFactsReader(
      root: try Self.root(of: test.name),
      architecture: test.architecture,
      libc: "glibc 2.36"
    )
    var facts = reader.facts(for: test.path)
    #expect(facts.fingerprint.count == 32)
    facts.fingerprint = ""
    #expect(facts == test.facts)
  }

  @Test(.temporaryDirectory)
  func `identifies a machine by its machine id or by a given name, and shows neither`() throws {
    let id = "0123456789abcdef0123456789abcdef"
    let directory = TemporaryDirectory.path
    func host(_ file: String?, _ text: String, named name: String? = nil) throws -> HostFacts {
      let root = "\(directory)/\(UUID().uuidString)"
      if let file {
        let url = URL(filePath: root).appending(path: file)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(),
          withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
      }
      return HostFactsReader(root: FilePath(root), givenName: name).facts(for: "/bin/true")
    }
    let one = try host("etc/machine-id", id + "\n")
    let identity = try #require(one.identity)
    #expect(identity.count == 32 && identity != id)
    #expect(try host("var/lib/dbus/machine-id", id).identity == identity)
    #expect(try host("etc/machine-id", String(id.reversed())).identity != identity)
    #expect(try host("etc/machine-id", "uninitialized\n").identity == nil)
    #expect(try host(nil, "").identity == nil)
    // The kind is the same.
    #expect(try host(nil, "").fingerprint == one.fingerprint)

    let named = try host("etc/machine-id", id, named: "ci")
    #expect(named.name == "ci" && named.identity != identity && named.identity != nil)
    #expect(try host("etc/machine-id", String(id.reversed()), named: "ci") == named)
    #expect(try host("etc/machine-id", id, named: "").identity == identity)
  }

  @Test func `leaves out what an empty machine does not tell`() {
    let facts = HostFactsReader(root: "/nonexistent", architecture: "x86_64", libc: "musl")
      .facts(for: "/bin/true")
    #expect(facts.cpuModel == nil)
    #expect(facts.cpuCount == nil)
    #expect(facts.fileSystem == nil)
    #expect(facts.virtualization == nil)
    #expect(facts.kernel == "unknown")
  }

  @Test func `reads the machine it runs on`() {
    let facts = HostFactsReader().facts(for: "/usr/bin/env")
    #expect(facts.architecture != "unknown")
    #expect(facts.kernel != "unknown")
    #expect((facts.memoryBytes ?? 0) > 1 << 20)
    #expect((facts.cpuCount ?? 0) > 0)
  }
}

@Suite struct HostFingerprintTests {
  static let facts = HostFacts(
    cpuModel: "model",
    cpuCount: 4,
    memoryBytes: 16 << 30,
    architecture: "x86_64",
    kernel: "6.1",
    fingerprint: ""
  )

  @Test func `is the same for the same facts, whatever was stored before`() {
    var other = Self.facts
    other.fingerprint = "something else"
    #expect(HostFingerprint(of: Self.facts).hexadecimal == HostFingerprint(of: other).hexadecimal)
  }

  @Test func `does not notice a few megabytes of memory`() {
    var other = Self.facts
    other.memoryBytes = (16 << 30) - (200 << 20)
    #expect(HostFingerprint(of: Self.facts).hexadecimal == HostFingerprint(of: other).hexadecimal)
  }

  struct Change: CustomTestStringConvertible, Sendable {
    let name: String
    let apply: @Sendable (inout HostFacts) -> Void
    var testDescription: String { name }
  }

  @Test(arguments: [
    Change(name: "cpu model") { $0.cpuModel = "other" },
    Change(name: "cpu count") { $0.cpuCount = 8 },
    Change(name: "memory") { $0.memoryBytes = 32 << 30 },
    Change(name: "architecture") { $0.architecture = "aarch64" },
    Change(name: "kernel") { $0.kernel = "6.2" },
    Change(name: "build of the kernel") { $0.kernelBuild = "#2" },
    Change(name: "libc") { $0.libc = "glibc 2.41" },
    Change(name: "microcode") { $0.microcode = "0x2" },
    Change(name: "governor") { $0.governor = "performance" },
    Change(name: "file system") { $0.fileSystem = "xfs" },
    Change(name: "storage") { $0.storage = "disk, 1 GiB" },
    Change(name: "share") { $0.device = "server:/export" },
    Change(name: "volume") { $0.device = "/dev/mapper/vg-root" },
    Change(name: "read-ahead") { $0.readAheadKilobytes = 128 },
    Change(name: "scheduler") { $0.ioScheduler = "bfq" },
    Change(name: "virtualisation") { $0.virtualization = "kvm" },
  ])
  func `changes with every stable fact`(_ change: Change) {
    var other = Self.facts
    change.apply(&other)
    #expect(HostFingerprint(of: Self.facts).hexadecimal != HostFingerprint(of: other).hexadecimal)
  }

  @Test(arguments: [
    Change(name: "name of a disk") { $0.device = "/dev/sdb" },
    Change(name: "reclaim") { $0.proactiveReclaim = "DAMON pageout" },
  ])
  func `does not change with what comes and goes`(_ change: Change) {
    var other = Self.facts
    change.apply(&other)
    #expect(HostFingerprint(of: Self.facts).hexadecimal == HostFingerprint(of: other).hexadecimal)
  }

  @Test func `keeps its text, since a change breaks every series`() {
    #expect(
      HostFingerprint(of: Self.facts).canonicalText == """
        launchlab-host/2
        cpu_model=model
        cpu_count=4
        memory_mib=16384
        architecture=x86_64
        kernel=6.1
        kernel_build=unknown
        libc=unknown
        microcode=unknown
        governor=unknown
        file_system=unknown
        storage=unknown
        read_ahead_kb=unknown
        io_scheduler=unknown
        virtualization=unknown

        """
    )
  }
}
