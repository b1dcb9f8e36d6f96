package import LaunchCore
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

extension DisturbanceMeter {
  /// What is watched, by which sources, and what cannot be seen here.
  package func receipt() -> ControlReceipt {
    let sees = sources.hasStat || sources.busy != nil
    return ControlReceipt(
      name: ControlName.steal.rawValue,
      wanted: "stolen \(Words.percent(limits.stolen)), foreign \(Words.percent(limits.foreign)), "
        + "share \(Words.percent(limits.share))",
      after: sees ? seen.joined(separator: ", ") : nil,
      status: sees ? .applied : .unavailable,
      reason: missing.isEmpty ? nil : missing.joined(separator: "; ")
    )
  }

  /// The sources in words.
  private var seen: [String] {
    [
      sources.hasStat ? "steal" : nil,
      sources.busy.map { "foreign by \($0.source.rawValue) and \(ownSource)" },
      sources.hasPressure ? "cpu.pressure" : nil,
      sources.throttling.areMissing ? nil : "throttle counters",
      sources.hasSwap ? "swap-ins" : nil,
    ].compactMap(\.self)
  }

  private var ownSource: String {
    sources.hasCgroup ? "cgroup" : "figures"
  }

  /// What is missing or coarse, with the remedy.
  private var missing: [String] {
    [
      sources.hasStat ? nil : "no /proc/stat, so stealing is not seen",
      sources.busy == nil ? "no processor time, so others are not seen" : nil,
      sources.busy?.source == .ticks
        ? "processor time comes in ticks of 10 ms, so others are not seen on short launches: use a "
          + "kernel with CONFIG_SCHEDSTATS" : nil,
      sources.hasCgroup ? nil : "no cgroup of the run, so others are seen less well: run as root",
      sources.hasCgroup && !sources.hasPressure
        ? "no cpu.pressure, so waiting is not seen: boot with psi=1" : nil,
      sources.throttling.areMissing ? "no throttle counters" : nil,
    ].compactMap(\.self)
  }
}

/// What the counters say of the window around one launch, held against the limits.
struct LaunchWindow {
  var change: DisturbanceReading

  /// The launch itself; nil when it was not ready.
  var launch: Nanoseconds?

  /// The processor time of what was launched, until it was ready, by its figures.
  var ownTime: Int64?

  /// How many processors the target may use.
  var cpus: Int

  /// How far the busy time may be off.
  var resolution: Int64

  /// So much of others' time is always tolerated: the kernel's own work around a short launch.
  static let floor: Int64 = 200_000

  /// Likewise where the spawner's time is not known.
  static let floorWithoutCgroup: Int64 = 1_500_000

  /// The share of the window outside of the launch that others may use.
  static let restShare = 0.02

  func disturbances(_ limits: DisturbanceLimits) -> [Disturbance] {
    [
      steal(limits.stolen),
      change.throttled.flatMap { Disturbance(.throttling, count: $0) },
      change.swappedIn.flatMap { Disturbance(.swapIn, count: $0) },
      foreign(limits.foreign),
    ].compactMap(\.self)
  }

  // MARK: - Steal

  private func steal(_ share: Double) -> Disturbance? {
    guard let stolen = change.stolen else { return nil }
    let limit = Self.stealLimit(share, of: Double(change.time.count))
    return stolen > limit ? Disturbance(kind: .steal, amount: stolen, limit: limit) : nil
  }

  /// What steady stealing at the tolerated share may show in a window, in whole ticks.
  ///
  /// A tick says that some of its 10 ms was stolen in the window, perhaps little of it. Where the
  /// tolerated share makes one tick in ten windows at most, a tick is a sign of more.
  static func stealLimit(_ share: Double, of window: Double) -> Int64 {
    let ticks = share * window / Double(ProcessorTicks.tick)
    return ticks <= 0.1 ? 0 : Int64(ticks.rounded(.up)) * ProcessorTicks.tick
  }

  // MARK: - Others on the processors

  /// Others were on the target's processors for too long, or the target waited for them.
  ///
  /// Waiting alone would be that of the target's own threads for each other, and so counts only as
  /// far as others used processors.
  private func foreign(_ share: Double) -> Disturbance? {
    guard let amount = foreignTime else { return nil }
    let capacity = limit(share, cpus: Int64(cpus))
    if amount > capacity { return Disturbance(kind: .foreignCPU, amount: amount, limit: capacity) }
    guard let waited = change.waited.map({ min($0, amount, change.time.count - rest) })
    else { return nil }
    let patience = limit(share, cpus: 1)
    guard waited > patience else { return nil }
    return Disturbance(kind: .foreignCPU, amount: waited, limit: patience)
  }

  /// How long others used the processors; nil where that is not known.
  private var foreignTime: Int64? {
    guard let busy = change.busy else { return nil }
    let ofLaunch: Int64
    if let launched = change.launched {
      ofLaunch = launched
    } else if let ownTime {
      // After it was ready, the target may have used all there was.
      ofLaunch = ownTime + rest * Int64(cpus)
    } else {
      return nil
    }
    return min(room, max(0, busy - ofLaunch - change.own))
  }

  /// So long at most were other programs on the processors during the launch itself.
  ///
  /// The rest of the window, in which the spawner and launchlab hand over to each other, is longer
  /// than many a launch, and what happens there is no harm.
  private var room: Int64 {
    guard let launch else { return change.time.count * Int64(cpus) }
    return max(0, launch.count * Int64(cpus) - (ownTime ?? 0))
  }

  private func limit(_ share: Double, cpus: Int64) -> Int64 {
    let judged = Double(change.time.count - rest) * share + Double(rest) * Self.restShare
    let floor = change.launched == nil ? Self.floorWithoutCgroup : Self.floor
    return max(floor, Int64(judged * Double(cpus))) + resolution
  }

  /// The part of the window that is not the launch: before it, and while the target is stopped.
  private var rest: Int64 {
    guard let launch else { return 0 }
    return max(0, change.time.count - launch.count)
  }
}

extension Disturbance {
  /// An event of which none is tolerated; nil when there was none.
  fileprivate init?(_ kind: Kind, count: Int64) {
    guard count > 0 else { return nil }
    self.init(kind: kind, amount: count, limit: 0)
  }
}
