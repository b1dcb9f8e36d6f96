package import LabModel
package import SystemPackage

/// Tells what got in the way of a launch, from counters that are read right before and after it.
///
/// ``begin()`` and ``end(result:)`` stand around the whole of a launch with its end, outside the
/// time that is measured.
package struct DisturbanceMeter {
  let limits: DisturbanceLimits
  let cpus: Set<Int>
  let sources: DisturbanceSources

  private var first: DisturbanceReading?

  /// Finds the sources; which processors launchlab itself may run on must be settled by then.
  ///
  /// - Parameters:
  ///   - limits: What is tolerated.
  ///   - cpus: The processors that targets may use; nil means all.
  ///   - cgroup: The cgroup v2 of the run, which holds the spawner and all that it launches; nil
  ///     without one, and then a launch's own processor time is that of its figures.
  ///   - tree: The machine.
  package init(
    limits: DisturbanceLimits,
    cpus: [Int]?,
    cgroup: FilePath?,
    tree: HostTree
  ) {
    self.init(limits: limits, cpus: cpus, cgroup: cgroup, tree: tree) { MonotonicClock.now }
  }

  /// Finds the sources, with another clock for the time between two readings.
  init(
    limits: DisturbanceLimits,
    cpus: [Int]?,
    cgroup: FilePath?,
    tree: HostTree,
    clock: @escaping () -> Nanoseconds
  ) {
    self.limits = limits
    self.cpus = ProcessorList.used(cpus, in: tree)
    sources = DisturbanceSources(cpus: self.cpus, cgroup: cgroup, tree: tree, clock: clock)
  }

  /// Reads the counters before a launch.
  package mutating func begin() {
    if sources.busy?.source == .schedstat {
      // The stretch that launchlab itself has run until now counts only once it has ended.
      _ = InterruptFlag.sleep(.milliseconds(1))
    }
    first = sources.reading()
  }

  /// Reads the counters after a launch.
  ///
  /// - Parameter result: What the launch gave.
  /// - Returns: What was beyond its limit; empty without a ``begin()`` before.
  package mutating func end(result: LaunchResult) -> [Disturbance] {
    guard let first = first.take() else { return [] }
    let window = LaunchWindow(
      change: first.change(to: sources.reading()),
      launch: result.launch,
      ownTime: result.figures.processorTime,
      cpus: cpus.count,
      resolution: sources.busy?.resolution ?? 0
    )
    return window.disturbances(limits)
  }
}

extension Figures {
  /// User and system time together.
  fileprivate var processorTime: Int64? {
    guard let userTime, let systemTime else { return nil }
    return userTime.count + systemTime.count
  }
}
