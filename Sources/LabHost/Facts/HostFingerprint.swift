package import LabModel

/// The digest that tells hosts apart, over the stable facts.
///
/// Series of different fingerprints are never mixed, so a fact that changes by itself must stay out.
package struct HostFingerprint: Hashable, Sendable {
  /// The facts as text, one `name=value` line each; changing it breaks every series.
  var canonicalText: String

  package init(of facts: HostFacts) {
    // The kernel keeps a few megabytes for itself, and another build keeps another few.
    let gibibytes = facts.memoryBytes.map { ($0 + (1 << 29)) >> 30 }
    let fields: [(String, String?)] = [
      ("cpu_model", facts.cpuModel),
      ("cpu_count", facts.cpuCount.map { String($0) }),
      ("memory_gib", gibibytes.map { String($0) }),
      ("architecture", facts.architecture),
      ("kernel", facts.kernel),
      ("libc", facts.libc),
      ("microcode", facts.microcode),
      ("governor", facts.governor),
      ("file_system", facts.fileSystem),
      ("device", facts.device),
      ("read_ahead_kb", facts.readAheadKilobytes.map { String($0) }),
      ("io_scheduler", facts.ioScheduler),
      ("proactive_reclaim", facts.proactiveReclaim),
      ("virtualization", facts.virtualization),
    ]
    let lines = fields.map { name, value in
      "\(name)=\(value.map { $0.replacing("\n", with: " ") } ?? "unknown")\n"
    }
    canonicalText = "launchlab-host/1\n" + lines.joined()
  }

  /// The first 128 bits of the SHA-256 digest, as 32 lower-case hexadecimal digits.
  package var hexadecimal: String {
    String(SHA256(Array(canonicalText.utf8)).hexadecimal.prefix(32))
  }
}
