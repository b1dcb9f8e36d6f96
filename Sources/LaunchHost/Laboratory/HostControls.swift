package import LaunchCore
import SystemPackage

/// The controls of one run: what is set for all of it, and what each launch is given.
struct HostControls {
  /// One per control that is asked for, and of those that are always reported.
  let receipts: [ControlReceipt]

  /// What launches are given; what the machine refuses is not among it.
  let conditions: LaunchConditions

  /// The processors that launchlab and its spawner are kept on; nil leaves them alone.
  let harnessCPUs: [Int]?

  /// The directory that the cgroup of the run has to be made in; nil when it may be anywhere.
  let cgroupParent: String?

  let gate: SettleGate?

  private let plan: ControlPlan
  private let tree: HostTree

  /// The processors that launchlab had at first.
  private let firstCPUs = ProcessAffinity.allowed()

  /// Tries what launches ask for, and applies the rest.
  ///
  /// - Parameters:
  ///   - plan: What the scenario asks for.
  ///   - session: The lab that the changes belong to.
  ///   - sockets: A directory of a short path for the spawner of the trial.
  /// - Throws: ``HostError/controlsRefused(_:)`` with every control that is required and refused;
  ///   what was changed is then set back.
  init(plan: ControlPlan, session: LabSession, sockets: String) throws(HostError) {
    self.plan = plan
    tree = session.tree
    gate = plan.settle.map { SettleGate(limits: $0, cpus: plan.cpus, tree: session.tree) }
    let refused = try Self.refusals(of: plan, tree: session.tree, sockets: sockets) {
      session.lostSpawners.append($0)
    }
    let conditions = LaunchConditions(plan, without: refused)
    let unsettled = gate?.receipt()
    let journal = session.journal
    var controls = ControlSession(plan: plan, tree: session.tree) {
      (change, name) throws(HostError) in
      try journal.record(change, of: name)
    }
    let applied = try controls.apply(
      refused: refused.merging(Self.refusals(of: [unsettled].compactMap(\.self))) { first, _ in
        first
      }
    )
    self.conditions = conditions
    cgroupParent = controls.cgroupParent
    // Where launchlab was bound to processors it stays on them, as far as it can.
    harnessCPUs = conditions.cpus.flatMap { [firstCPUs] cpus in
      [firstCPUs, ProcessAffinity.available()].map { $0.filter { !cpus.contains($0) } }
        .first { !$0.isEmpty }
    }
    receipts =
      LaunchReceipts(
        plan: plan,
        refused: refused,
        harness: harnessCPUs,
        processors: ProcessAffinity.available().count
      ).all + applied + [unsettled].compactMap(\.self)
  }

  /// Keeps launchlab itself off the processors of targets, until ``release()``.
  ///
  /// The spawner must be there already: what it gives to targets that ask for none are the
  /// processors that launchlab has.
  func pinHarness() {
    if let harnessCPUs { _ = ProcessAffinity.pin(to: harnessCPUs) }
  }

  /// Lets launchlab run where it did before.
  func release() {
    if harnessCPUs != nil { _ = ProcessAffinity.pin(to: firstCPUs) }
  }

  /// Refuses a control of launches that is required and not had.
  ///
  /// - Throws: ``HostError/controlsRefused(_:)``.
  func check(_ receipt: ControlReceipt?) throws(HostError) {
    guard let receipt, receipt.status != .applied, let name = ControlName(rawValue: receipt.name),
      plan.required.contains(name)
    else { return }
    throw .controlsRefused([name: receipt.reason ?? "it is not available on this machine"])
  }

  /// Watches launches, where that is asked for.
  ///
  /// - Parameter cgroup: That of the run.
  /// - Returns: Nil where nothing is watched.
  func meter(cgroup: String?) -> DisturbanceMeter? {
    plan.steal.map {
      DisturbanceMeter(
        limits: $0,
        cpus: conditions.cpus,
        cgroup: cgroup.map { FilePath($0) },
        tree: tree
      )
    }
  }

  private static func refusals(
    of plan: ControlPlan,
    tree: HostTree,
    sockets: String,
    whenLost: @escaping (String) -> Void
  ) throws(HostError) -> [ControlName: String] {
    var refused: [ControlName: String] = [:]
    if plan.scheduling == .fifo { refused[.scheduling] = RealTimeScheduling.obstacle(in: tree) }
    let wanted = LaunchConditions(plan, without: refused)
    guard wanted.needsTrial else { return refused }
    let spawner = try Spawner(temporaryDirectory: sockets)
    spawner.whenLost = whenLost
    defer { spawner.close() }
    return try LaunchTrial(spawner: spawner).refusals(of: wanted).merging(refused) { $1 }
  }

