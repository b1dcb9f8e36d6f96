package import LabModel

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
