import LabModel

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
