import CLabHost
import Foundation
import Glibc
package import LaunchCore
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

/// What cannot be read of a machine, but only be tried.
///
/// Numbers are those of errno; 0 means that it works.
package struct HostTrials: Sendable {
  /// The effective user id.
  var user: @Sendable () -> UInt32

  /// Whether the kernel shows residency of files that belong to others.
  var seesResidency: @Sendable () -> Bool

  var networkNamespace: @Sendable () -> Int32

  var tracing: @Sendable () -> Int32

  /// A software event, with the kernel's part or without.
  var softwareEvent: @Sendable (_ withKernel: Bool) -> Int32

  /// A counter of the processor, with the kernel's part or without.
  var hardwareEvent: @Sendable (_ withKernel: Bool) -> Int32

  /// Why the probe cannot be used; nil when it can.
  var probeProblem: @Sendable () -> String?

  /// What keeps launches from being traced; nil when not even that can be tried.
  var tracingRights: @Sendable () -> TracingRights?

  /// Whether launchlab was built without optimisation.
  var isDebugBuild: @Sendable () -> Bool

  /// Whether a program that notifications need is installed.
  var hasProgram: @Sendable (NoticeProgram) -> Bool

  /// Whether instructions can be counted without counters of the processor.
  var hasValgrind: @Sendable () -> Bool

  /// The programs for displays of runs' own that are not installed.
  var missingForWindows: @Sendable () -> [String]

  /// Those of this process, on the machine that it runs on.
  static let live = Self(
    user: { geteuid() },
    seesResidency: { PageCache().canVerify("/proc/self/exe") && PageCache().canVerify("/bin/sh") },
    networkNamespace: { -lab_try_network_namespace() },
    tracing: { -lab_try_tracing() },
    softwareEvent: { CounterEvent.pageFaults.refusal(withKernel: $0) },
    hardwareEvent: { CounterEvent.instructions.refusal(withKernel: $0) },
    probeProblem: probeProblem,
    tracingRights: { liveRights },
    isDebugBuild: {
      #if DEBUG
      true
      #else
      false
      #endif
    },
    hasProgram: {
      let sender = NoticeSender(directory: "/", environment: ProcessInfo.processInfo.environment)
      return sender.path(of: $0) != nil
    },
    hasValgrind: { ValgrindCount.isInstalled },
    missingForWindows: { TargetDisplay.missingPrograms }
  )

  /// What comes of loading the programs that record events, and of opening the perf events of a
  /// profile; two checks ask for it.
  private static let liveRights: TracingRights? = {
    guard let directory = try? ScratchDirectory.path() else { return nil }
    return try? TracingRights(in: directory)
  }()

  /// Launches a program that does nothing, with the probe.
  @Sendable private static func probeProblem() -> String? {
    do throws(HostError) {
      let spawner = try Spawner()
      defer { spawner.close() }
      let probe = try StageProbe(fallback: "/tmp")
      defer { probe.remove() }
      return try probe.problem(with: spawner)
    } catch {
      return error.diagnostics.first?.problem ?? "it cannot be tried"
    }
  }
}

extension Int32 {
  /// What an error number means, such as `operation not permitted`.
  var errorText: String { Errno(rawValue: self).description.lowercased() }
}

extension Capability {
  /// What is true of a host every night; `launchlab doctor` and the record of a run have it.
  private static let lasting: Set = ["virtual-host", "proactive-reclaim"]

  /// What a reader of a run is told of it; nil when it is fine, or true every night.
  package var warning: Diagnostic? {
    guard status != .ok, !Self.lasting.contains(id) else { return nil }
    return Diagnostic(.warning, id: id, problem: "\(title): \(finding)", remedy: remedy)
  }
}
