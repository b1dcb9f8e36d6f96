@testable import LaunchCore
@testable import Measuring

extension SampleRun {
  static func summary(
    _ arms: [ArmSummary],
    targets: [Target] = [perl],
    status: RunRecord.Status = .complete,
    blocks: Int = 12,
    warnings: [Diagnostic] = []
  ) -> RunSummary {
    RunSummary(
      run: run(arms, targets: targets, status: status, blocks: blocks),
      arms: arms,
      warnings: warnings
    )
  }

  /// Three states of two targets with their floor and nothing wrong.
  static var complete: RunSummary {
    let states: [LaunchState] = [.rebootCold, .reinstallCold, .warm]
    let perl = zip(states, [Int64(11), 7, 1]).map {
      arm($0, slower: $1, floorMultiple: Double($1) * 8)
    }
    let server = zip(states, [Int64(91), 52, 3]).map {
      var arm = arm($0, of: "server", slower: $1, floorMultiple: Double($1) * 8)
      arm.resolution = Nanoseconds(1_020_000)
      return arm
    }
    return summary(
      states.map(floor) + perl + server + [counters],
      targets: [Self.perl, Self.server]
    )
  }

  /// Three states of one target with their floor.
  static var quickstart: RunSummary {
    let states: [LaunchState] = [.rebootCold, .reinstallCold, .warm]
    let perl = zip(states, [Int64(11), 7, 1]).map {
      arm($0, slower: $1, floorMultiple: Double($1) * 8)
    }
    return summary(perl + states.map(floor))
  }

  /// One of everything that can be wrong.
  static var troubled: RunSummary {
    var unreached = arm(.firstRun, of: "größe|日本 <b>", slower: 12)
    unreached.isUnreached = true
    unreached.state = StateTally(notReached: 12, reasons: ["the state directory is not empty": 12])
    var unverified = arm(.reinstallCold, of: "größe|日本 <b>", slower: 12)
    unverified.state = StateTally(notVerified: 12, reasons: ["mincore needs root": 12])
    unverified.residency = []
    let odd = Target(
      name: "größe|日本 <b>",
      command: ["./größe", "--say", "it's `here`\u{1B}[31m"],
      directory: "/tmp"
    )
    return summary(
      [doubtful, failed, unreached, unverified],
      targets: [perl, odd],
      status: .failed,
      warnings: warnings
    )
  }

  /// A run with controls, of which a third of the launches were disturbed or unsettled.
  static var disturbed: RunSummary {
    var some = arm(.warm)
    some.launches = 16
    some.disturbances = DisturbanceTally(
      disturbed: 4,
      unsettled: 1,
      doubtful: 5,
      repeated: 4,
      kinds: [
        .foreignCPU: .init(
          launches: 3,
          worst: Disturbance(kind: .foreignCPU, amount: 4_100_000, limit: 260_000)
        ),
        .throttling: .init(
          launches: 1,
          worst: Disturbance(kind: .throttling, amount: 2, limit: 0)
        ),
      ],
      obstacle: "cpu idle 12 % (limit 90 %)"
    )
    var all = arm(.reinstallCold, slower: 7)
    all.isDisturbed = true
    all.disturbances = DisturbanceTally(
      disturbed: 12,
      doubtful: 12,
      kinds: [
        .steal: .init(
          launches: 12,
          worst: Disturbance(kind: .steal, amount: 30_000_000, limit: 0)
        )
      ]
    )
    var summary = summary([some, all])
    summary.run.plan.scenario.controls = ControlPlan(
      steal: DisturbanceLimits(),
      suppressed: ["vm", "governor"]
    )
    summary.run.controls = receipts
    return summary
  }

  private static let receipts = [
    ControlReceipt(
      name: "governor",
      wanted: "performance",
      before: "powersave",
      after: "performance",
      status: .applied
    ),
    ControlReceipt(
      name: "thp",
      wanted: "never",
      before: "madvise",
      status: .failed,
      reason: "sys/kernel/mm/transparent_hugepage/enabled cannot be written: run as root"
    ),
    ControlReceipt(
      name: "settle",
      wanted: "cpu idle 90 %, within 30 s",
      after: "cpu idle 90 %, within 30 s",
      status: .applied
    ),
    ControlReceipt(name: "proactive_reclaim", after: "DAMON | pageout", status: .observed),
  ]

  /// One launch of one arm.
  static var single: RunSummary {
    var arm = arm(.warm)
    arm.launches = 1
    arm.outcomes = ["ready": 1]
    arm.state = StateTally(reached: 1)
    arm.metrics = arm.metrics.map { metric($0.metric, [$0.values[0]]) }
    arm.warmUps = 1
    return summary([arm], blocks: 1)
  }
}
