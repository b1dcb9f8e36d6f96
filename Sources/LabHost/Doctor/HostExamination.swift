package import LabModel

/// All that the checks of doctor look at.
struct HostExamination: Sendable {
  let tree: HostTree

  let trials: HostTrials

  /// What launchlab itself has kept about this host.
  let record: LabRecord

  let cpu: CPUInfo

  /// The hypervisor below; nil on bare metal.
  let hypervisor: String?

  init(tree: HostTree, trials: HostTrials, record: LabRecord) {
    self.tree = tree
    self.trials = trials
    self.record = record
    cpu = CPUInfo(text: tree.text(at: "proc/cpuinfo") ?? "")
    hypervisor =
      Virtualization(tree: tree, hasHypervisorFlag: cpu.hasHypervisorFlag).description
  }

  var isRoot: Bool { trials.user() == 0 }

  /// The remedy for what only the machine below a virtual one could mend.
  func remedy(onBareMetal remedy: String) -> String {
    hypervisor == nil ? remedy : "nothing can be done in this virtual machine"
  }

  /// The remedy for a missing right; `remedy` is for root, who lacks it too.
  func remedy(forRoot remedy: String) -> String { isRoot ? remedy : "run launchlab as root" }

  /// The names of the directories of the processors that there are.
  var processors: [String] {
    let directory = "sys/devices/system/cpu"
    return tree.names(in: directory)
      .filter { $0.hasPrefix("cpu") && Int($0.dropFirst(3)) != nil }
      .map { "\(directory)/\($0)" }
  }

  /// The processors that are on.
  var processorCount: Int? { cpu.count }
}

/// What launchlab itself has kept about a host.
package struct LabRecord: Sendable {
  /// Who measures on this host just now, such as `pid 4711 of ada: launchlab run`.
  package var holder: String?

  /// How many runs ended without setting back what they had changed.
  package var leftovers: Int

  /// How much launches scatter, by the newest selftest in each state.
  package var noise: [HostNoise]

  package init(holder: String? = nil, leftovers: Int = 0, noise: [HostNoise] = []) {
    self.holder = holder
    self.leftovers = leftovers
    self.noise = noise
  }
}
