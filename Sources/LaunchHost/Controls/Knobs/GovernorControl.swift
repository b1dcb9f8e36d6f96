import LaunchCore

/// Sets the cpufreq governor of every processor.
///
/// Sources: Linux, Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst and amd-pstate.rst.
struct GovernorControl: Control {
  let name = ControlName.governor

  /// The governor, such as `performance`.
  let wanted: String

  init(governor: String) { wanted = governor }

  func obstacle(in tree: HostTree) -> String? {
    let policies = CPUFrequencyPolicies(tree: tree)
    guard !policies.directories.isEmpty else {
      return "no cpufreq driver, as in most virtual machines: the host decides on the clock; "
        + "set the governor there, or leave `governor` out"
    }
    for (path, list) in policies.values(of: "scaling_available_governors") {
      let names = list.split(separator: " ").map { String($0) }
      if !names.contains(wanted) {
        return "/\(path) knows no governor \"\(wanted)\": "
          + "choose one of \(names.joined(separator: ", "))"
      }
    }
    return nil
  }

  func reading(in tree: HostTree) -> String? {
    CPUFrequencyPolicies(tree: tree).summary(of: "scaling_governor")
  }

  func changes(in tree: HostTree) -> [Change] {
    let present = CPUFrequencyPolicies(tree: tree).values(of: "scaling_governor")
      .filter { $0.value != wanted }
    let preferences = present.compactMap { preference(besides: $0.path, in: tree) }
    return preferences
      + present.map { Change.value(path: $0.path, before: $0.value, after: wanted) }
  }

  /// The governor `performance` sets the energy preference too, and some versions of amd-pstate
  /// leave it so.
  ///
  /// It is set first, so that it is set back last: `performance` refuses any other preference.
  private func preference(besides path: String, in tree: HostTree) -> Change? {
    let file = path.replacing("scaling_governor", with: "energy_performance_preference")
    guard wanted == "performance", let present = tree.text(at: file), present != wanted else {
      return nil
    }
    return .value(path: file, before: present, after: wanted)
  }
}

/// Lets processors exceed their base clock, or not.
///
/// Sources: Linux, Documentation/admin-guide/pm/intel_pstate.rst (`no_turbo`), cpufreq.rst
/// (`boost`), and drivers/cpufreq/cpufreq.c for the `boost` of single policies.
struct BoostControl: Control {
  static let noTurbo = "sys/devices/system/cpu/intel_pstate/no_turbo"
  static let boost = "\(CPUFrequencyPolicies.directory)/boost"

  let name = ControlName.boost
  let isOn: Bool

  init(isOn: Bool) { self.isOn = isOn }

  var wanted: String { isOn ? "on" : "off" }

  func obstacle(in tree: HostTree) -> String? {
    guard reading(in: tree) == nil else { return nil }
    return "no switch for boost below /sys/devices/system/cpu, as in most virtual machines: "
      + "set it on the host or in the firmware, or leave `boost` out"
  }

  func reading(in tree: HostTree) -> String? {
    if let value = tree.text(at: Self.noTurbo) { return value == "0" ? "on" : "off" }
    let whole = tree.text(at: Self.boost)
    if whole == "0" { return "off" }
    let single = CPUFrequencyPolicies(tree: tree).values(of: "boost")
      .map { $0.value == "0" ? "off" : "on" }.withoutRepetitions
    if single.isEmpty { return whole.map { _ in "on" } }
    return single.joined(separator: ", ")
  }

  func changes(in tree: HostTree) -> [Change] {
    if tree.text(at: Self.noTurbo) != nil {
      return change(of: Self.noTurbo, to: isOn ? "0" : "1", in: tree)
    }
    let single = CPUFrequencyPolicies(tree: tree).values(of: "boost")
      .flatMap { change(of: $0.path, to: isOn ? "1" : "0", in: tree) }
    // The switch for all sets those of the policies, so that switching off leaves it alone where
    // there are those; they take no 1 while it is 0, so that switching on begins with it.
    if !isOn, !CPUFrequencyPolicies(tree: tree).values(of: "boost").isEmpty { return single }
    return change(of: Self.boost, to: isOn ? "1" : "0", in: tree) + single
  }

  private func change(of path: String, to value: String, in tree: HostTree) -> [Change] {
    guard let present = tree.text(at: path), present != value else { return [] }
    return [.value(path: path, before: present, after: value)]
  }
}
