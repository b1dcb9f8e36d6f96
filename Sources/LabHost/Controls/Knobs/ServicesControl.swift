import LabModel

/// Stops systemd units, such as timers that would begin work during the run.
///
/// Units that are not active are left alone, and so are not started afterwards. Those that need one
/// that is stopped are stopped by name too, so that each is started again. Source: systemctl(1).
struct ServicesControl: Control {
  /// Stands for every timer that is active.
  static let timers = "timers"

  let name = ControlName.services
  private let names: [String]

  /// - Parameter names: Units, `.service` where they have no type, and ``timers``.
  init(names: [String]) {
    self.names = names.map { $0 == Self.timers || $0.contains(".") ? $0 : "\($0).service" }
  }

  var wanted: String { "stopped: \(names.joined(separator: ", "))" }

  func obstacle(in tree: HostTree) -> String? {
    let manager = ServiceManager(tree: tree)
    guard manager.isRunning else {
      return "systemd does not run here: leave `services` out, and stop by hand what would disturb"
    }
    let unknown = units.filter { !manager.knows($0) }
    guard !unknown.isEmpty else { return nil }
    return "systemd knows no unit \(unknown.joined(separator: ", ")): "
      + "list them with `systemctl list-units --all`"
  }

  /// Such as `active: apt-daily.timer, cron.service`.
  func reading(in tree: HostTree) -> String? {
    guard ServiceManager(tree: tree).isRunning else { return nil }
    let active = active(in: tree)
    return active.isEmpty ? "none active" : "active: \(active.joined(separator: ", "))"
  }

  func changes(in tree: HostTree) -> [Change] { active(in: tree).map { .unit(name: $0) } }

  private var units: [String] { names.filter { $0 != Self.timers } }

  /// Timers first, since they start services, and each unit behind those that need it.
  private func active(in tree: HostTree) -> [String] {
    let manager = ServiceManager(tree: tree)
    let timers = names.contains(Self.timers) ? manager.activeTimers : []
    return (timers + units).flatMap { manager.stoppedTogether(with: $0) }.withoutRepetitions
  }
}
