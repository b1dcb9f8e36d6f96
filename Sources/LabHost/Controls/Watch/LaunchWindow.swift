import LabModel

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
