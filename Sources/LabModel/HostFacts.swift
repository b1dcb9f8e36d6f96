/// Stable facts of the machine that a series belongs to.
///
/// A fact that could not be read is nil. Measured clocks are not among them.
package struct HostFacts: Hashable, Codable, Sendable {
  package var cpuModel: String?
  package var cpuCount: Int?

  /// What is installed, where the kernel tells that, or else what it manages.
  package var memoryBytes: Int64?
  package var architecture: String
  package var kernel: String

  /// Which build of that release it is, as `uname -v` says it.
  package var kernelBuild: String?
  package var libc: String?
  package var microcode: String?
  package var governor: String?

  /// The file system type and the device that hold the target.
  package var fileSystem: String?
  package var device: String?

  /// What tells the disk below from another one, whatever its device is called after a reboot,
  /// such as `Samsung SSD 970 EVO Plus 500GB, 466 GiB`; several joined by ` + `.
  package var storage: String?
  package var readAheadKilobytes: Int?
  package var ioScheduler: String?

  /// What reclaims idle pages by itself, such as `DAMON pageout`; nil when nothing does.
  package var proactiveReclaim: String?

  /// The hypervisor, such as `kvm`; nil on bare metal.
  package var virtualization: String?

  /// The lower-case hexadecimal digest of the facts that stay as they are over a reboot.
  package var fingerprint: String

  package init(
    cpuModel: String? = nil,
    cpuCount: Int? = nil,
    memoryBytes: Int64? = nil,
    architecture: String,
    kernel: String,
    kernelBuild: String? = nil,
    libc: String? = nil,
    microcode: String? = nil,
    governor: String? = nil,
    fileSystem: String? = nil,
    device: String? = nil,
    storage: String? = nil,
    readAheadKilobytes: Int? = nil,
    ioScheduler: String? = nil,
    proactiveReclaim: String? = nil,
    virtualization: String? = nil,
    fingerprint: String
  ) {
    self.cpuModel = cpuModel
    self.cpuCount = cpuCount
    self.memoryBytes = memoryBytes
    self.architecture = architecture
    self.kernel = kernel
    self.kernelBuild = kernelBuild
    self.libc = libc
    self.microcode = microcode
    self.governor = governor
    self.fileSystem = fileSystem
    self.device = device
    self.storage = storage
    self.readAheadKilobytes = readAheadKilobytes
    self.ioScheduler = ioScheduler
    self.proactiveReclaim = proactiveReclaim
    self.virtualization = virtualization
    self.fingerprint = fingerprint
  }
}
