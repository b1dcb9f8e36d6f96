import LabModel

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
