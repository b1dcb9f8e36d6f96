import Builds
import Comparison
import Foundation
import LaunchCore
import LaunchHost
import LaunchStore
import Measuring

extension BisectStart {
  /// What a laboratory has to know of the builds that are launched side by side.
  ///
  /// Each build is a target of its own, named by the index of its revision, with the state and the
  /// controls of the scenario.
  ///
  /// A launch depends on more than the code: on the length of the paths that it sees, since they lie
  /// on the stack, and on where memory begins. Each arm has a HOME whose path is as long as the
  /// others'. Padding of the environment and random addresses, where the scenario has them, make
  /// what remains of the paths of builds differ from launch to launch instead of from build to
  /// build. What is counted gets neither: there the few instructions that handle a longer path
  /// remain (some 0.02 % of those of `git --version`), unless builds lie in directories of equal
  /// length.
  ///
  /// - Parameters:
  ///   - arms: The builds by the index of their revision, in the order of the action.
  ///   - rows: How many launches each of them gets.
  ///   - seed: For the padding of environments.
  ///   - valgrind: What counts, if it is valgrind.
  /// - Returns: A plan whose arms are in the same order.
  func plan(
    of arms: [(revision: Int, target: Target)],
    rows: Int,
    seed: UInt64,
    valgrind: ValgrindCount? = nil
  ) -> Plan {
    let targets = arms.map { arm in
      var target = valgrind?.counting(arm.target) ?? arm.target
      target.name = "\(arm.revision)"
      if isCountedExactly { target.fixOrder() }
      return target
    }
    var scenario = self.scenario.comparing(targets)
    scenario.launches = rows
    scenario.adaptive = nil
    scenario.stages = self.scenario.stages
    scenario.controls = controls
    if case .counter(let event) = measure, counting != .valgrind {
      for index in targets.indices { scenario.targets[index].counters = [event.rawValue] }
    }
    let state = scenario.states.first ?? .warm
    scenario.states = [state]
    return Plan(
      scenario: scenario,
      seed: seed,
      arms: targets.map { Arm(target: $0.name, state: state, kind: kind) },
      blockCount: rows
    )
  }

  /// What the launches of a measure are for.
  private var kind: Arm.Kind {
    switch measure {
    case .metric: .plain
    case .counter: counting == .valgrind ? .plain : .counters
    case .tally(LaunchTally.relocations): .statistics
    case .tally: .probe
    case .stage:
      // A probe that cannot be used is replaced by breakpoints, but those may be asked for, too.
      scenario.stages?.collectors.contains(.breakpoints) == true
        && scenario.stages?.collectors.contains(.probe) == false ? .breakpoints : .probe
    }
  }
}

/// What is known of the time of builds and launches before the first one: from former bisections, and
/// from the builds that are kept.
struct PlanCosts {
  let start: BisectStart

  /// The absolute path of the directory of the store.
  let storeDirectory: String

  /// How many former bisections are looked at, the newest first.
  private static let mostLogs = 5

  /// Looks what is known.
  ///
  /// The times of launches in nights tell nothing of what is around them, which may be most.
  ///
  /// - Returns: Nil for what nothing tells.
  func costs() async -> BisectPlan.Costs {
    let records = records
    return BisectPlan.Costs(
      build: start.artifacts == nil ? Self.mean(records.flatMap(buildSeconds)) : 0,
      launch: Self.mean(records.lazy.map(launchSeconds(of:)).first { !$0.isEmpty } ?? []),
      kept: await kept
    )
  }

  private var records: [BisectRecord] {
    let location = LogLocation(.bisection, storeDirectory: storeDirectory)
    return location.ids.reversed().prefix(Self.mostLogs)
      .compactMap { try? BisectRecord(path: location.log(of: $0)) }
  }

  /// How long builds by the same command took.
  private func buildSeconds(of record: BisectRecord) -> [Double] {
    guard let source = start.scenario.source, let other = record.start.scenario.source,
      source.repository == other.repository, source.build == other.build
    else { return [] }
    return record.events.compactMap { event in
      if case .built(let built) = event { built.seconds } else { nil }
    }
  }

