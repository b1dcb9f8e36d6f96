import LabModel

/// Makes the addresses of every process random where the host has switched that off.
///
/// Switching it off is no machine change: each launch does that for itself. Source: Linux,
/// Documentation/admin-guide/sysctl/kernel.rst, `randomize_va_space`.
struct AddressesControl: Control {
  static let path = "proc/sys/kernel/randomize_va_space"

  let name = ControlName.aslr
  let wanted = "on"

  func obstacle(in tree: HostTree) -> String? {
    reading(in: tree) == nil ? "/\(Self.path) cannot be read" : nil
  }

  /// `on`, `off`, or `on except for the heap`.
  func reading(in tree: HostTree) -> String? {
    switch tree.text(at: Self.path) {
    case "0": "off"
    case "1": "on except for the heap"
    case "2": "on"
    default: nil
    }
  }

  func changes(in tree: HostTree) -> [Change] {
    guard let present = tree.text(at: Self.path), present != "2" else { return [] }
    return [.value(path: Self.path, before: present, after: "2")]
  }
}
