/// What sets the clocks of a machine's processors.
struct CPUGovernor {
  var tree: HostTree

  /// The governors of all processors, different ones joined by commas; nil without cpufreq.
  var description: String? {
    let directory = "sys/devices/system/cpu"
    let governors = tree.names(in: directory)
      .filter { $0.hasPrefix("cpu") && Int($0.dropFirst(3)) != nil }
      .compactMap { tree.text(at: "\(directory)/\($0)/cpufreq/scaling_governor") }
    return governors.isEmpty ? nil : Set(governors).sorted().joined(separator: ",")
  }
}
