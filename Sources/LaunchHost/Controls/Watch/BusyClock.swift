/// How long some processors have been busy, from the most precise source there is.
struct BusyClock {
  enum Source: String, Sendable {
    /// `cpuacct.usage_percpu` of the root of the cgroup v1 hierarchy, in nanoseconds.
    case cpuacct

    /// Field 7 of `/proc/schedstat`, in nanoseconds; a stretch counts once it has ended. Source:
    /// Linux, Documentation/scheduler/sched-stats.rst.
    case schedstat

    /// `/proc/stat`, sampled by the timer.
    case ticks = "/proc/stat"
  }

  let source: Source

  /// How far the difference of two readings may be off, in nanoseconds.
  let resolution: Int64

  private let file: KeptFile
  private let cpus: Set<Int>

  /// Finds the source; nil when there is none.
  init?(cpus: Set<Int>, tree: HostTree) {
    self.cpus = cpus
    if let found = Self.accounting(in: tree) {
      file = found
      source = .cpuacct
      resolution = 0
    } else if let found = KeptFile("proc/schedstat", in: tree, limit: 1 << 20) {
      file = found
      source = .schedstat
      resolution = 0
    } else if let found = ProcessorTicks.file(in: tree, cpus: cpus) {
      file = found
      source = .ticks
      resolution = 2 * ProcessorTicks.tick * Int64(cpus.count)
    } else {
      return nil
    }
    guard reading != nil else { return nil }
  }

  /// Nanoseconds of all the processors together; nil when it cannot be read any more.
  var reading: Int64? {
    guard let bytes = file.bytes else { return nil }
    switch source {
    case .cpuacct:
      let times = bytes[...].numbers
      guard let last = cpus.max(), times.indices.contains(last) else { return nil }
      return cpus.reduce(0) { $0 + times[$1] }
    case .schedstat:
      return scheduled(bytes)
    case .ticks:
      return ProcessorTicks(stat: bytes, cpus: cpus).busy
    }
  }

  private func scheduled(_ bytes: [UInt8]) -> Int64? {
    var sum: Int64 = 0
    var found = 0
    for line in bytes.lines where line.starts(with: "cpu".utf8) {
      let words = line.words
      guard words.count > 7, let cpu = Int(String(decoding: words[0].dropFirst(3), as: UTF8.self)),
        cpus.contains(cpu), let time = Int64(String(decoding: words[7], as: UTF8.self))
      else { continue }
      sum += time
      found += 1
    }
    return found == cpus.count ? sum : nil
  }

  /// The file of the whole machine; that of a container knows only the container.
  private static func accounting(in tree: HostTree) -> KeptFile? {
    for name in ["cpuacct", "cpu,cpuacct"] {
      let directory = "sys/fs/cgroup/\(name)"
      // Only the root of a hierarchy has a release agent.
      guard tree.names(in: directory).contains("release_agent") else { continue }
      return KeptFile("\(directory)/cpuacct.usage_percpu", in: tree)
    }
    return nil
  }
}

/// What some processors have done since the machine began, by `/proc/stat`.
///
/// Times are in nanoseconds, and are multiples of ``tick``. Source: Linux,
/// Documentation/filesystems/proc.rst, section 1.7.
struct ProcessorTicks: Hashable {
  /// USER_HZ is 100 on every architecture that launchlab runs on.
  static let tick: Int64 = 10_000_000

  /// Nothing to do, or waiting for storage.
  var idle: Int64 = 0

  /// User, system and interrupt time; that of guests is user time.
  var busy: Int64 = 0

  /// The hypervisor ran something else.
  var stolen: Int64 = 0

  /// - Parameters:
  ///   - stat: The text of `/proc/stat`.
  ///   - cpus: The processors that are summed; those that are not there add nothing.
  init(stat: [UInt8], cpus: Set<Int>) {
    for line in stat.lines {
      guard line.starts(with: "cpu".utf8) else { break }
      guard let name = line.words.first,
        let cpu = Int(String(decoding: name.dropFirst(3), as: UTF8.self)),
        cpus.contains(cpu)
      else { continue }
      let fields = line.numbers.map { $0 * Self.tick }
      guard fields.count >= 7 else { continue }
      busy += fields[0] + fields[1] + fields[2] + fields[5] + fields[6]
      idle += fields[3] + fields[4]
      stolen += fields.count > 7 ? fields[7] : 0
    }
  }

  /// The beginning of the file, which has the lines of the processors, is kept open.
  static func file(in tree: HostTree, cpus: Set<Int>) -> KeptFile? {
    KeptFile("proc/stat", in: tree, limit: 240 * ((cpus.max() ?? 0) + 2))
  }
}
