/// An event that counter launches can count.
///
/// The raw value is the name used in scenarios, JSON and reports. The hardware events include
/// what the kernel does for the target.
package enum CounterEvent: String, Codable, CaseIterable, Sendable {
  // Events of the kernel, which every machine has.
  case pageFaults = "page-faults"
  case minorFaults = "minor-faults"
  case majorFaults = "major-faults"
  case contextSwitches = "context-switches"
  case cpuMigrations = "cpu-migrations"
  case taskClock = "task-clock"
  case cpuClock = "cpu-clock"

  // Events of the processor, which virtual machines often lack.
  case instructions
  case cycles
  case branches
  case branchMisses = "branch-misses"
  case cacheMisses = "cache-misses"
  case cacheReferences = "cache-references"
}
