import LabModel

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
