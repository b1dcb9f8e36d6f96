/// The disk that a file system lies on, as the kernel knows it.
///
/// Names such as `sda` and `dm-0` are given in the order in which disks are found, and may swap over
/// a reboot; so nothing that is kept is made of them.
struct BlockDisk: Hashable, Sendable {
  private let name: String
  private let tree: HostTree

  /// Finds the disk of a mount; nil where it is on none, such as a network file system or a layer.
  ///
  /// A file system with a device number of its own, such as btrfs, is found by the name of its
  /// source instead.
  init?(of mount: Mount, in tree: HostTree) {
    let source = mount.source.hasPrefix("/dev/") ? mount.source.split(separator: "/").last : nil
    let disks = tree.names(in: "sys/block").map { Self(name: $0, tree: tree) }
    let byNumber = disks.first { $0.numbers.contains(mount.number) }
    let byName = disks.first { disk in source.map { disk.isCalled(String($0)) } ?? false }
    guard let found = byNumber ?? byName else { return nil }
    self = found
  }

  private init(name: String, tree: HostTree) {
    self.name = name
    self.tree = tree
  }

  /// The text of a file of the disk, such as `queue/scheduler`; nil when there is none or no text.
  func text(at path: String) -> String? {
    tree.text(at: "sys/block/\(name)/\(path)").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What holds the data: the disk itself, or the ones below a volume or an array, in the order of
  /// what they are.
  var physical: [Self] {
    let below = tree.names(in: "sys/block/\(name)/slaves")
    guard !below.isEmpty else { return [self] }
    return below.flatMap { Self(name: disk(holding: $0), tree: tree).physical }
      .sorted { $0.identity < $1.identity }
  }

  /// The model and the size, or the file of a loop device; nil when nothing is told.
  ///
  /// A disk of a virtual machine has no model, and one of several equal disks is like another.
  var storage: String? {
    let phrases = physical.map(\.identity).filter { !$0.isEmpty }
    return phrases.isEmpty ? nil : phrases.joined(separator: " + ")
  }

  private var identity: String {
    if let file = text(at: "loop/backing_file") { return "loop of \(file)" }
    // A card reader tells `device/name` instead.
    let model = text(at: "device/model") ?? text(at: "device/name")
    let words = model?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return [words, size].compactMap(\.self).joined(separator: ", ")
  }

  /// The kernel counts sectors of 512 bytes, whatever those of the disk are.
  private var size: String? {
    text(at: "size").flatMap { Int($0) }.map { "\(($0 + (1 << 20)) >> 21) GiB" }
  }

  // MARK: - Finding it

  private var partitions: [String] {
    tree.names(in: "sys/block/\(name)").filter { $0.hasPrefix(name) }
  }

  /// The device numbers of the disk and of its partitions.
  private var numbers: [String] {
    ([text(at: "dev")] + partitions.map { text(at: "\($0)/dev") }).compactMap(\.self)
  }

  private func isCalled(_ source: String) -> Bool {
    source == name || partitions.contains(source) || text(at: "dm/name") == source
  }

  /// The disk that a name below another is of; it may be a partition's.
  private func disk(holding part: String) -> String {
    let disks = tree.names(in: "sys/block")
    if disks.contains(part) { return part }
    return disks.first { Self(name: $0, tree: tree).partitions.contains(part) } ?? part
  }
}
