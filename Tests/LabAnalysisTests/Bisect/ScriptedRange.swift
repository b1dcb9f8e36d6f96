@testable import Bisection
@testable import LaunchCore
@testable import LaunchStatistics

/// A range whose builds have given levels, and that answers an engine until it is done.
struct ScriptedRange {
  /// The level of each revision, as a log ratio to good.
  var levels: [Double]

  /// Half the width of the uniform noise of one launch.
  var noise = 0.01

  /// From which revision on a quarter of the launches takes twice as long; nil for never.
  var slowFrom: Int?

  var weights: [Double]
  var broken: Set<Int> = []
  var unlaunchable: Set<Int> = []
  var digests: [Int: String] = [:]
  var buildSeconds: Double? = 60
  var launchSeconds: Double? = 1

  /// What was asked for.
  private(set) var built: [Int] = []
  private(set) var launched: [Int: Int] = [:]
  private(set) var seconds = 0.0

  private var generator = SeededGenerator(seed: 7)

  /// A range with steps at revisions, as log ratios.
  init(count: Int, steps: [Int: Double]) {
    levels = (0...count).map { revision in
      steps.reduce(0) { $0 + ($1.key <= revision ? $1.value : 0) }
    }
    weights = [Double](repeating: 1, count: count + 1)
  }

  /// Answers everything that an engine asks.
  mutating func bisect(_ parameters: BisectParameters = BisectParameters()) -> BisectAnswer {
    var engine = BisectEngine(weights: weights, parameters: parameters)
    return bisect(&engine)
  }

  mutating func bisect(
    _ engine: inout BisectEngine,
    look: (BisectEngine) -> Void = { _ in }
  ) -> BisectAnswer {
    while true {
      let action = engine.next()
      look(engine)
      switch action {
      case .build(let revision):
        built.append(revision)
        seconds += buildSeconds ?? 0
        engine.built(
          revision,
          isUsable: !broken.contains(revision),
          digest: digests[revision],
          seconds: buildSeconds
        )
      case .launch(let arms, let rows):
        if let arm = arms.first(where: unlaunchable.contains) {
          engine.unlaunchable(arm)
        } else {
          engine.measured(launch(arms, rows), seconds: batchSeconds(arms.count * rows))
        }
      case .done(let answer): return answer
      }
    }
  }

  private mutating func batchSeconds(_ launches: Int) -> Double? {
    guard let launchSeconds else { return nil }
    seconds += Double(launches) * launchSeconds
    return Double(launches) * launchSeconds
  }

  private mutating func launch(_ arms: [Int], _ rows: Int) -> [[Double]] {
    for arm in arms { launched[arm, default: 0] += rows }
    return (0..<rows).map { _ in
      arms.map { arm in
        let isSlow = slowFrom.map { arm >= $0 && generator.nextUniform() < 0.25 } ?? false
        return levels[arm] + (isSlow ? 0.7 : 0) + noise * (2 * generator.nextUniform() - 1)
      }
    }
  }
}
