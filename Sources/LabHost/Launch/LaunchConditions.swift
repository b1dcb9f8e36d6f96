package import LabModel

/// What holds for a launched program from before its first instruction.
package struct LaunchConditions: Hashable, Sendable {
  /// The processors it runs on; nil means that its affinity is not touched.
  package var cpus: [Int]?

  /// Whether its addresses are randomized as on the host; false switches that off for it alone.
  package var randomizesAddresses: Bool

  package var priority: LaunchPriority?

  /// Whether it and the spawner run before every other program; `priority` does not count then.
  package var isRealTime: Bool

  package var network: TargetNetwork

  /// Whether each launch is given a padding variable of 0 to 4,095 bytes.
  package var padsEnvironment: Bool

  package init(
    cpus: [Int]? = nil,
    randomizesAddresses: Bool = true,
    priority: LaunchPriority? = nil,
    isRealTime: Bool = false,
    network: TargetNetwork = .host,
    padsEnvironment: Bool = false
  ) {
    self.cpus = cpus
    self.randomizesAddresses = randomizesAddresses
    self.priority = priority
    self.isRealTime = isRealTime
    self.network = network
    self.padsEnvironment = padsEnvironment
  }
}
