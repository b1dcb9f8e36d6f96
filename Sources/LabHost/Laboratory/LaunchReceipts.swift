import LabModel

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
