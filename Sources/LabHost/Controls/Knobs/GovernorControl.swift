import LabModel

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
