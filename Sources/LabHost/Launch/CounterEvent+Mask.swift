import LabModel

extension CounterEvent {
  /// The order of the spawner's own table, in `spawner_counters.c`.
  static let inSpawnerOrder: [Self] = [
    .instructions, .cycles, .branches, .branchMisses, .cacheReferences, .cacheMisses, .pageFaults,
    .minorFaults, .majorFaults, .contextSwitches, .cpuMigrations, .taskClock, .cpuClock,
  ]

  /// The bit mask that asks the spawner for events, by their names.
  static func mask(of names: [String]) throws(HostError) -> UInt32 {
    var mask: UInt32 = 0
    for name in names {
      guard let event = Self(rawValue: name), let index = inSpawnerOrder.firstIndex(of: event)
      else { throw .launchRefused(.unknownCounter(name)) }
      mask |= 1 << UInt32(index)
    }
    return mask
  }
}
