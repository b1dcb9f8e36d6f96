import Glibc
import LabModel

/// Why a change of a control could not be made, in words with the remedy.
struct ControlFailure {
  /// One sentence without a full stop.
  let text: String

  init(
    of control: any Control,
    at change: Change,
    _ error: HostError,
    isRoot: Bool = geteuid() == 0
  ) {
    let diagnostic = error.diagnostics.first
    var parts = diagnostic?.problem ?? "\(error)"
    if let place = diagnostic?.place, !parts.contains(place) { parts += " (\(place))" }
    let remedy = Self.remedy(of: control.name, at: change, isRoot: isRoot) ?? diagnostic?.remedy
    text = remedy.map { "\(parts); \($0)" } ?? parts
  }

  private static func remedy(of name: ControlName, at change: Change, isRoot: Bool) -> String? {
    guard isRoot else { return "run as root, or leave `\(name.rawValue)` out" }
    switch change {
    case .value(path: BoostControl.noTurbo, _, _):
      return "the firmware may have switched boost off: look into its set-up"
    case .value(path: NMIWatchdogControl.path, _, _):
      return "the watchdog needs a counter of the processor, which few virtual machines have"
    default: return nil
    }
  }
}
