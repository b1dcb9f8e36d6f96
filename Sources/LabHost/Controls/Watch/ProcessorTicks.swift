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
