package import Foundation

/// One execution of a scenario, as it is stored.
package struct RunRecord: Hashable, Codable, Sendable {
  /// Time-ordered and unique, such as `20261121T043000Z-3fa2`.
  package var id: String

  package var startedAt: Date

  /// Nil while the run goes on, or when it was cut off.
  package var finishedAt: Date?

  package var status: Status

  /// What the run is for; only those for ``Purpose/night`` are read by trends.
  package var purpose: Purpose

  package var plan: Plan

  package var host: HostFacts

  package var controls: [ControlReceipt]

  /// What was built, for a scenario with `source:`.
  package var build: BuildRecord?

  /// The version of launchlab that made the run.
  package var tool: String

  /// Which night of a fleet it is part of; nil for a run that no fleet asked for.
  package var slot: FleetSlot?

  package init(
    id: String,
    startedAt: Date,
    finishedAt: Date? = nil,
    status: Status = .unfinished,
    purpose: Purpose = .night,
    plan: Plan,
    host: HostFacts,
    controls: [ControlReceipt] = [],
    build: BuildRecord? = nil,
    tool: String,
    slot: FleetSlot? = nil
  ) {
    self.id = id
    self.startedAt = startedAt
    self.finishedAt = finishedAt
    self.status = status
    self.purpose = purpose
    self.plan = plan
    self.host = host
    self.controls = controls
    self.build = build
    self.tool = tool
    self.slot = slot
  }

  /// What a run is for; the raw value is the name used in JSON and the store.
  package enum Purpose: String, Codable, CaseIterable, Sendable {
    /// It is one night of the history of its scenario.
    case night

    /// It was made by hand, and stays out of every history.
    case trial

    /// Two programs or builds are compared.
    case comparison

    /// The last good build is compared with the newest one, to settle a suspicion.
    case proof

    /// A program is compared with itself.
    case selftest

    /// Its values were measured by something else; it counts as a night.
    case imported
  }

  /// How far a run came.
  package enum Status: String, Codable, CaseIterable, Sendable {
    /// It goes on, or was cut off, and can be resumed.
    case unfinished

    /// Every block was launched.
    case complete

    /// It stopped early because a target failed.
    case failed
    case interrupted
  }
}

/// A build of a scenario's source.
package struct BuildRecord: Hashable, Codable, Sendable {
  /// The full commit id.
  package var commit: String

  package var subject: String

  /// The git tree id that, with the build command, names the cached build.
  package var tree: String

  /// The directory that holds the built files.
  package var directory: String

  package var wasCached: Bool

  /// The submodules that it was made without; nil when it has all of them, or none are wanted.
  package var missingSubmodules: [MissingSubmodule]?

  package init(commit: String, subject: String, tree: String, directory: String, wasCached: Bool) {
    self.commit = commit
    self.subject = subject
    self.tree = tree
    self.directory = directory
    self.wasCached = wasCached
  }
}

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

  /// The lower-case hexadecimal digest of the facts that stay as they are over a reboot; equal machines
  /// have the same.
  package var fingerprint: String

  /// What tells the machine from all others, as 32 lower-case hexadecimal digits; nil where nothing
  /// does, and of runs of store version 10 and older.
  package var identity: String?

  /// What people call the machine; nil of runs of store version 10 and older.
  package var name: String?

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
    fingerprint: String,
    identity: String? = nil,
    name: String? = nil
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
    self.identity = identity
    self.name = name
  }

  /// Whether the values of two hosts may not be compared: the machines are of two kinds, or two of one
  /// kind.
  package func isOther(than host: Self) -> Bool {
    if fingerprint != host.fingerprint { return true }
    guard let identity, let other = host.identity else { return false }
    return identity != other
  }
}
