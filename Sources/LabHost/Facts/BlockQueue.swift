/// How the block device below a mount reads ahead and schedules.
struct BlockQueue: Hashable, Sendable {
  var readAheadKilobytes: Int?
  var scheduler: String?

  /// Finds the queue of the disk that a mount lies on.
  ///
  /// A file system with a device number of its own, such as btrfs, is found by the name of its
  /// source instead.
  init?(of mount: Mount, in tree: HostTree) {
    guard let disk = Self.disk(of: mount, in: tree) else { return nil }
    let queue = "sys/block/\(disk)/queue"
    readAheadKilobytes = tree.text(at: "\(queue)/read_ahead_kb").flatMap { Int($0) }
    scheduler = tree.text(at: "\(queue)/scheduler").map { Self.chosen(of: $0) }
  }

  private static func disk(of mount: Mount, in tree: HostTree) -> String? {
    let name = mount.source.hasPrefix("/dev/") ? mount.source.split(separator: "/").last : nil
    let disks = tree.names(in: "sys/block")
    let byNumber = disks.first { disk in
      let places =
        [disk]
        + tree.names(in: "sys/block/\(disk)").map { "\(disk)/\($0)" }
        .filter { $0.hasPrefix("\(disk)/\(disk)") }
      return places.contains { tree.text(at: "sys/block/\($0)/dev") == mount.number }
    }
    let byName = disks.first { disk in
      name.map { $0 == disk || tree.names(in: "sys/block/\(disk)").contains(String($0)) } ?? false
    }
    return byNumber ?? byName
  }

  /// The scheduler in brackets, or the only one there is.
  private static func chosen(of list: String) -> String {
    let names = list.split(separator: " ")
    let chosen = names.first { $0.hasPrefix("[") && $0.hasSuffix("]") }
    return chosen.map { String($0.dropFirst().dropLast()) } ?? list
  }
}
