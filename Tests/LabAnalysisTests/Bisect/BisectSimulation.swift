import Foundation

@testable import Bisection
@testable import LaunchCore

/// Bisections of simulated ranges by the rules that real ones follow.
struct BisectSimulation: Sendable {
  let settings: SimulationSettings

  init(_ settings: SimulationSettings) { self.settings = settings }

  /// Makes all bisections, one after the other.
  ///
  /// - Returns: The same for the same settings.
  func result() -> SimulationResult {
    var tally = SimulationTally(settings)
    for run in 0..<settings.runs { tally.add(bisect(seed: settings.seed &+ UInt64(run))) }
    return tally.result
  }

  private var parameters: BisectParameters {
    BisectParameters(
      confidence: settings.confidence,
      findsAll: [.two, .comp, .spike, .set].contains(settings.scenario),
      isExact: settings.isExact,
      buildSeconds: settings.build,
      launchSeconds: 1,
      limits: BisectLimits(launches: settings.launches)
    )
  }

  /// One bisection, with its truth.
  ///
  /// `observe` is called after each step but a build.
  func bisect(seed: UInt64, observe: (BisectEngine) -> Void = { _ in }) -> SimulatedBisection {
    var world = BisectWorld(settings, seed: seed)
    let weights = [Double](repeating: 1, count: settings.candidates + 1)
    var engine = BisectEngine(weights: weights, parameters: parameters)
    while true {
      switch engine.next() {
      case .build(let revision):
        let isUsable = world.build(revision)
        engine.built(revision, isUsable: isUsable, digest: nil, seconds: settings.build)
      case .launch(let arms, let rows):
        let values = world.launch(arms, rows: rows)
        engine.measured(values, seconds: Double(rows * arms.count))
        observe(engine)
      case .done(let answer):
        return SimulatedBisection(
          changes: world.changes,
          levels: world.levels,
          answer: answer,
          builds: engine.builds,
          launches: engine.launches
        )
      }
    }
  }
}

/// One simulated bisection and the truth.
struct SimulatedBisection: Sendable {
  /// The size of each change by its revision, as a log ratio.
  let changes: [Int: Double]

  /// The true level of every build, with how it differs by itself.
  let levels: [Double]

  let answer: BisectAnswer
  let builds: Int
  let launches: Int

  /// The revisions of real changes.
  private var real: [Int] { changes.filter { abs($0.value) > 1e-12 }.map(\.key) }

  var isWrong: Bool {
    answer.culprits.contains { culprit in !real.contains { culprit.revisions.contains($0) } }
  }

  /// Whether the largest slowdown is among the culprits.
  var namesLargest: Bool {
    let largest = changes.values.max() ?? 0
    return changes.contains { change in
      change.value >= largest - 1e-9 && isNamed(change.key)
    }
  }

  func isNamed(_ revision: Int) -> Bool {
    answer.culprits.contains { $0.revisions.contains(revision) }
  }

  /// The sizes of culprits that hold a change, each with the true difference of its two builds.
  var sizes: [(effect: LogInterval, truth: Double)] {
    answer.culprits.compactMap { culprit in
      guard real.contains(where: culprit.revisions.contains) else { return nil }
      return (culprit.effect, levels[culprit.build] - levels[culprit.parentBuild])
    }
  }

  /// Whether the interval holds a change; nil without one.
  var isCovered: Bool? {
    guard let interval = answer.interval, !changes.isEmpty else { return nil }
    return changes.keys.contains(where: interval.contains)
  }
}

/// Sums simulated bisections up.
struct SimulationTally {
  private var counts: SimulationResult
  private var builds = 0
  private var launches = 0
  private var runs = 0
  private var named: [Double] = []
  private var covered: [Double] = []
  private var sizes: [Double] = []
  private var sized: [Double] = []

  init(_ settings: SimulationSettings) { counts = SimulationResult(settings: settings) }

  mutating func add(_ run: SimulatedBisection) {
    builds += run.builds
    launches += run.launches
    runs += 1
    count(run)
    let isSet = counts.settings.scenario == .set
    let wanted = run.changes.filter { $0.value > 0 || isSet }.map(\.key)
    if !wanted.isEmpty {
      named.append(Double(wanted.count(where: run.isNamed)) / Double(wanted.count))
    }
    for (effect, truth) in run.sizes where truth != 0 {
      sizes.append(effect.estimate / truth)
      sized.append((effect.lower...effect.upper).contains(truth) ? 1 : 0)
    }
    if let isCovered = run.isCovered { covered.append(isCovered ? 1 : 0) }
  }

  private mutating func count(_ run: SimulatedBisection) {
    if run.answer.culprits.isEmpty {
      switch run.answer.outcome {
      case .refused, .failed: counts.refused += 1
      case .found, .inconclusive: counts.undecided += 1
      }
    } else if run.isWrong {
      counts.wrong += 1
    } else if run.namesLargest {
      counts.right += 1
    } else {
      counts.partlyRight += 1
    }
  }

  var result: SimulationResult {
    var result = counts
    result.builds = Double(builds) / Double(max(1, runs))
    result.launches = Double(launches) / Double(max(1, runs))
    result.foundShare = Self.mean(named)
    result.coverage = Self.mean(covered)
    result.sizeRatio = Self.mean(sizes)
    result.sizeCoverage = Self.mean(sized)
    return result
  }

  private static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}

/// How often simulated bisections were right.
struct SimulationResult: Hashable, Sendable {
  var settings: SimulationSettings

  /// Bisections that named only changes, and the largest one among them.
  var right = 0

  /// Bisections that named only changes, but not the largest one.
  var partlyRight = 0

  /// Bisections that named something that is no change.
  var wrong = 0

  /// Bisections that named nothing after a search.
  var undecided = 0

  /// Bisections that found no difference between the ends.
  var refused = 0

  /// Means over all bisections; builds hold those that failed.
  var builds = 0.0
  var launches = 0.0

  /// The share of the slowdowns that were named, of a set that of all changes; nil where there are
  /// none.
  var foundShare: Double?

  /// The share of the intervals that hold a change; nil where there was no interval.
  var coverage: Double?

  /// Of the changes that were named: the mean of the size that was told over the true one, and the
  /// share of the 95 % intervals that hold it; nil where none was named.
  var sizeRatio: Double?
  var sizeCoverage: Double?
}