  /// What is not had, or not wholly, by the receipts of controls.
  static func refusals(of receipts: [ControlReceipt]) -> [ControlName: String] {
    receipts.reduce(into: [:]) { refusals, receipt in
      // With a reason it is less than what was asked for, whatever its status.
      if let name = ControlName(rawValue: receipt.name) { refusals[name] = receipt.reason }
    }
  }
}

extension LaunchConditions {
  /// What a plan asks of each launch, but for what the machine refuses.
  init(_ plan: ControlPlan, without refused: [ControlName: String]) {
    self.init(
      cpus: refused[.cpus] == nil ? plan.cpus : nil,
      randomizesAddresses: refused[.aslr] != nil || plan.randomizesAddresses != false,
      priority: refused[.priority] == nil ? plan.priority : nil,
      isRealTime: refused[.scheduling] == nil && plan.scheduling == .fifo,
      network: refused[.network] == nil ? plan.network : .host,
      padsEnvironment: plan.padsEnvironment
    )
  }

  /// Whether anything is asked for that a machine may refuse.
  var needsTrial: Bool {
    cpus != nil || !randomizesAddresses || priority != nil || isRealTime || network != .host
  }
}

/// What became of the controls that each launch is given.
struct LaunchReceipts {
  let plan: ControlPlan

  /// What the machine refuses, with the reason.
  let refused: [ControlName: String]

  /// The processors that launchlab itself is kept on.
  let harness: [Int]?

  /// How many processors there are for targets and everything else.
  let processors: Int

  /// One per control that is asked for.
  var all: [ControlReceipt] {
    [cpus, priority, scheduling, network, environment, environmentSize].compactMap(\.self)
  }

  private var cpus: ControlReceipt? {
    plan.cpus.map { cpus in
      let list = "\(CPUList(cpus))"
      let place = harness.map { "\(list), launchlab on \(CPUList($0))" }
      var receipt = receipt(of: .cpus, wanted: list, before: "all", after: place ?? list)
      if receipt.status == .applied, harness == nil {
        receipt.reason = "no processor is left for launchlab itself, which runs on these too"
      }
      return receipt
    }
  }

  private var priority: ControlReceipt? {
    plan.priority.map { receipt(of: .priority, wanted: "\($0)", before: nil, after: "\($0)") }
  }

  private var scheduling: ControlReceipt? {
    plan.scheduling.map { scheduling in
      let levels = RealTimeScheduling.self
      var receipt = receipt(
        of: .scheduling,
        wanted: scheduling.rawValue,
        before: LabScheduling.normal.rawValue,
        after: "targets fifo \(levels.level), their spawner fifo \(levels.spawnerLevel)"
      )
      if receipt.status == .applied, processors == 1 {
        receipt.reason = "the only processor is the target's alone while it computes"
      }
      return receipt
    }
  }

  private var network: ControlReceipt? {
    guard plan.network != .host else { return nil }
    let wanted = plan.network.rawValue
    return receipt(of: .network, wanted: wanted, before: "host", after: wanted)
  }

  private var environment: ControlReceipt? {
    guard plan.environment != .inherited else { return nil }
    let wanted = plan.environment.rawValue
    return receipt(of: .environment, wanted: wanted, before: "inherited", after: wanted)
  }

  private var environmentSize: ControlReceipt? {
    guard plan.padsEnvironment else { return nil }
    let wanted = "0 to \(LaunchRequest.paddingLimit) bytes"
    return receipt(of: .environmentSize, wanted: wanted, before: nil, after: wanted)
  }

  private func receipt(
    of name: ControlName,
    wanted: String,
    before: String?,
    after: String
  ) -> ControlReceipt {
    let reason = refused[name]
    return ControlReceipt(
      name: name.rawValue,
      wanted: wanted,
      before: before,
      after: reason == nil ? after : before,
      status: reason == nil ? .applied : .unavailable,
      reason: reason
    )
  }
}

extension LaunchPriority: CustomStringConvertible {
  /// Such as `nice -5, fifo 10`.
  package var description: String {
    let rule = policy.map { [$0.rawValue, level.map { "\($0)" }].compactMap(\.self) }
    return [nice.map { "nice \($0)" }, rule?.joined(separator: " ")].compactMap(\.self)
      .joined(separator: ", ")
  }
}
