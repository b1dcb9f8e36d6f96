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
      + [noise].compactMap(\.self)
  }

  /// One line for all arms that scatter much.
  private var noise: Diagnostic? {
    let plain = arms.filter { $0.arm.kind == .plain }
    let noisy = plain.compactMap { arm in arm.highVariation.map { (arm: arm.arm, variation: $0) } }
    guard let worst = noisy.max(by: { $0.variation < $1.variation }) else { return nil }
    let name =
      "\(worst.arm.target) \(worst.arm.state.rawValue) at \(Wording.percent(worst.variation))"
    return Diagnostic(
      .warning,
      id: "high-variation",
      problem: plain.count == 1
        ? "noisy: \(name) CV"
        : "noisy: \(noisy.count) of \(plain.count) arms above 10 % CV, worst \(name)",
      remedy: "stop other work (see `top`), or measure more launches"
    )
  }

  /// More launches were disturbed or unsettled than the scenario tolerates.
  private var tooDisturbed: Diagnostic? {
    let summary = RunSummary(run: run, arms: arms, warnings: [])
    guard summary.isTooDisturbed, let limit = run.plan.tolerableShare else { return nil }
    return summary.disturbances.inconclusive(share: summary.doubtfulShare, limit: limit)
  }
}

extension ArmSummary {
  /// The arm as a place, such as `perl, warm`.
  fileprivate var phrase: String {
    [arm.target, arm.state.rawValue, arm.kind.phrase].compactMap(\.self).joined(separator: ", ")
  }
}
