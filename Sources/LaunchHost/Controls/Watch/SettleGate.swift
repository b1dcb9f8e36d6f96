package import LaunchCore

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
    interrupt?.heed(within: time) ?? InterruptFlag.sleep(time)
  }
}

extension SettleGate {
  /// The limits that are not looked at, for want of a source, such as `no temperature sensor`.
  package func missing() -> [String] { sight.missing }

  /// What is waited for, and what of it cannot be seen here.
  package func receipt() -> ControlReceipt {
    let missing = missing()
    return ControlReceipt(
      name: ControlName.settle.rawValue,
      wanted: words { _ in true },
      after: sight.isBlind ? nil : words { $0 },
      status: sight.isBlind ? .unavailable : .applied,
      reason: missing.isEmpty ? nil : missing.joined(separator: "; ")
    )
  }

  /// The limits in words; of each it is asked whether it is named, given whether it is looked at.
  private func words(_ isNamed: (_ isSeen: Bool) -> Bool) -> String {
    let phrases = [
      limits.cpuIdle.map { ("cpu idle \(Words.percent($0))", sight.seesIdle) },
      limits.ioPressure.map { ("I/O pressure \(Words.percent($0))", sight.seesPressure) },
      limits.load.map { ("load \(Words.number($0))", sight.seesLoad) },
      limits.temperature.map { ("\(Words.number($0)) °C", sight.seesTemperature) },
    ]
    let named = phrases.compactMap(\.self).filter { isNamed($0.1) }.map(\.0)
    let seconds = Words.number(Double(limits.within.count) / 1e9)
    return (named + ["within \(seconds) s"]).joined(separator: ", ")
  }
}

/// How the receipts and the obstacles put numbers.
enum Words {
  /// A share with at most one decimal, such as `90 %`.
  static func percent(_ share: Double) -> String { "\(number(share * 100)) %" }

  /// A number with at most one decimal, such as `2.5` and `41`.
  static func number(_ value: Double) -> String {
    let tenths = (value * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(clamping: tenths))" : "\(tenths)"
  }
}

/// The temperature sensors of a machine: thermal zones, and those of hwmon chips.
///
/// Source: the kernel's driver-api/thermal/sysfs-api.rst and hwmon/sysfs-interface.rst.
struct TemperatureSensors {
  private let files: [KeptFile]

  init(tree: HostTree) {
    let zones = tree.names(in: "sys/class/thermal").filter { $0.hasPrefix("thermal_zone") }
      .map { "sys/class/thermal/\($0)/temp" }
    let inputs = tree.names(in: "sys/class/hwmon").flatMap { chip in
      tree.names(in: "sys/class/hwmon/\(chip)")
        .filter { $0.hasPrefix("temp") && $0.hasSuffix("_input") }
        .map { "sys/class/hwmon/\(chip)/\($0)" }
    }
    files = (zones + inputs).compactMap { KeptFile($0, in: tree) }
  }

  var areMissing: Bool { files.isEmpty }

  /// In degrees Celsius; a sensor that tells nonsense, as broken ones do, is left out.
  var degrees: [Double] {
    files.compactMap { file in
      file.numbers?.first.map { Double($0) / 1_000 }
    }
    .filter { degrees in degrees > 0 && degrees < 150 }
  }

  /// The highest temperature in degrees Celsius; nil when no sensor answers.
  var highest: Double? { degrees.max() }
}

/// What the settle gate looks at: only that which has a limit, and a source.
struct SettleSight {
  private let cpus: Set<Int>
  private let precise: BusyClock?
  private let stat: KeptFile?
  private let pressure: KeptFile?
  private let load: KeptFile?
  private let sensors: TemperatureSensors?

  /// What has a limit but no source, as phrases with the remedy.
  let missing: [String]

