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