  /// How long each launch took with what is around it, where the same was launched.
  private func launchSeconds(of record: BisectRecord) -> [Double] {
    let other = record.start
    guard start.scenario.targets.first?.command == other.scenario.targets.first?.command,
      start.scenario.states == other.scenario.states, start.measure == other.measure,
      start.counting == other.counting, start.artifacts == other.artifacts
    else { return [] }
    return record.events.compactMap { event in
      if case .row(let row) = event { row.seconds / Double(max(1, row.arms.count)) } else { nil }
    }
  }

  private var kept: Int {
    get async {
      let trees = start.revisions.compactMap(\.tree)
      guard start.artifacts == nil, let source = start.scenario.source else { return 0 }
      let cache = CacheLocation(directory: storeDirectory).buildDirectory
      return (try? await KeptBuilds(source: source, cache: cache).count(ofTrees: trees)) ?? 0
    }
  }

  private static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}

/// What is known of the noise of a launch before the first one: from stored runs of the same arm, or
/// from the self-tests of the host.
struct PlanNoise {
  let start: BisectStart

  /// The absolute path of the store.
  let store: String

  let context: WorkflowContext

  /// The work that is to be expected, with what is known of its time.
  func plan(costs: BisectPlan.Costs) -> BisectPlan {
    BisectPlan(
      candidates: start.revisions.count - 1,
      effect: nil,
      noise: noise,
      parameters: start.parameters,
      costs: costs
    )
  }

  /// How long a launch takes, in seconds; nil where nothing is known, as of launches under valgrind.
  var launchSeconds: Double? {
    guard start.counting != .valgrind else { return nil }
    return lastNight(of: .launch).map { Double($0.median) / 1e9 }
  }

  /// The standard deviation of the logarithm of one launch; nil where nothing is known.
  private var noise: Double? {
    guard case .metric(let metric) = start.measure else { return nil }
    return ofRuns(metric) ?? (metric == .launch ? ofSelfTests : nil)
  }

  private func ofRuns(_ metric: Metric) -> Double? {
    // The median absolute deviation of normal values is 0.6745 standard deviations.
    lastNight(of: metric).map { 1.4826 * $0.medianAbsoluteDeviation / $0.median }
  }

  /// The last night of the same arm on a host like this one; nil where there is none.
  private func lastNight(of metric: Metric) -> SeriesPoint? {
    guard FileManager.default.fileExists(atPath: store),
      let store = try? Store(path: store, mode: .readOnly),
      let found = try? store.series(scenario: start.scenario.name, metrics: [metric]),
      let target = start.scenario.targets.first, let state = start.scenario.states.first
    else { return nil }
    let own = found.first {
      $0.key.target == target.name && $0.key.state == state
        && $0.key.fingerprint == start.fingerprint
    }
    return own?.points.last.flatMap { $0.median > 0 ? $0 : nil }
  }

  private var ofSelfTests: Double? {
    HostStore.noise(of: start.fingerprint, in: context)
      .first { $0.state == start.scenario.states.first }.map(Self.scatter)
  }

  /// The scatter of launches around their middle, without the few that took far longer: those make
  /// the coefficient of variation several times as large, and hardly move a median.
  ///
  /// It is what makes the smallest detectable effect of the self-test: with n pairs that is
  /// z(97.5 %) + z(80 %) standard errors of the median of a ratio above the effect limit, and one of
  /// these is 1.2533 √2 of the scatter of one launch, divided by √n.
  static func scatter(of noise: HostNoise) -> Double {
    let variation = noise.coefficientOfVariation
    guard let most = noise.detectable.max(by: { $0.pairs < $1.pairs }) else { return variation }
    let reach = log1p(most.effect) - log1p(ComparisonRule().effectLimit)
    let errors = (1.960 + 0.8416) * 1.2533 * 2.0.squareRoot()
    let scatter = reach * Double(most.pairs).squareRoot() / errors
    return scatter > 0 ? min(scatter, variation) : variation
  }
}
