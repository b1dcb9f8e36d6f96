import LabModel

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
