import Glibc
import LaunchCore
import SystemPackage

/// The counters that a launch may be disturbed by, each from the best source that there is.
struct DisturbanceSources {
  let busy: BusyClock?
  let throttling: ThrottleCounters

  private let cpus: Set<Int>

  /// Whether launchlab itself may run on the target's processors.
  private let isOnSameCPUs: Bool
  private let usage: KeptFile?
  private let pressure: KeptFile?
  private let stat: KeptFile?
  private let memory: KeptFile?
  private let clock: () -> Nanoseconds

  init(
    cpus: Set<Int>,
    cgroup: FilePath?,
    tree: HostTree,
    clock: @escaping () -> Nanoseconds = { MonotonicClock.now }
  ) {
    self.cpus = cpus
    self.clock = clock
    isOnSameCPUs = OwnProcess.shares(cpus, in: tree)
    busy = BusyClock(cpus: cpus, tree: tree)
    throttling = ThrottleCounters(cpus: cpus, tree: tree)
    usage = cgroup.flatMap { KeptFile($0.appending("cpu.stat").string, in: tree) }
    pressure = cgroup.flatMap { KeptFile($0.appending("cpu.pressure").string, in: tree) }
    stat = ProcessorTicks.file(in: tree, cpus: cpus)
    let areas = (tree.text(at: "proc/swaps") ?? "").split(separator: "\n").dropFirst()
    memory = areas.isEmpty ? nil : KeptFile("proc/vmstat", in: tree)
  }

  var hasCgroup: Bool { usage != nil }
  var hasPressure: Bool { pressure != nil }
  var hasStat: Bool { stat != nil }
  var hasSwap: Bool { memory != nil }

  /// What the counters say now.
  ///
  /// The processor's clock is read next to launchlab's own, whose reading brings the former up to
  /// date for the processor it runs on.
  func reading() -> DisturbanceReading {
    var reading = DisturbanceReading(time: clock())
    reading.stolen = stat?.bytes.map { ProcessorTicks(stat: $0, cpus: cpus).stolen }
    reading.throttled = throttling.reading
    reading.swappedIn = memory?.numbers(after: "pswpin")?.first
    reading.own = isOnSameCPUs ? OwnProcess.processorTime : 0
    reading.busy = busy?.reading
    reading.launched = usage?.numbers(after: "usage_usec")?.first.map { $0 * 1_000 }
    reading.waited = pressure?.stalled(.some).map { $0 * 1_000 }
    return reading
  }
}

/// The counters at one instant, or their change between two; times are in nanoseconds.
struct DisturbanceReading {
  var time: Nanoseconds

  /// Of the target's processors.
  var stolen: Int64?
  var busy: Int64?

  /// Launchlab's own processor time; 0 where it keeps off the target's processors.
  var own: Int64 = 0

  /// The processor time of the spawner and all that it launched.
  var launched: Int64?

  /// How long some of these waited for a processor.
  var waited: Int64?

  var throttled: Int64?
  var swappedIn: Int64?

  /// The change since then; what either does not know is not known.
  func change(to later: Self) -> Self {
    func difference(_ field: KeyPath<Self, Int64?>) -> Int64? {
      guard let first = self[keyPath: field], let last = later[keyPath: field] else { return nil }
      return last - first
    }
    return Self(
      time: later.time - time,
      stolen: difference(\.stolen),
      busy: difference(\.busy),
      own: max(0, later.own - own),
      launched: difference(\.launched),
      waited: difference(\.waited),
      throttled: difference(\.throttled),
      swappedIn: difference(\.swappedIn)
    )
  }
}

/// How often some processors were slowed down because they were hot.
///
/// Source: Linux, Documentation/admin-guide/abi-testing, `thermal_throttle`.
struct ThrottleCounters {
  private let cores: [KeptFile]
  private let packages: [KeptFile]

  init(cpus: Set<Int>, tree: HostTree) {
    let directories = cpus.sorted().map { "sys/devices/system/cpu/cpu\($0)/thermal_throttle" }
    cores = directories.compactMap { KeptFile("\($0)/core_throttle_count", in: tree) }
    packages = directories.compactMap { KeptFile("\($0)/package_throttle_count", in: tree) }
  }

  var areMissing: Bool { cores.isEmpty && packages.isEmpty }

  /// A count that grows with every event; nil without counters.
  var reading: Int64? {
    areMissing ? nil : (cores + packages).compactMap { $0.numbers?.first }.reduce(0, +)
  }
}

/// This process, as others see it on the target's processors.
enum OwnProcess {
  /// Nanoseconds on all processors.
  static var processorTime: Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Whether this thread may run on any of some processors; true when that is not known.
  static func shares(_ cpus: Set<Int>, in tree: HostTree) -> Bool {
    let name = "Cpus_allowed_list:"
    let line = (tree.text(at: "proc/thread-self/status") ?? "").split(separator: "\n")
      .first { $0.hasPrefix(name) }
    guard let line else { return true }
    let own = CPUList(line.dropFirst(name.count).trimmed)?.cpus ?? []
    return !cpus.isDisjoint(with: own)
  }
}

/// A small file of the kernel that is read again and again, by one descriptor that stays open.
final class KeptFile: Sendable {
  private let descriptor: FileDescriptor

  /// The most bytes that are read.
  private let limit: Int

  /// Opens a file; nil when it cannot be read.
  ///
  /// - Parameters:
  ///   - path: Relative to the root of the tree.
  ///   - tree: The machine.
  ///   - limit: The most bytes that are read, for a long file whose beginning is all that counts.
  init?(_ path: String, in tree: HostTree, limit: Int = 64 << 10) {
    let place = tree.root.appending(FilePath(path).removingRoot().components)
    guard let descriptor = try? FileDescriptor.open(place, .readOnly, options: .closeOnExec)
    else { return nil }
    self.descriptor = descriptor
    self.limit = limit
    guard bytes != nil else { return nil }
  }

  deinit { try? descriptor.close() }

  /// What the file holds now; nil when it cannot be read any more.
  var bytes: [UInt8]? {
    var failed = false
    let content = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      while count < limit {
        let rest = UnsafeMutableRawBufferPointer(buffer.extracting(count...))
        guard
          let more = unsafe try? descriptor.read(fromAbsoluteOffset: Int64(count), into: rest)
        else {
          failed = true
          return
        }
        if more == 0 { return }
        count += more
      }
    }
    return failed ? nil : content
  }

  /// The numbers of a line that begins with a word, in order; nil without such a line.
  func numbers(after word: String) -> [Int64]? {
    bytes?.lines.first { $0.starts(with: word.utf8 + [UInt8(ascii: " ")]) }?.numbers
  }

  /// Every number of the file in order.
  var numbers: [Int64]? { bytes?[...].numbers }
}

extension [UInt8] {
  var lines: [ArraySlice<UInt8>] { split(separator: UInt8(ascii: "\n")) }
}

extension ArraySlice<UInt8> {
  /// The words that are whole numbers, in order.
  var numbers: [Int64] { words.compactMap { Int64(String(decoding: $0, as: UTF8.self)) } }

  var words: [ArraySlice<UInt8>] {
    split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t") }
  }
}
