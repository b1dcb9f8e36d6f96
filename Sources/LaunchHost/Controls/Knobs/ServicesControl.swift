import LaunchCore

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

/// What systemd tells of its units; it is only asked here.
///
/// Sources: systemctl(1), sd_booted(3), systemd.unit(5).
struct ServiceManager {
  var tree: HostTree

  /// Whether systemd manages this machine.
  var isRunning: Bool {
    tree.names(in: "run/systemd").contains("system") && Systemctl(in: tree) != nil
  }

  /// The timers that are active, in order of their names.
  var activeTimers: [String] {
    let text = output([
      "list-units", "--type=timer", "--state=active", "--plain", "--no-legend", "--no-pager",
    ])
    return text.split(whereSeparator: \.isNewline)
      .compactMap { $0.split(separator: " ").first.map { String($0) } }
      .filter { $0.hasSuffix(".timer") }.sorted()
  }

  /// Whether there is such a unit; a masked one counts as none.
  func knows(_ unit: String) -> Bool {
    properties(["LoadState"], of: unit)("LoadState") == "loaded"
  }

  func isActive(_ unit: String) -> Bool {
    UnitProperties.isActive(properties(["ActiveState"], of: unit)("ActiveState") ?? "")
  }

  /// A unit that is active, behind all active ones that systemd stops together with it.
  ///
  /// It starts none of those together with it, so that each has to be started by itself.
  func stoppedTogether(with unit: String) -> [String] {
    var found: [String] = []
    collect(unit, into: &found)
    return found.reversed()
  }

  private func collect(_ unit: String, into found: inout [String]) {
    guard !found.contains(unit), isActive(unit) else { return }
    found.append(unit)
    let properties = properties(Self.stopping, of: unit)
    for name in Self.stopping {
      for dependent in (properties(name) ?? "").split(separator: " ") {
        collect(String(dependent), into: &found)
      }
    }
  }

  /// The properties that name units which are stopped when a unit is.
  private static let stopping = ["RequiredBy", "RequisiteOf", "BoundBy", "ConsistsOf"]

  private func properties(_ names: [String], of unit: String) -> UnitProperties {
    UnitProperties(output(UnitProperties.arguments(names, of: unit)))
  }

  /// What systemctl prints; nothing when it cannot be run.
  private func output(_ arguments: [String]) -> String {
    (try? Systemctl(in: tree)?.output(arguments)) ?? ""
  }
}
