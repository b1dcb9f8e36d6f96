import Foundation

@testable import LaunchCore
@testable import LaunchStatistics
@testable import Measuring

/// Runs with fixed figures, for snapshots.
enum SampleRun {
  static let startedAt = Date(timeIntervalSince1970: 1_795_235_400)

  static let host = HostFacts(
    cpuModel: "AMD EPYC 7B13",
    cpuCount: 2,
    memoryBytes: 25_199_874_048,
    architecture: "x86_64",
    kernel: "6.18.0",
    libc: "glibc 2.36",
    fileSystem: "ext4",
    device: "vda1",
    readAheadKilobytes: 128,
    ioScheduler: "none",
    proactiveReclaim: "DAMON pageout",
    virtualization: "kvm",
    fingerprint: "3fa21b90c4d1e8a7"
  )

  static let perl = Target(
    name: "perl",
    command: ["/usr/bin/perl", "-e", "print 'a|b'"],
    directory: "/home/ada/lab"
  )

  static let server = Target(
    name: "server",
    command: ["/usr/bin/redis-server", "--port", "7379"],
    ready: .tcp(host: "127.0.0.1", port: 7379),
    directory: "/home/ada/lab"
  )

  /// A run of a plan with an arm for each summary.
  static func run(
    _ arms: [ArmSummary],
    targets: [Target] = [perl],
    status: RunRecord.Status = .complete,
    blocks: Int = 12
  ) -> RunRecord {
    var states: [LaunchState] = []
    for arm in arms where !states.contains(arm.arm.state) { states.append(arm.arm.state) }
    let scenario = Scenario(
      name: "quickstart",
      targets: targets,
      states: states,
      launches: blocks,
      directory: "/home/ada/lab"
    )
    return RunRecord(
      id: "20261121T043000Z-3fa2",
      startedAt: startedAt,
      finishedAt: startedAt.addingTimeInterval(95),
      status: status,
      plan: Plan(scenario: scenario, seed: 4711, arms: arms.map(\.arm), blockCount: blocks),
      host: host,
      tool: "0.1.0"
    )
  }

  /// Estimates of values, from formulas that are simple rather than fast.
  static func estimates(_ values: [Int64]) -> Estimates {
    let sorted = values.map(Double.init).sorted()
    let count = Double(sorted.count)
    let mean = sorted.reduce(0, +) / count
    let squares = sorted.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let variance = sorted.count > 1 ? squares / (count - 1) : nil
    let median = quantile(sorted, 0.5)
    let deviation = variance?.squareRoot()
    return Estimates(
      n: sorted.count,
      mean: mean,
      variance: variance,
      standardDeviation: deviation,
      coefficientOfVariation: mean == 0 ? nil : deviation.map { $0 / mean },
      median: median,
      medianAbsoluteDeviation: quantile(sorted.map { abs($0 - median) }.sorted(), 0.5),
      minimum: sorted[0],
      maximum: sorted[sorted.count - 1],
      p90: quantile(sorted, 0.9),
      p95: quantile(sorted, 0.95),
      medianInterval: sorted.count < 5
        ? nil : Interval(low: quantile(sorted, 0.2), high: quantile(sorted, 0.8))
    )
  }

  private static func quantile(_ sorted: [Double], _ share: Double) -> Double {
    let position = share * Double(sorted.count - 1)
    let low = Int(position)
    let high = min(low + 1, sorted.count - 1)
    return sorted[low] + (position - Double(low)) * (sorted[high] - sorted[low])
  }

  static func metric(_ metric: Metric, _ values: [Int64]) -> MetricSummary {
    MetricSummary(metric: metric, values: values, estimates: estimates(values))
  }
}

// MARK: - Arms

extension SampleRun {
  private static let warmTimes: [Int64] = [
    2_613_000, 2_581_400, 2_702_100, 2_598_700, 2_644_900, 2_611_300, 2_590_000, 2_677_800,
    2_605_500, 2_630_600, 2_583_200, 3_412_900,
  ]

