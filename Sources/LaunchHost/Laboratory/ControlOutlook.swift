import Glibc
package import LaunchCore

/// What a machine has against the controls of a plan, as far as it shows without a change or a launch.
package enum ControlOutlook {
  /// Looks at every control that is asked for.
  ///
  /// - Parameters:
  ///   - plan: What a scenario asks for.
  ///   - tree: The machine.
  /// - Returns: Why a control cannot be had, or not wholly, as a sentence without a full stop.
  package static func obstacles(
    to plan: ControlPlan,
    in tree: HostTree = HostTree()
  ) -> [ControlName: String] {
    var obstacles: [ControlName: String] = [:]
    let available = ProcessAffinity.available()
    let missing = (plan.cpus ?? []).filter { !available.contains($0) }
    if let first = missing.first {
      let numbers = available.map(String.init).joined(separator: ", ")
      obstacles[.cpus] = "there is no processor \(first) here: choose among \(numbers)"
    }
    if plan.scheduling == .fifo { obstacles[.scheduling] = RealTimeScheduling.obstacle(in: tree) }
    obstacles.merge(ControlSession.obstacles(to: plan, in: tree)) { first, _ in first }
    // A shield of processors that the target does not get is of no use.
    if plan.setting(of: .shield) != nil, let reason = obstacles[.cpus] {
      obstacles[.shield] = reason
    }
    if let settle = plan.settle {
      obstacles[.settle] = SettleGate(limits: settle, cpus: plan.cpus, tree: tree).receipt().reason
    }
    if let steal = plan.steal {
      let meter = DisturbanceMeter(limits: steal, cpus: plan.cpus, cgroup: nil, tree: tree)
      let receipt = meter.receipt()
      if receipt.status != .applied { obstacles[.steal] = receipt.reason }
    }
    return obstacles
  }
}
