package import LabModel

/// Puts a launch off until the machine has come to rest.
///
/// It looks at a sliding window, so every launch waits for at least one, in every arm alike.
package struct SettleGate {
  let limits: SettleLimits
  let sight: SettleSight

  /// How long the machine must have been at rest.
  ///
  /// `/proc/stat` counts in steps of 10 ms, so it takes longer than a source in nanoseconds.
  var window: Nanoseconds { .milliseconds(sight.isPrecise ? 100 : 200) }

  /// How often it is looked at.
  private static let step = Nanoseconds.milliseconds(25)

  /// - Parameters:
  ///   - limits: What is waited for.
  ///   - cpus: The processors that targets may use; nil means all. Those that share a core with
  ///     them are looked at too.
  ///   - tree: The machine.
  package init(limits: SettleLimits, cpus: [Int]?, tree: HostTree) {
    self.limits = limits
    sight = SettleSight(limits: limits, cpus: cpus, tree: tree)
  }

  /// Waits until everything is within its limit, at most `limits.within`, but for a whole window.
  ///
  /// - Parameters:
  ///   - interrupt: Ends the waiting at once when it is set.
  ///   - patient: False looks at a single window, and does not wait.
  /// - Returns: How long it took, and what was still beyond its limit then.
  package func wait(interrupt: InterruptFlag? = nil, patient: Bool = true) -> Settling {
    guard !sight.isBlind else { return Settling(waited: .zero) }
    let beginning = MonotonicClock.now
    var readings = [sight.reading()]
    while true {
      let isInterrupted = Self.rest(Self.step, interrupt)
      let newest = sight.reading()
      readings.append(newest)
      let waited = newest.time - beginning
      // The window begins with the last reading that is old enough.
      let begin = readings.lastIndex { newest.time - $0.time >= window }
      readings.removeFirst(begin ?? 0)
      let obstacle = obstacle(from: readings[0], to: newest)
      if isInterrupted { return Settling(waited: waited, obstacle: obstacle) }
      guard begin != nil else { continue }
      if obstacle == nil || !patient || waited >= limits.within {
        return Settling(waited: waited, obstacle: obstacle)
      }
    }
  }

  /// What was beyond its limit between two readings, such as `cpu idle 12 % (limit 90 %)`.
  func obstacle(from first: SettleSight.Reading, to last: SettleSight.Reading) -> String? {
    var found: [String] = []
    if let limit = limits.cpuIdle, let idle = sight.idle(from: first, to: last), idle < limit {
      found.append("cpu idle \(Words.percent(idle)) (limit \(Words.percent(limit)))")
    }
    if let limit = limits.ioPressure, let pressure = first.pressure(to: last), pressure > limit {
      found.append("I/O pressure \(Words.percent(pressure)) (limit \(Words.percent(limit)))")
    }
    if let limit = limits.load, let load = last.load, load > limit {
      found.append("load \(Words.number(load)) (limit \(Words.number(limit)))")
    }
    if let limit = limits.temperature, let degrees = last.temperature, degrees > limit {
      found.append("\(Words.number(degrees)) °C (limit \(Words.number(limit)) °C)")
    }
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }

  /// Returns after some time, or when the flag is set, which it tells.
  private static func rest(_ time: Nanoseconds, _ interrupt: InterruptFlag?) -> Bool {
    interrupt?.isSet(within: time) ?? InterruptFlag.sleep(time)
  }
}
