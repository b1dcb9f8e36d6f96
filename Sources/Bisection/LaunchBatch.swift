import LaunchCore
import LaunchHost
import Measuring
import Stages

/// Builds that are launched side by side, row after row, on a laboratory that knows them.
///
/// Nothing is written between the preparation of a launch and its end.
struct LaunchBatch {
  let plan: Plan

  /// The revision of each arm.
  let revisions: [Int]

  /// The numbers of the rows.
  let rows: Range<Int>

  /// How many launches of each arm are discarded first.
  let discarded: [Int]

  /// What is read of the launches of each arm.
  let values: [LaunchValue]

  /// Launches every row, and again those that were disturbed, as long as these are at most the
  /// tolerated share of the rows; later ones are kept as they are.
  ///
  /// - Parameters:
  ///   - laboratory: One that knows the arms.
  ///   - spent: How many seconds the batch has taken already, which the first row is told to take.
  ///   - take: Told of each row that is complete.
  /// - Returns: The arm that could not be launched twice in the same row, with the reason.
  /// - Throws: what the laboratory and `take` throw, an interruption too.
  func run(
    on laboratory: inout some LaunchLaboratory,
    after spent: Double,
    take: (BisectRow) throws -> Void
  ) throws -> (revision: Int, reason: String)? {
    var beginning = laboratory.now - Nanoseconds(Int64(clamping: spent * 1e9))
    var course = Course(tolerated: tolerableShare * Double(rows.count))
    for arm in plan.arms.indices {
      for _ in 0..<discarded[arm] {
        // Another one would not have an end, either.
        if try launch(arm, &course, on: &laboratory).outcome == .timedOut { break }
      }
    }
    for row in rows {
      switch try complete(row, &course, on: &laboratory) {
      case .failed(let arm, let reason): return (revisions[arm], reason)
      case .complete(let values, let timedOut, let processorTimes):
        let end = laboratory.now
        let seconds = Double((end - beginning).count) / 1e9
        beginning = end
        try take(
          BisectRow(
            arms: revisions,
            values: values,
            timedOut: timedOut,
            processorTimes: processorTimes,
            seconds: seconds
          )
        )
      }
    }
    return nil
  }

  private var tolerableShare: Double { plan.tolerableShare ?? DisturbanceLimits().share }

  /// What became of the launches of the batch so far.
  private struct Course {
    /// How many rows may be launched again, and how many launches may begin unsettled.
    let tolerated: Double

    var repeated = 0

    /// How many launches began although the machine had not settled.
    var unsettled = 0
    var isWaiting = true

    /// Whether something got in the way of the present row.
    var isDisturbed = false

    /// The arms that are warm because they were prepared once.
    var warm: Set<Int> = []
  }

  // MARK: - One row

  private enum Row {
    case complete([Double], timedOut: [Int], processorTimes: [Double]?)
    case failed(arm: Int, reason: String)
  }

  /// Launches a row until it is complete, or an arm has failed twice.
  private func complete(
    _ row: Int,
    _ course: inout Course,
    on laboratory: inout some LaunchLaboratory
  ) throws -> Row {
    var failed: Set<Int> = []
    while true {
      course.isDisturbed = false
      try laboratory.beginBlock()
      let found = try attempt(row, &course, on: &laboratory)
      try laboratory.endBlock()
      if case .failed(let arm, _) = found {
        guard failed.insert(arm).inserted else { return found }
      } else if course.isDisturbed, Double(course.repeated) < course.tolerated {
        course.repeated += 1
      } else {
        return found
      }
    }
  }

  /// Launches every arm once, in odd rows the last one first, so that a drift cancels out.
  private func attempt(
    _ row: Int,
    _ course: inout Course,
    on laboratory: inout some LaunchLaboratory
  ) throws -> Row {
    var found = [Double](repeating: 0, count: plan.arms.count)
    var timedOut: [Int] = []
    var processorTimes = [Double?](repeating: nil, count: plan.arms.count)
    let order = Array(plan.arms.indices)
    for arm in row.isMultiple(of: 2) ? order : order.reversed() {
      let result = try launch(arm, &course, on: &laboratory)
      processorTimes[arm] = values[arm].processorTime(of: result)
      switch values[arm].reading(of: result) {
      case .failed(let reason): return .failed(arm: arm, reason: reason)
      case .value(let value): found[arm] = value
      case .timedOut:
        found[arm] = Double(plan.scenario.targets[arm].timeout.count)
        timedOut.append(revisions[arm])
      }
    }
    let known = processorTimes.compactMap(\.self)
    return .complete(
      found,
      timedOut: timedOut.sorted(),
      processorTimes: known.count == found.count ? known : nil
    )
  }

  // MARK: - One launch

  private func launch(
    _ index: Int,
    _ course: inout Course,
    on laboratory: inout some LaunchLaboratory
  ) throws -> LaunchResult {
    let arm = plan.arms[index]
    let valgrind = values[index].valgrind
    // Making sure that a target is warm is another launch, and no fault changes what is counted.
    let isPrepared = valgrind != nil && course.warm.contains(index)
    let (preparation, result) = try laboratory.repeatingLost { laboratory in
      let preparation = isPrepared ? Preparation() : try laboratory.prepare(arm)
      try valgrind?.begin()
      return (preparation, try laboratory.launch(arm))
    }.result
    if arm.state == .warm { course.warm.insert(index) }
    if !result.disturbances.isEmpty { course.isDisturbed = true }
    let state = StateReached.judged(
      arm.state,
      preparation: preparation,
      result: result,
      coldShare: plan.scenario.coldShare
    )
    // What has no end has faults, too.
    if case .notReached = state, result.outcome == .ready, valgrind == nil {
      course.isDisturbed = true
    }
    if preparation.settling?.obstacle != nil { course.unsettled += 1 }
    if course.isWaiting, Double(course.unsettled) > course.tolerated {
      course.isWaiting = false
      laboratory.stopWaiting()
    }
    return result
  }
}

/// Numbers that collectors count on a launch, by the names that `--metric` takes.
enum LaunchTally {
  /// Symbols that the loader looked up, and addresses that it adjusted, before `main`.
  static let relocations = "relocations"

  /// Pages that came into the page cache, of the target's own files and others.
  static let pageIns = "page_ins"

  /// All that can be asked for.
  static let names = [
    "libraries", "libraries_loaded_later", "initializers", relocations, pageIns, "programs",
    "processes",
  ]

  /// The number of a launch.
  ///
  /// - Parameters:
  ///   - name: One of ``names``.
  ///   - result: The launch.
  ///   - stages: What was concluded from it.
  /// - Returns: Nil when it could not be had.
  static func value(_ name: String, of result: LaunchResult, _ stages: LaunchStages) -> Int64? {
    switch name {
    case pageIns: stages.pageIns.map { $0.files.reduce(0) { $0 + Int64($1.pages) } }
    case relocations: result.observation.flatMap { relocations(in: $0.loaderText) }
    // It is left out when there are none.
    case "libraries_loaded_later" where stages.counters["libraries"] != nil:
      stages.counters[name] ?? 0
    default: stages.counters[name]
    }
  }

  /// The sum over all programs that the loader reported of.
  private static func relocations(in loaderText: [UInt8]) -> Int64? {
    let text = LoaderLog.parse(loaderText, name: "LD_DEBUG=statistics")
    let counters = text.blocks.filter { $0.format == LoaderLogFormat.glibcStartup }
      .flatMap(\.counters)
    return counters.isEmpty ? nil : counters.reduce(0) { $0 + $1.value }
  }
}
