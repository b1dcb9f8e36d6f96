import LaunchCore
import LaunchHost
import Measuring
import Stages

/// Launches whose runtime says which modules it loads; their times are never mixed with others.
struct ModuleLaunches {
  private let plan: Plan
  private let observe: (RunEvent) -> Void

  /// How many blocks there are at most; these are enough for a difference of a few percent.
  private static let mostBlocks = 16

  /// Plans as many launches as there is time for; nil where that is too little.
  ///
  /// - Parameters:
  ///   - launched: The launches before, of the same targets.
  ///   - timeLimit: How long these may take.
  ///   - observe: Is told of each launch.
  init?(
    after launched: TracedLaunches,
    timeLimit: Nanoseconds,
    observe: @escaping (RunEvent) -> Void
  ) {
    var plan = launched.plan
    plan.arms = Self.arms(of: plan)
    let isPair = plan.arms.count == 2
    let fewest = isPair ? SignFlipTest.fewestBlocks : 1
    plan.blockCount = launched.affordableBlocks(
      within: timeLimit,
      atMost: isPair ? Self.mostBlocks : min(launched.blocks.count, Self.mostBlocks)
    )
    guard plan.blockCount >= min(fewest, launched.blocks.count), plan.blockCount > 0 else {
      return nil
    }
    self.plan = plan
    self.observe = observe
  }

  /// What such launches of a plan are called.
  static func arms(of plan: Plan) -> [Arm] {
    let states = Dictionary(plan.arms.map { ($0.target, $0.state) }) { first, _ in first }
    return plan.scenario.targets.compactMap { target in
      states[target.name].map { Arm(target: target.name, state: $0, kind: .modules) }
    }
  }

  /// Launches every block.
  ///
  /// - Returns: The modules by block; nil where a target fails when it is asked for them.
  /// - Throws: `HostError` when it is interrupted; whatever else fails costs no more than the modules.
  func run(on laboratory: inout any LaunchLaboratory) throws -> [Sides<LoadedModules?>]? {
    var sink = ReadyLaunches(of: plan, observe: observe)
    do {
      switch try LaunchLoop(plan: plan).run(on: &laboratory, into: &sink) {
      case .interrupted: throw HostError.interrupted
      case .failed, .unprepared: return nil
      case .complete: break
      }
    } catch  where error.isOfLaunch {
      return nil
    }
    let sides: [Side] = plan.arms.count == 2 ? [.before, .after] : [.after]
    var modules = [Sides<LoadedModules?>](
      repeating: Sides(before: nil, after: nil),
      count: plan.blockCount
    )
    for record in sink.records {
      guard let launch = record.result.launch else { continue }
      modules[record.block][sides[record.arm]] = LoadedModules(
        record.result.output.stderr,
        launch: launch
      )
    }
    return modules
  }
}

extension TracedLaunches {
  /// How long the plain launches of a block take, in nanoseconds.
  fileprivate var plainBlockTime: Double {
    let times = blocks.flatMap { [$0.before.plain, $0.after.plain].compactMap(\.self) }
    return times.reduce(0) { $0 + Double($1.count) } / Double(max(1, blocks.count))
  }

  /// How many blocks of one launch of each program there is time for.
  func affordableBlocks(within time: Nanoseconds, atMost most: Int) -> Int {
    plainBlockTime > 0
      ? min(most, Int(clamping: max(0, Double(time.count)) / plainBlockTime)) : most
  }

  /// Whether the launches executed a program that can say which modules it loads.
  var hasModules: Bool {
    if let isKept = log?.hasKeptModules { return isKept }
    var paths = Set([programs.before, programs.after].compactMap(\.self))
    for block in blocks {
      for case .call("execve", let path?) in block.after.counts + block.before.counts {
        paths.insert(path)
      }
    }
    return paths.contains(where: RuntimeModules.areKnown)
  }
}

extension BlockLaunches {
  fileprivate var counts: [CountedThing] { traced.map { Array($0.counts.keys) } ?? [] }
}
