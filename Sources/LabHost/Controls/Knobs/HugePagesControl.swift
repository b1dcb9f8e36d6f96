import LabModel

/// Sets when the kernel uses transparent huge pages.
///
/// Source: Linux, Documentation/admin-guide/mm/transhuge.rst.
struct HugePagesControl: Control {
  static let path = "sys/kernel/mm/transparent_hugepage/enabled"

  let name = ControlName.thp
  let use: HugePages

  init(use: HugePages) { self.use = use }

  var wanted: String { use.rawValue }

  func obstacle(in tree: HostTree) -> String? {
    guard reading(in: tree) == nil else { return nil }
    return "no /\(Self.path): this kernel has no transparent huge pages; leave `thp` out"
  }

  func reading(in tree: HostTree) -> String? {
    let words = (tree.text(at: Self.path) ?? "").split(separator: " ")
    if words.count == 1 { return String(words[0]) }
    let chosen = words.first { $0.hasPrefix("[") && $0.hasSuffix("]") }
    return chosen.map { String($0.dropFirst().dropLast()) }
  }

  func changes(in tree: HostTree) -> [Change] {
    guard let present = reading(in: tree), present != wanted else { return [] }
    return [.value(path: Self.path, before: present, after: wanted)]
  }
}