  static func arm(
    _ state: LaunchState,
    of target: String = "perl",
    slower factor: Int64 = 1,
    floorMultiple: Double? = nil
  ) -> ArmSummary {
    let times = warmTimes.map { $0 * factor }
    return ArmSummary(
      arm: Arm(target: target, state: state),
      launches: 12,
      outcomes: ["ready": 12],
      state: StateTally(reached: 12),
      metrics: [
        metric(.launch, times),
        metric(.peakRSS, Array(repeating: 5_242_880, count: 12)),
        metric(.minorFaults, Array(repeating: 402, count: 12)),
        metric(.majorFaults, Array(repeating: state.isCold ? 57 : 0, count: 12)),
        metric(.userTime, times.map { $0 / 3 }),
        metric(.systemTime, times.map { $0 / 4 }),
        metric(.spawn, Array(repeating: 84_000, count: 12)),
      ],
      missing: ["bytes_read": "/proc/pid/io: permission denied"],
      floorMultiple: floorMultiple,
      residency: residency(state),
      preparation: Nanoseconds(state.isCold ? 21_400_000 : 2_900_000),
      warmUps: state.isCold ? 0 : 14
    )
  }

  private static func residency(_ state: LaunchState) -> [ResidencySummary] {
    [
      ResidencySummary(
        path: "/usr/bin/perl",
        isOwn: true,
        maximumResidentPages: state.isCold ? 0 : 928,
        meanResidentShare: state.isCold ? 0 : 1,
        totalPages: 928
      ),
      ResidencySummary(
        path: "/lib/x86_64-linux-gnu/libc.so.6",
        isOwn: false,
        maximumResidentPages: 467,
        meanResidentShare: 1,
        totalPages: 467,
        pinnedBy: state.isCold ? "mapped by pid 1 and 41 others" : nil
      ),
    ]
  }

  /// The empty program.
  static func floor(_ state: LaunchState) -> ArmSummary {
    let times = warmTimes.map { $0 / 8 }
    return ArmSummary(
      arm: Arm(target: Arm.emptyTarget, state: state),
      launches: 12,
      outcomes: ["ready": 12],
      state: StateTally(reached: 12),
      metrics: [metric(.launch, times)],
      floorMultiple: 1,
      preparation: .milliseconds(1)
    )
  }

  /// An arm whose target never became ready.
  static var failed: ArmSummary {
    ArmSummary(
      arm: Arm(target: "perl", state: .warm),
      launches: 3,
      outcomes: ["exited": 2, "timed-out": 1],
      state: StateTally(notReached: 3, reasons: ["3 major faults": 3]),
      metrics: []
    )
  }

  /// An arm of which a quarter did not reach its state, and two launches failed.
  static var doubtful: ArmSummary {
    var arm = arm(.reinstallCold, slower: 7)
    arm.state = StateTally(
      reached: 9,
      notReached: 3,
      reasons: ["perl: 12 of 928 pages resident": 3]
    )
    arm.metrics[0] = metric(.launch, Array(arm.metrics[0].values.prefix(7)))
    arm.outcomes = ["ready": 10, "exited": 1, "signalled": 1]
    arm.residency[0].maximumResidentPages = 12
    arm.residency[0].pinnedBy = "mapped by pid 4711 (perl)"
    arm.flags = [.outputBlocked: 2, .replaced: 1]
    arm.resolution = .milliseconds(1)
    return arm
  }

  /// An arm with the results of counter launches.
  static var counters: ArmSummary {
    ArmSummary(
      arm: Arm(target: "perl", state: .warm, kind: .counters),
      launches: 3,
      outcomes: ["ready": 3],
      state: StateTally(reached: 3),
      metrics: [metric(.launch, [2_900_000, 2_910_000, 2_905_000])],
      counters: [
        "page-faults": .estimated(estimates([402, 403, 402])),
        "instructions": .missing(reason: "no hardware events in this virtual machine"),
      ]
    )
  }

  static let warnings = [
    Diagnostic(
      .warning,
      id: "state-not-reached",
      problem: "3 of 12 launches were not cold: pages of perl stayed, probably because another "
        + "process has it mapped",
      place: "perl reinstall-cold",
      remedy: "stop pid 4711 (perl), then run again"
    ),
    Diagnostic(
      .note,
      id: "virtual-host",
      problem: "the host below this kvm guest may still hold the blocks",
      remedy: "compare cold times on this host only"
    ),
  ]
}
