import Glibc
package import LabModel
package import SystemPackage

/// Reads the stable facts of a machine that a series belongs to.
package struct HostFactsReader: Sendable {
  package var tree: HostTree

  /// The machine's architecture, such as `x86_64`.
  package var architecture: String

  /// The C library with its version, such as `glibc 2.36`; nil when it does not tell.
  package var libc: String?

  /// Reads the machine below a root directory.
  ///
  /// The architecture and the C library cannot be read from files; they are those of the running
  /// system unless given.
  package init(root: FilePath = "/", architecture: String? = nil, libc: String? = nil) {
    tree = HostTree(root: root)
    self.architecture = architecture ?? Self.runningArchitecture
    self.libc = libc ?? Self.runningLibc
  }

  /// Reads all facts, with the file system and device that hold a path.
  ///
  /// Controls change some of them, such as the governor, so that those of a run are read after its
  /// controls were applied.
  ///
  /// - Parameter path: The target's executable: absolute, with symbolic links resolved.
  /// - Returns: The facts and their fingerprint; what could not be read is nil.
  package func facts(for path: FilePath) -> HostFacts {
    let cpu = CPUInfo(text: tree.text(at: "proc/cpuinfo") ?? "")
    let mount = MountInfo(tree: tree).mount(holding: path)
    let disk = mount.flatMap { BlockDisk(of: $0, in: tree) }
    let queue = mount.map { BlockQueue(of: $0, disk: disk, in: tree) }
    var facts = HostFacts(
      cpuModel: cpu.model,
      cpuCount: cpu.count,
      memoryBytes: MemorySize.bytes(in: tree),
      architecture: architecture,
      kernel: tree.text(at: "proc/sys/kernel/osrelease") ?? "unknown",
      kernelBuild: tree.text(at: "proc/sys/kernel/version"),
      libc: libc,
      microcode: cpu.microcode,
      governor: CPUGovernor(tree: tree).description,
      fileSystem: mount?.type,
      device: mount?.source,
      storage: disk?.storage,
      readAheadKilobytes: queue?.readAheadKilobytes,
      ioScheduler: queue?.scheduler,
      proactiveReclaim: ProactiveReclaim(tree: tree).description,
      virtualization: Virtualization(tree: tree, hasHypervisorFlag: cpu.hasHypervisorFlag)
        .description,
      fingerprint: ""
    )
    facts.fingerprint = HostFingerprint(of: facts).hexadecimal
    return facts
  }

  private static var runningArchitecture: String {
    var name = utsname()
    guard unsafe uname(&name) == 0 else { return "unknown" }
    return unsafe withUnsafeBytes(of: &name.machine) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private static var runningLibc: String? {
    var buffer = [CChar](repeating: 0, count: 128)
    let length = unsafe confstr(Int32(_CS_GNU_LIBC_VERSION), &buffer, buffer.count)
    guard length > 0, length <= buffer.count else { return nil }
    return String(decoding: buffer.prefix(length - 1).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
