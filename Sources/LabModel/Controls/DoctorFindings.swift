/// What doctor has found of a host.
package struct DoctorFindings: Hashable, Sendable {
  /// The facts of the host, with the storage that holds the system's programs.
  package var host: HostFacts

  /// In the order in which a reader meets them.
  package var capabilities: [Capability]

  /// The newest of each state; empty when no selftest was made.
  package var noise: [HostNoise]

  /// The ids of what is known and meant to stay as it is.
  package var suppressed: Set<String>

  package init(
    host: HostFacts,
    capabilities: [Capability],
    noise: [HostNoise] = [],
    suppressed: Set<String> = []
  ) {
    self.host = host
    self.capabilities = capabilities
    self.noise = noise
    self.suppressed = suppressed
  }

  /// Whether a capability is wanting, and known to be.
  package func isSuppressed(_ capability: Capability) -> Bool {
    capability.status != .ok && suppressed.contains(capability.id)
  }

  /// The capabilities of a status, without suppressed ones.
  package func capabilities(_ status: Capability.Status) -> [Capability] {
    capabilities.filter { $0.status == status && !isSuppressed($0) }
  }

  /// The suppressed capabilities.
  package var suppressedCapabilities: [Capability] { capabilities.filter(isSuppressed) }
}