  init(limits: SettleLimits, cpus: [Int]?, tree: HostTree) {
    let cpus = ProcessorList.withSiblings(ProcessorList.used(cpus, in: tree), in: tree)
    self.cpus = cpus
    var missing: [String] = []
    // What /proc/schedstat says is too late for a task that goes on running.
    let clock = limits.cpuIdle.flatMap { _ in BusyClock(cpus: cpus, tree: tree) }
    let isPrecise = clock?.source == .cpuacct
    precise = isPrecise ? clock : nil
    let needsTicks = limits.cpuIdle != nil && !isPrecise
    stat = needsTicks ? ProcessorTicks.file(in: tree, cpus: cpus) : nil
    if needsTicks, stat == nil { missing.append("no /proc/stat") }
    pressure = limits.ioPressure.flatMap { _ in KeptFile("proc/pressure/io", in: tree) }
    if limits.ioPressure != nil, pressure == nil {
      missing.append("no I/O pressure: boot with psi=1")
    }
    load = limits.load.flatMap { _ in KeptFile("proc/loadavg", in: tree) }
    if limits.load != nil, load == nil { missing.append("no /proc/loadavg") }
    let sensors = limits.temperature.map { _ in TemperatureSensors(tree: tree) }
    self.sensors = sensors?.areMissing == false ? sensors : nil
    if sensors?.areMissing == true { missing.append("no temperature sensor") }
    self.missing = missing
  }

  /// Whether there is nothing to look at.
  var isBlind: Bool { !seesIdle && pressure == nil && load == nil && sensors == nil }

  var seesIdle: Bool { precise != nil || stat != nil }
  var seesPressure: Bool { pressure != nil }
  var seesLoad: Bool { load != nil }
  var seesTemperature: Bool { sensors != nil }

  /// Whether processor time is known in nanoseconds.
  var isPrecise: Bool { stat == nil }

  /// What was seen at one instant; a source that fails later is not looked at any more.
  struct Reading {
    var time: Nanoseconds
    var busy: Int64?
    var idle: Int64?

    /// Microseconds in which some task waited for storage.
    var stalled: Int64?
    var load: Double?
    var temperature: Double?

    /// The share of the time between two readings in which some task waited for storage.
    func pressure(to later: Self) -> Double? {
      guard let first = stalled, let last = later.stalled, later.time > time else { return nil }
      return Double(last - first) * 1_000 / Double((later.time - time).count)
    }
  }

  func reading() -> Reading {
    let first = load?.bytes?[...].words.first.map { String(decoding: $0, as: UTF8.self) }
    return Reading(
      time: MonotonicClock.now,
      busy: precise?.reading,
      idle: stat?.bytes.map { ProcessorTicks(stat: $0, cpus: cpus).idle },
      stalled: pressure?.stalled(.some),
      load: first.flatMap { Double($0) },
      temperature: sensors?.highest
    )
  }

  /// The idle share of the processors between two readings, from 0 to 1.
  ///
  /// Ticks are counted one too few when a window cuts the first and the last of them; one tick per
  /// processor is given back.
  func idle(from first: Reading, to last: Reading) -> Double? {
    let span = Double((last.time - first.time).count) * Double(cpus.count)
    guard span > 0 else { return nil }
    if let begin = first.busy, let end = last.busy {
      return min(1, max(0, 1 - Double(end - begin) / span))
    }
    guard let begin = first.idle, let end = last.idle else { return nil }
    let given = end > begin ? ProcessorTicks.tick * Int64(cpus.count) : 0
    return min(1, Double(end - begin + given) / span)
  }
}

extension KeptFile {
  /// The two lines of a file of pressure stall information.
  enum Stall: String {
    case some
    case full
  }

  /// Microseconds in which tasks waited, by pressure stall information.
  ///
  /// Source: Linux, Documentation/accounting/psi.rst.
  func stalled(_ stall: Stall) -> Int64? {
    guard let line = bytes?.lines.first(where: { $0.starts(with: stall.rawValue.utf8) }),
      let total = line.words.first(where: { $0.starts(with: "total=".utf8) })
    else { return nil }
    return Int64(String(decoding: total.dropFirst(6), as: UTF8.self))
  }
}
