package import LaunchCore
package import LaunchStatistics
package import Stages

/// What is concluded from the launches of one run.
package struct RunSummary: Hashable, Sendable {
  package var run: RunRecord

  /// Per arm of the plan, in the plan's order.
  package var arms: [ArmSummary]

  /// What a reader must know before trusting the numbers, the gravest first.
  package var warnings: [Diagnostic]

  package init(run: RunRecord, arms: [ArmSummary], warnings: [Diagnostic]) {
    self.run = run
    self.arms = arms
    self.warnings = warnings
  }
}

/// What is concluded from the launches of one arm.
package struct ArmSummary: Hashable, Sendable {
  package var arm: Arm

  /// How many launches are stored, whatever their outcome.
  package var launches: Int

  /// Launches per outcome name; only outcomes that occurred.
  package var outcomes: [String: Int]

  package var state: StateTally

  /// Whether `metrics` come from launches that did not reach their state, because none did.
  package var isUnreached: Bool = false

  /// Whether `metrics` come from launches that were disturbed, because all were.
  package var isDisturbed: Bool = false

  package var disturbances: DisturbanceTally = DisturbanceTally()

  /// Per metric that has at least one value, in the order of `Metric.allCases`.
  package var metrics: [MetricSummary]

  /// Why a metric has no value, by the metric's JSON name; the last reason seen.
  package var missing: [String: String] = [:]

  /// Per counter name, of counter launches only.
  package var counters: [String: CounterSummary] = [:]

  /// The median launch as a multiple of the empty program's in the same state.
  package var floorMultiple: Double?

  /// Per file, the residency before launches, in the order they were read.
  package var residency: [ResidencySummary] = []

  /// Launches per flag; only flags that occurred.
  package var flags: [LaunchFlag: Int] = [:]

  /// The median readiness resolution of the ready launches; 0 when readiness is awaited.
  package var resolution: Nanoseconds = .zero

  /// The median duration of the preparation of a launch.
  package var preparation: Nanoseconds = .zero

  /// Unmeasured launches in all.
  package var warmUps: Int = 0

  /// How the launches were spent, one summary per collector that was really at work.
  ///
  /// A plain arm has those of the collector arms of its target and state.
  package var stages: [StagesSummary] = []

  /// The pages that came in, of cold collector launches.
  package var pageIns: PageInSummary?

  /// Why no launch was ready, with what the last one printed, where that was found.
  var failure: Diagnostic?

  /// Whether the metrics come from launches that were not as they were asked to be.
  package var isDoubtful: Bool { isUnreached || isDisturbed }

  /// The summary of a metric, if any launch has it.
  package func summary(of metric: Metric) -> MetricSummary? {
    metrics.first { $0.metric == metric }
  }
}

/// How many ready launches of an arm reached their state, and why the others did not.
///
/// A launch that did not become ready has no figures to judge it by, and is not counted here.
package struct StateTally: Hashable, Sendable {
  package var reached: Int = 0
  package var notReached: Int = 0
  package var notVerified: Int = 0

  /// Launches per reason of `notReached` and `notVerified`.
  package var reasons: [String: Int] = [:]

  /// The part of `reasons` that is of `notVerified`.
  package var unverifiedReasons: [String: Int] = [:]
}

/// The values of one metric of one arm, and what is estimated from them.
package struct MetricSummary: Hashable, Sendable {
  package var metric: Metric

  /// In launch order, in the metric's unit.
  package var values: [Int64]

  package var estimates: Estimates

  /// What is odd about the values, as diagnostics without a place: outliers, drift, two modes.
  package var remarks: [Diagnostic] = []
}

/// The values of one perf event, or the reason why there are none.
package enum CounterSummary: Hashable, Sendable {
  case estimated(Estimates)
  case missing(reason: String)
}

/// The residency of one file over the launches of an arm.
package struct ResidencySummary: Hashable, Sendable {
  package var path: String
  package var isOwn: Bool

  /// The largest number of resident pages before any launch.
  package var maximumResidentPages: Int

  /// The mean share of resident pages over the launches, from 0 to 1.
  package var meanResidentShare: Double

  package var totalPages: Int

  /// The last known reason why pages stayed.
  package var pinnedBy: String?
}

extension RunSummary {
  /// The exit code that the run ends with.
  ///
  /// Where several reasons apply, the one that `LabExitCode` puts first decides.
  package var exitCode: LabExitCode {
    let doubt: LabExitCode = isTooDisturbed ? .inconclusive : .done
    return (arms.map(\.exitCode) + [run.status.exitCode, doubt]).max() ?? .done
  }
}

extension ArmSummary {
  /// How many launches were ready.
  var readyLaunches: Int { outcomes[Outcome.ready.name] ?? 0 }

  fileprivate var exitCode: LabExitCode {
    guard readyLaunches > 0 else { return .couldNotMeasure }
    return isDoubtful ? .inconclusive : .done
  }
}

extension RunRecord.Status {
  fileprivate var exitCode: LabExitCode {
    switch self {
    case .failed: .couldNotMeasure
    case .interrupted: .interrupted
    case .complete, .unfinished: .done
    }
  }
}

extension RunSummary {
  /// The scenario's name, with the ids of the findings that are not warned of, such as
  /// `redis [suppressed: governor, virtual-host]`.
  package var name: String {
    let scenario = run.plan.scenario
    let ids = scenario.controls?.suppressed.sorted() ?? []
    return ids.isEmpty
      ? scenario.name : "\(scenario.name) [suppressed: \(ids.joined(separator: ", "))]"
  }

  /// The disturbances of all arms together.
  package var disturbances: DisturbanceTally {
    DisturbanceTally.sum(of: arms.map(\.disturbances))
  }

  /// The disturbed and unsettled launches of all arms, as a share of those that were asked for by
  /// now; from 0 to 1.
  package var doubtfulShare: Double {
    disturbances.share(of: arms.reduce(0) { $0 + $1.launches })
  }

  /// Whether more launches were disturbed or unsettled than a result may have.
  package var isTooDisturbed: Bool {
    run.plan.tolerableShare.map { doubtfulShare > $0 } ?? false
  }
}

extension RunSummary {
  /// The places of functions that stages are about.
  package var codePlaces: Set<CodePlace> {
    arms.flatMap(\.stages).reduce(into: []) { $0.formUnion($1.codePlaces) }
  }

  /// Gives the functions of every stage the names that were found for them.
  ///
  /// - Parameter symbols: Demangled symbols by ``codePlaces``.
  /// - Returns: The same result with the symbols.
  package func naming(_ symbols: [CodePlace: String]) -> Self {
    changingStages { $0.naming(symbols) }
  }

  /// The same result with the shortest parts of stages summed, since a run reports many arms.
  package func foldingStages() -> Self { changingStages { $0.folded() } }

  private func changingStages(_ change: (StagesSummary) -> StagesSummary) -> Self {
    var changed = self
    for index in arms.indices { changed.arms[index].stages = arms[index].stages.map(change) }
    return changed
  }
}
