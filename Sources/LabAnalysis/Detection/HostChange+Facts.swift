package import LabModel

extension HostChange {
  /// The facts that are not the same on two nights, in the order of the facts.
  ///
  /// - Parameters:
  ///   - before: The host of the earlier night.
  ///   - after: That of the later one.
  /// - Returns: A fact that could not be read is called `unknown`; the fingerprint is no fact.
  package static func changes(from before: HostFacts, to after: HostFacts) -> [Self] {
    zip(facts(of: before), facts(of: after)).compactMap { old, new in
      guard old.value != new.value else { return nil }
      return Self(fact: old.name, before: old.value ?? "unknown", after: new.value ?? "unknown")
    }
  }

  private static func facts(of host: HostFacts) -> [(name: String, value: String?)] {
    [
      ("cpu", host.cpuModel),
      ("cpus", host.cpuCount.map(String.init)),
      ("memory", host.memoryBytes.map { "\($0) B" }),
      ("architecture", host.architecture),
      ("kernel", host.kernel),
      ("kernel build", host.kernelBuild),
      ("libc", host.libc),
      ("microcode", host.microcode),
      ("governor", host.governor),
      ("file system", host.fileSystem),
      ("device", host.device),
      ("storage", host.storage),
      ("read-ahead", host.readAheadKilobytes.map { "\($0) KiB" }),
      ("I/O scheduler", host.ioScheduler),
      ("proactive reclaim", host.proactiveReclaim),
      ("virtualization", host.virtualization),
    ]
  }
}
