import LabModel

/// What a reader must know before trusting the numbers of a run, the gravest first.
struct RunWarnings {
  private let run: RunRecord
  private let arms: [ArmSummary]

  init(run: RunRecord, arms: [ArmSummary]) {
    self.run = run
    self.arms = arms
  }

  /// Check by check in the order of gravity, and within a check in the order of the arms.
  var all: [Diagnostic] {
    let found = ArmSummary.checks.flatMap { check in
      arms.compactMap { arm in
        var diagnostic = check(arm)
        diagnostic?.place = arm.phrase
        return diagnostic
      }
    }
    let errors = found.prefix { $0.severity == .error }
    return errors + [tooDisturbed].compactMap(\.self) + found.dropFirst(errors.count)
      + [proactiveReclaim, virtualHost].compactMap(\.self).filter { !suppressed.contains($0.id) }
  }

  /// What is known and meant to stay as it is; it stands beside the name of the run.
  private var suppressed: Set<String> { run.plan.scenario.controls?.suppressed ?? [] }

  /// More launches were disturbed or unsettled than the scenario tolerates.
  private var tooDisturbed: Diagnostic? {
    let summary = RunSummary(run: run, arms: arms, warnings: [])
    guard summary.isTooDisturbed, let limit = run.plan.tolerableShare else { return nil }
    return summary.disturbances.inconclusive(share: summary.doubtfulShare, limit: limit)
  }

  private var proactiveReclaim: Diagnostic? {
    run.host.proactiveReclaim.map { agent in
      Diagnostic(
        .note,
        id: "proactive-reclaim",
        problem: "this machine drops idle pages from memory by itself (\(agent)), so that a warm "
          + "program grows cold while it rests",
        remedy: "compare these numbers only with others of this machine"
      )
    }
  }

  private var virtualHost: Diagnostic? {
    guard let hypervisor = run.host.virtualization,
      arms.contains(where: { $0.arm.state.isCold && $0.launches > 0 })
    else { return nil }
    return Diagnostic(
      .note,
      id: "virtual-host",
      problem:
        "this machine is virtual (\(hypervisor)), so its host may still hold the blocks that "
        + "a cold launch reads, and cold launches may look faster than on real storage",
      remedy: "compare cold numbers only with others of this machine"
    )
  }
}

extension ArmSummary {
  /// The arm as a place, such as `perl, warm`.
  fileprivate var phrase: String {
    [arm.target, arm.state.rawValue, arm.kind.phrase].compactMap(\.self).joined(separator: ", ")
  }
}
