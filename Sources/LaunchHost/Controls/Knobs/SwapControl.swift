import LaunchCore

/// Keeps the pages of targets out of swap.
///
/// Sources: Linux, Documentation/admin-guide/sysctl/vm.rst, `swappiness`; swapoff(2).
struct SwapControl: Control {
  static let path = "proc/sys/vm/swappiness"

  let name = ControlName.swap
  let policy: SwapPolicy

  init(policy: SwapPolicy) { self.policy = policy }

  var wanted: String {
    switch policy {
    case .off: "off"
    case .swappiness(let value): "swappiness \(value)"
    }
  }

  func obstacle(in tree: HostTree) -> String? {
    guard tree.text(at: Self.path) == nil else { return nil }
    return "no /\(Self.path): this kernel does not swap; leave `swap` out"
  }

  /// Such as `swappiness 60, on: /dev/sda5`.
  func reading(in tree: HostTree) -> String? {
    guard let swappiness = tree.text(at: Self.path) else { return nil }
    guard policy == .off else { return "swappiness \(swappiness)" }
    let areas = SwapAreas(tree: tree).all.map(\.path).reversed().joined(separator: ", ")
    return "swappiness \(swappiness), \(areas.isEmpty ? "no area" : "on: \(areas)")"
  }

  func changes(in tree: HostTree) -> [Change] {
    switch policy {
    case .swappiness(let value): swappiness(value, in: tree)
    case .off:
      swappiness(0, in: tree)
        + SwapAreas(tree: tree).switchable.map { area in
          .swapArea(path: String(area.path.drop { $0 == "/" }), priority: area.priority)
        }
    }
  }

  func shortfall(in tree: HostTree) -> String? {
    policy == .off ? SwapAreas(tree: tree).shortfall : nil
  }

  private func swappiness(_ value: Int, in tree: HostTree) -> [Change] {
    guard let present = tree.text(at: Self.path), present != String(value) else { return [] }
    return [.value(path: Self.path, before: present, after: String(value))]
  }
}

/// The swap areas that are on, and whether memory could take what they hold.
///
/// Sources: proc_swaps(5), proc_meminfo(5).
struct SwapAreas {
  /// One line of `/proc/swaps`.
  struct Area: Hashable {
    /// Absolute, such as `/dev/sda5`.
    var path: String
    var usedKibibytes: Int
    var priority: Int

    /// Its file was removed, so that it could never be switched on again.
    var isRemoved: Bool { path.hasSuffix(" (deleted)") }
  }

  /// By priority, the lowest first.
  ///
  /// The kernel numbers areas without a priority of their own downwards as they are switched on:
  /// areas that go off in this order and come back in the other one have their old places.
  let all: [Area]

  private let totalKibibytes: Int
  private let availableKibibytes: Int

  init(tree: HostTree) {
    let lines = (tree.text(at: "proc/swaps") ?? "").split(separator: "\n").dropFirst()
    all = lines.compactMap { Area(line: $0) }.sorted { $0.priority < $1.priority }
    let memory = Self.memory(in: tree)
    totalKibibytes = memory["MemTotal"] ?? 0
    availableKibibytes = memory["MemAvailable"] ?? 0
  }

  /// Those that can be switched off and on again; empty when memory could not take what they hold.
  var switchable: [Area] { isRoomy ? all.filter { !$0.isRemoved } : [] }

  /// Why some stay on, as a sentence without a full stop; nil when all can be switched off.
  var shortfall: String? {
    if !isRoomy {
      return "the swap areas stay on: they hold \(Self.size(held)), and of the memory "
        + "\(Self.size(availableKibibytes)) are available, \(Self.size(reserve)) of which must "
        + "stay free; end programs that use memory"
    }
    return all.first { $0.isRemoved }.map {
      "\($0.path) stays on: without its file it could not be switched on again"
    }
  }

  /// What all of them hold, in KiB.
  var held: Int { all.map(\.usedKibibytes).reduce(0, +) }

  private var reserve: Int { totalKibibytes / 10 }

  private var isRoomy: Bool { availableKibibytes - reserve >= held }

  private static func memory(in tree: HostTree) -> [String: Int] {
    var values: [String: Int] = [:]
    for line in (tree.text(at: "proc/meminfo") ?? "").split(separator: "\n") {
      let fields = line.split(whereSeparator: { $0 == ":" || $0 == " " })
      if fields.count > 1 { values[String(fields[0])] = Int(fields[1]) }
    }
    return values
  }

  /// Such as `3.1 GiB`.
  private static func size(_ kibibytes: Int) -> String {
    let tenths = (max(kibibytes, 0) * 10 + (1 << 19)) >> 20
    return "\(tenths / 10).\(tenths % 10) GiB"
  }
}

extension SwapAreas.Area {
  /// Reads a line; white space in the path is written in octal.
  fileprivate init?(line: Substring) {
    let fields = line.split(whereSeparator: \.isWhitespace)
    guard fields.count == 5, let used = Int(fields[3]), let priority = Int(fields[4]) else {
      return nil
    }
    path = [("\\040", " "), ("\\011", "\t"), ("\\134", "\\")]
      .reduce(String(fields[0])) { $0.replacing($1.0, with: $1.1) }
    usedKibibytes = used
    self.priority = priority
  }
}
