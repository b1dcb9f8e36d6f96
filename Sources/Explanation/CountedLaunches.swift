import LaunchCore
import LaunchHost

/// Launches of two programs under valgrind, which counts the instructions of each function.
///
/// They take some 50 times as long as others, so there are few; the second of each program shows
/// whether all its launches execute the same.
struct CountedLaunches {
  /// How many launches of each program there are.
  static let each = 2

  /// Nil where launches are only given again.
  private let valgrind: ValgrindCount?
  private let targets: [Target]

  /// - Parameters:
  ///   - valgrind: What counts the instructions of functions; nil where none are launched.
  ///   - scenario: The two programs.
  ///   - limit: How long a launch may take, if not even the target's own limit is longer.
  init(_ valgrind: ValgrindCount?, of scenario: Scenario, limit: Nanoseconds) {
    self.valgrind = valgrind
    targets = scenario.targets.map { target in
      var counted = valgrind?.counting(target) ?? target
      counted.name += " under valgrind"
      counted.program = nil
      counted.timeout = min(counted.timeout, max(limit, target.timeout))
      return counted
    }
  }

  /// They need no preparation: what is counted does not depend on the page cache.
  private var arms: [Arm] { targets.map { Arm(target: $0.name, state: .warm, kind: .counters) } }

  /// What a laboratory must be made for to launch them, too.
  func added(to plan: Plan) -> Plan {
    var plan = plan
    plan.scenario.targets += targets
    plan.arms += arms
    return plan
  }

  /// How long they take, of programs that take so much processor time, in seconds.
  static func estimate(_ processorTime: Nanoseconds) -> Double {
    let launch = 0.5 + Double(processorTime.count) / 1e9 * Double(ValgrindCount.slowdown)
    return Double(2 * each) * launch
  }

  /// Launches both.
  ///
  /// - Parameters:
  ///   - laboratory: Made for what ``added(to:)`` returned.
  ///   - log: Where the counts are kept; nil for nowhere.
  ///   - observe: Told of each launch.
  /// - Returns: Nil where a launch failed or was not counted whole.
  /// - Throws: `HostError` of the laboratory, and ``WorkflowError`` where nothing can be kept.
  func counts(
    on laboratory: inout any LaunchLaboratory,
    keeping log: LoggedLaboratory?,
    observe: (Arm, LaunchResult) -> Void
  ) throws -> Sides<[InstructionCounts]>? {
    var found: [[InstructionCounts]] = []
    for arm in arms {
      var counts: [InstructionCounts] = []
      for _ in 0..<Self.each {
        try valgrind?.begin()
        let result = try laboratory.launch(arm)
        observe(arm, result)
        guard result.outcome == .ready,
          let functions = result.functions ?? valgrind?.functions()
        else { return nil }
        if result.functions == nil { try log?.keep(functions) }
        counts.append(functions)
      }
      found.append(counts)
    }
    return Sides(before: found[0], after: found[1])
  }
}
