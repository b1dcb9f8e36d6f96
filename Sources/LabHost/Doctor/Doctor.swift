package import LabModel
import SystemPackage

/// Says what a host can and cannot do, and what of it makes its numbers worse.
///
/// It changes nothing on the machine; what cannot be read is tried in processes that end at once.
package struct Doctor: Sendable {
  private let host: HostExamination

  /// Every check in the order in which a reader meets it.
  static let checks: [DoctorCheck] =
    DoctorCheck.rights + DoctorCheck.collectors + DoctorCheck.watching + DoctorCheck.processors
    + DoctorCheck.memory + DoctorCheck.surroundings

  /// The ids of all capabilities, in their order.
  package static let ids: [String] = checks.map(\.id)

  /// - Parameters:
  ///   - tree: The machine.
  ///   - record: What launchlab itself has kept about it.
  package init(tree: HostTree = HostTree(), record: LabRecord = LabRecord()) {
    self.init(HostExamination(tree: tree, trials: .live, record: record))
  }

  init(_ host: HostExamination) { self.host = host }

  /// Every capability, in the order of ``ids``; the trials take some tens of milliseconds.
  package func capabilities() -> [Capability] { Self.checks.map { $0.capability(of: host) } }

  /// The facts of the running machine, with the storage that holds the system's programs.
  package static var facts: HostFacts {
    HostFactsReader().facts(for: DeclaredDirectory.realPath(of: "/bin/sh") ?? "/")
  }

  // MARK: - Before a run

  /// What makes the numbers of a run worse, from a few files and without a trial.
  private static let quickIDs: Set = [
    "virtual-host", "governor", "boost", "aslr", "mains-power", "proactive-reclaim", "debug-build",
    "cpu-count", "load",
  ]

  /// What a run must know of its host before the first launch.
  ///
  /// What the plan's controls see to is left out, since their receipts tell of it; and so are
  /// clocks that only the machine below a virtual one can hold still.
  ///
  /// - Returns: The capabilities that are not ok, suppressed ones included.
  package static func preflight(for plan: Plan, tree: HostTree = HostTree()) -> [Capability] {
    preflight(
      for: plan,
      on: HostExamination(tree: tree, trials: .live, record: LabRecord())
    )
  }

  static func preflight(for plan: Plan, on host: HostExamination) -> [Capability] {
    let skipped = skippedIDs(plan.scenario.controls ?? ControlPlan(), host)
    return checks.filter { quickIDs.contains($0.id) && !skipped.contains($0.id) }
      .map { $0.capability(of: host) }.filter { $0.status != .ok }
  }

  private static func skippedIDs(_ controls: ControlPlan, _ host: HostExamination) -> Set<String> {
    let hidesClocks = host.hypervisor != nil && CPUGovernor(tree: host.tree).description == nil
    let skipped: [(id: String, isSkipped: Bool)] = [
      ("governor", controls.governor != nil || hidesClocks),
      ("boost", controls.boost != nil || hidesClocks),
      ("aslr", controls.randomizesAddresses != nil),
      ("proactive-reclaim", controls.proactiveReclaim == false),
      (
        "load",
        controls.settle?.load != nil || controls.settle?.cpuIdle != nil
          || controls.scheduling == .fifo
      ),
    ]
    return Set(skipped.filter(\.isSkipped).map(\.id))
  }
}
