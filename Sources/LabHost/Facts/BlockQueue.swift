/// How the block device below a mount reads ahead and schedules.
struct BlockQueue: Hashable, Sendable {
  /// In KiB; what the file system itself reads ahead, where that is not the disk's to say.
  var readAheadKilobytes: Int?

  /// Of a volume or an array, those of the disks below.
  var scheduler: String?

  /// Reads the queue of a mount; `disk` is nil where it lies on none.
  ///
  /// Source: the kernel's Documentation/ABI/testing/sysfs-class-bdi and sysfs-block.
  init(of mount: Mount, disk: BlockDisk?, in tree: HostTree) {
    let own = tree.text(at: "sys/class/bdi/\(mount.number)/read_ahead_kb")
    readAheadKilobytes = (own ?? disk?.text(at: "queue/read_ahead_kb")).flatMap { Int($0) }
    let schedulers = (disk?.physical ?? []).compactMap { $0.text(at: "queue/scheduler") }
      .map(Self.chosen(of:))
    scheduler = schedulers.isEmpty ? nil : Set(schedulers).sorted().joined(separator: " + ")
  }

  /// The scheduler in brackets, or the only one there is.
  private static func chosen(of list: String) -> String {
    let names = list.split(separator: " ")
    let chosen = names.first { $0.hasPrefix("[") && $0.hasSuffix("]") }
    return chosen.map { String($0.dropFirst().dropLast()) } ?? list
  }
}
