/// How cold the machine is for a launch.
///
/// The raw value is the name used in scenarios, JSON and reports.
package enum LaunchState: String, Codable, CaseIterable, Sendable {
  /// After `sync` and `vm.drop_caches=3`.
  case rebootCold = "reboot-cold"

  /// The target's own files are evicted; files under `install:` directories are made anew.
  case reinstallCold = "reinstall-cold"

  /// As `reinstall-cold`, and the private HOME and the state directories start from a template.
  case firstRun = "first-run"

  /// After unmeasured launches, until one has no major fault.
  case warm
}

extension LaunchState {
  /// Whether the target's own files must not be resident when the launch begins.
  package var isCold: Bool { self != .warm }
}
