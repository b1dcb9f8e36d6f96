import LaunchCore

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

/// Switches the watchdog off that interrupts every processor and takes one of its counters.
///
/// Source: Linux, Documentation/admin-guide/lockup-watchdogs.rst.
struct NMIWatchdogControl: Control {
  static let path = "proc/sys/kernel/nmi_watchdog"

  let name = ControlName.nmiWatchdog
  let isOn: Bool

  init(isOn: Bool) { self.isOn = isOn }

  var wanted: String { Self.word(isOn) }

  func obstacle(in tree: HostTree) -> String? {
    guard reading(in: tree) == nil else { return nil }
    return "no /\(Self.path): this kernel has no NMI watchdog; leave `nmi_watchdog` out"
  }

  func reading(in tree: HostTree) -> String? {
    tree.text(at: Self.path).map { Self.word($0 != "0") }
  }

  func changes(in tree: HostTree) -> [Change] {
    guard let present = tree.text(at: Self.path), Self.word(present != "0") != wanted else {
      return []
    }
    return [.value(path: Self.path, before: present, after: isOn ? "1" : "0")]
  }

  private static func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
}

/// Switches agents off that reclaim idle pages by themselves.
///
/// Sources: Linux, Documentation/admin-guide/mm/damon/usage.rst and reclaim.rst.
struct ProactiveReclaimControl: Control {
  let name = ControlName.proactiveReclaim
  let wanted = "none"

  func obstacle(in tree: HostTree) -> String? {
    guard reading(in: tree) == nil else { return nil }
    return "only root can see the state of DAMON: run as root"
  }

  func reading(in tree: HostTree) -> String? { ProactiveReclaim(tree: tree).receipt.after }

  func changes(in tree: HostTree) -> [Change] {
    ProactiveReclaim(tree: tree).switches.map { path, value in
      .value(path: path, before: value, after: value == "Y" ? "N" : "off")
    }
  }
}
