import Foundation
import Glibc
package import LaunchCore
package import SystemPackage

/// Reads the stable facts of a machine that a series belongs to.
package struct HostFactsReader: Sendable {
  package var tree: HostTree

  /// The machine's architecture, such as `x86_64`.
  package var architecture: String

  /// The C library with its version, such as `glibc 2.36`; nil when it does not tell.
  package var libc: String?

  /// The name that the machine goes by; nil for its own.
  package var givenName: String?

  /// The variable of the environment that names the machine.
  package static let nameVariable = "LAUNCHLAB_HOST_NAME"

  /// Reads the machine below a root directory.
  ///
  /// The architecture and the C library cannot be read from files; they are those of the running
  /// system unless given.
  package init(
    root: FilePath = "/",
    architecture: String? = nil,
    libc: String? = nil,
    givenName: String? = ProcessInfo.processInfo.environment[Self.nameVariable]
  ) {
    tree = HostTree(root: root)
    self.givenName = givenName.flatMap { $0.isEmpty ? nil : $0 }
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
      fingerprint: "",
      identity: identity,
      name: givenName ?? tree.text(at: "proc/sys/kernel/hostname")
    )
    facts.fingerprint = HostFingerprint(of: facts).hexadecimal
    return facts
  }

  /// What tells the machine from others of its kind; nil where it has no machine id.
  ///
  /// The id itself is not to be shown (machine-id(5)), so a digest of it takes its place. A given name
  /// stands for the machine, so that fresh runners stay one host.
  private var identity: String? {
    let files = ["etc/machine-id", "var/lib/dbus/machine-id"]
    let id = files.lazy.compactMap { tree.text(at: $0) }
      .first { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil }
    guard let own = givenName.map({ "name \($0)" }) ?? id else { return nil }
    return String(SHA256(Array("launchlab-identity/1\n\(own)".utf8)).hexadecimal.prefix(32))
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

/// How busy the machine is.
package enum MachineLoad {
  /// The load average of the last minute; nil where it cannot be read.
  package static var average: Double? {
    HostTree().text(at: "proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
  }
}

/// How much memory a machine has.
enum MemorySize {
  /// What is installed, in bytes, where the kernel counts memory in blocks; or else what it manages.
  ///
  /// What it manages is a few megabytes more or less with every boot, and less while a hypervisor
  /// takes memory back.
  /// Source: the kernel's admin-guide/mm/memory-hotplug.rst.
  static func bytes(in tree: HostTree) -> Int64? { installed(in: tree) ?? managed(in: tree) }

  private static func installed(in tree: HostTree) -> Int64? {
    let directory = "sys/devices/system/memory"
    guard let text = tree.text(at: "\(directory)/block_size_bytes"),
      let size = Int64(text, radix: 16)
    else { return nil }
    let blocks = tree.names(in: directory)
      .filter { $0.hasPrefix("memory") && Int($0.dropFirst(6)) != nil }
    return blocks.isEmpty ? nil : size * Int64(blocks.count)
  }

  private static func managed(in tree: HostTree) -> Int64? {
    let line = (tree.text(at: "proc/meminfo") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("MemTotal:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }.map { $0 * 1024 }
  }

  /// The size rounded up to an eighth of the next lower power of two, in MiB.
  ///
  /// A kernel keeps up to 4 % for itself, so that what it manages of the usual sizes lies well
  /// between two steps.
  static func roundedMebibytes(_ bytes: Int64) -> Int64 {
    let mebibytes = max(8, (bytes + (1 << 20) - 1) >> 20)
    let step = Int64(1) << (63 - mebibytes.leadingZeroBitCount - 3)
    return (mebibytes + step - 1) / step * step
  }
}

/// The digest that tells hosts apart, over the stable facts.
///
/// Series of different fingerprints are never mixed, so a fact that changes by itself must stay out:
/// the name of a device, which may be another one after a reboot, and what reclaims idle pages,
/// which comes and goes, and is told only to root.
package struct HostFingerprint: Hashable, Sendable {
  /// The facts as text, one `name=value` line each; changing it breaks every series.
  var canonicalText: String

  package init(of facts: HostFacts) {
    let memory = facts.memoryBytes.map { String(MemorySize.roundedMebibytes($0)) }
    let fields: [(String, String?)] = [
      ("cpu_model", facts.cpuModel),
      ("cpu_count", facts.cpuCount.map { String($0) }),
      ("memory_mib", memory),
      ("architecture", facts.architecture),
      ("kernel", facts.kernel),
      ("kernel_build", facts.kernelBuild),
      ("libc", facts.libc),
      ("microcode", facts.microcode),
      ("governor", facts.governor),
      ("file_system", facts.fileSystem),
      ("storage", facts.storage ?? facts.unnumberedDevice),
      ("read_ahead_kb", facts.readAheadKilobytes.map { String($0) }),
      ("io_scheduler", facts.ioScheduler),
      ("virtualization", facts.virtualization),
    ]
    let lines = fields.map { name, value in
      "\(name)=\(value.map { $0.replacing("\n", with: " ") } ?? "unknown")\n"
    }
    canonicalText = "launchlab-host/2\n" + lines.joined()
  }

  /// The first 128 bits of the SHA-256 digest, as 32 lower-case hexadecimal digits.
  package var hexadecimal: String {
    String(SHA256(Array(canonicalText.utf8)).hexadecimal.prefix(32))
  }
}

extension HostFacts {
  /// The source of a file system that is on no disk, such as `server:/export`.
  fileprivate var unnumberedDevice: String? {
    device.flatMap { $0.hasPrefix("/dev/") && !$0.hasPrefix("/dev/mapper/") ? nil : $0 }
  }
}

/// The disk that a file system lies on, as the kernel knows it.
///
/// Names such as `sda` and `dm-0` are given in the order in which disks are found, and may swap over
/// a reboot; so nothing that is kept is made of them.
struct BlockDisk: Hashable, Sendable {
  private let name: String
  private let tree: HostTree

  /// Finds the disk of a mount; nil where it is on none, such as a network file system or a layer.
  ///
  /// A file system with a device number of its own, such as btrfs, is found by the name of its
  /// source instead.
  init?(of mount: Mount, in tree: HostTree) {
    let source = mount.source.hasPrefix("/dev/") ? mount.source.split(separator: "/").last : nil
    let disks = tree.names(in: "sys/block").map { Self(name: $0, tree: tree) }
    let byNumber = disks.first { $0.numbers.contains(mount.number) }
    let byName = disks.first { disk in source.map { disk.isCalled(String($0)) } ?? false }
    guard let found = byNumber ?? byName else { return nil }
    self = found
  }

  private init(name: String, tree: HostTree) {
    self.name = name
    self.tree = tree
  }

  /// The text of a file of the disk, such as `queue/scheduler`; nil when there is none or no text.
  func text(at path: String) -> String? {
    tree.text(at: "sys/block/\(name)/\(path)").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What holds the data: the disk itself, or the ones below a volume or an array, in the order of
  /// what they are.
  var physical: [Self] {
    let below = tree.names(in: "sys/block/\(name)/slaves")
    guard !below.isEmpty else { return [self] }
    return below.flatMap { Self(name: disk(holding: $0), tree: tree).physical }
      .sorted { $0.identity < $1.identity }
  }

  /// The model and the size, or the file of a loop device; nil when nothing is told.
  ///
  /// A disk of a virtual machine has no model, and one of several equal disks is like another.
  var storage: String? {
    let phrases = physical.map(\.identity).filter { !$0.isEmpty }
    return phrases.isEmpty ? nil : phrases.joined(separator: " + ")
  }

  private var identity: String {
    if let file = text(at: "loop/backing_file") { return "loop of \(file)" }
    // A card reader tells `device/name` instead.
    let model = text(at: "device/model") ?? text(at: "device/name")
    let words = model?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return [words, size].compactMap(\.self).joined(separator: ", ")
  }

  /// The kernel counts sectors of 512 bytes, whatever those of the disk are.
  private var size: String? {
    text(at: "size").flatMap { Int($0) }.map { "\(($0 + (1 << 20)) >> 21) GiB" }
  }

  // MARK: - Finding it

  private var partitions: [String] {
    tree.names(in: "sys/block/\(name)").filter { $0.hasPrefix(name) }
  }

  /// The device numbers of the disk and of its partitions.
  private var numbers: [String] {
    ([text(at: "dev")] + partitions.map { text(at: "\($0)/dev") }).compactMap(\.self)
  }

  private func isCalled(_ source: String) -> Bool {
    source == name || partitions.contains(source) || text(at: "dm/name") == source
  }

  /// The disk that a name below another is of; it may be a partition's.
  private func disk(holding part: String) -> String {
    let disks = tree.names(in: "sys/block")
    if disks.contains(part) { return part }
    return disks.first { Self(name: $0, tree: tree).partitions.contains(part) } ?? part
  }
}

/// How the block device below a mount reads ahead and schedules.
struct BlockQueue: Hashable, Sendable {
  /// In KiB; what the file system itself reads ahead, where that is not the disk's to say.
  var readAheadKilobytes: Int?

  /// Of a volume or an array, those of the disks below.
  var scheduler: String?

  /// Reads the queue of a mount; `disk` is nil where it lies on none.
  ///
  /// Source: the kernel's Documentation/ABI/testing/sysfs-class-bdi and sysfs-block.
  init(of mount: Mount, disk: BlockDisk?, in tree: HostTree) {
    let own = tree.text(at: "sys/class/bdi/\(mount.number)/read_ahead_kb")
    readAheadKilobytes = (own ?? disk?.text(at: "queue/read_ahead_kb")).flatMap { Int($0) }
    let schedulers = (disk?.physical ?? []).compactMap { $0.text(at: "queue/scheduler") }
      .map(Self.chosen(of:))
    scheduler = schedulers.isEmpty ? nil : Set(schedulers).sorted().joined(separator: " + ")
  }

  /// The scheduler in brackets, or the only one there is.
  private static func chosen(of list: String) -> String {
    let names = list.split(separator: " ")
    let chosen = names.first { $0.hasPrefix("[") && $0.hasSuffix("]") }
    return chosen.map { String($0.dropFirst().dropLast()) } ?? list
  }
}
