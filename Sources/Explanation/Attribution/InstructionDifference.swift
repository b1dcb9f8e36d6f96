package import LaunchCore
import LaunchHost
import Stages

/// How the launches of two programs differ in the instructions of their functions, each counted.
///
/// It says nothing of time: that instructions are a reason is known from clocks alone.
package struct InstructionDifference: Hashable, Sendable {
  /// Of all functions, in user mode.
  package var before: Int64
  package var after: Int64

  /// How many launches of each program were counted.
  package var launches: Int

  /// By how much launches of one program differ at most.
  package var noise: Int64

  /// The functions on the way to most of the difference, outermost first, from `main` on; empty where
  /// no way has enough of it.
  package var path: [CodeFrame]

  /// What the functions of both programs are, by name.
  private var functions: [CodeFrame: Sides<Function>] = [:]

  /// A function with all that it calls.
  private struct Function: Hashable, Sendable {
    var calls: Int64 = 0
    var instructions: Int64 = 0
  }

  /// Compares launches.
  ///
  /// - Parameters:
  ///   - counts: Of equally many launches of each program, at least one.
  ///   - reader: Calls functions alike in both.
  init(_ counts: Sides<[InstructionCounts]>, reader: SampleReading) {
    var counts = counts
    for arm in Side.allCases {
      counts[arm] = counts[arm].map { $0.renamed { reader.name(of: $0, in: arm) } }
    }
    let totals = counts.map { $0.map(\.total) }
    let sums = counts.map { $0.reduce(into: InstructionCounts()) { $0.add($1) } }
    let number = Int64(max(1, counts.after.count))
    launches = counts.after.count
    before = totals.before.reduce(0, +) / number
    after = totals.after.reduce(0, +) / number
    noise =
      Side.allCases.map { arm in
        (totals[arm].max() ?? 0) - (totals[arm].min() ?? 0)
      }.max() ?? 0
    path = []
    for arm in Side.allCases {
      for (call, count) in sums[arm].calls where call.caller != call.callee {
        let empty = Sides(before: Function(), after: Function())
        functions[call.callee, default: empty][arm].calls += count.times / number
        functions[call.callee, default: empty][arm].instructions += count.instructions / number
      }
    }
    guard isDifferent else { return }
    path = Self.path(of: sums, by: Double(difference * number))
  }

  package var difference: Int64 { after - before }

  /// Whether the programs differ by more than their own launches do.
  package var isDifferent: Bool {
    abs(difference) > max(2 * noise, Int64(clamping: Self.leastShare * Double(before)))
  }

  /// Less is not told: the length of a path already changes how many instructions a launch has.
  private static let leastShare = 0.002

  // MARK: - The way to the difference

  /// Follows the calls downwards as long as one of them has most of the difference.
  private static func path(
    of sums: Sides<InstructionCounts>,
    by difference: Double
  ) -> [CodeFrame] {
    var children: [CodeFrame: [CodeFrame: Double]] = [:]
    var called: Set<CodeFrame> = []
    for arm in Side.allCases {
      let sign = arm == .after ? 1.0 : -1.0
      for (call, count) in sums[arm].calls where call.caller != call.callee {
        called.insert(call.callee)
        children[call.caller, default: [:]][call.callee, default: 0] +=
          sign * Double(count.instructions)
      }
    }
    // What nobody calls begins a process or a thread.
    let all = Set(sums.before.own.keys).union(sums.after.own.keys).union(children.keys)
    var path: [CodeFrame] = []
    var seen: Set<CodeFrame> = []
    func share(_ function: CodeFrame) -> Double {
      (children[function] ?? [:]).values.reduce(0, +) / difference
    }
    var next = all.subtracting(called).max {
      (share($0), $1.function) < (share($1), $0.function)
    }
    while let function = next, seen.insert(function).inserted {
      path.append(function)
      let child = (children[function] ?? [:]).max {
        ($0.value / difference, $1.key.function) < ($1.value / difference, $0.key.function)
      }
      next = child.flatMap { $0.value / difference >= CoverRule.coveringShare ? $0.key : nil }
    }
    guard !path.contains(where: SampleReading.isThreadStart) else { return [] }
    let named = path.drop { frame in
      SampleReading.isStart(frame.function) || frame.function == "(below main)"
        || frame.function.hasPrefix("0x")
    }
    return named.first?.file == SampleReading.programName ? Array(named) : []
  }
}

// MARK: - Reasons

/// What was counted of the functions on the way to a reason.
package struct CountedCode: Hashable, Sendable {
  /// The instructions of the last of them, with all that it calls; nil where that was not counted.
  package var before: Int64?
  package var after: Int64?

  /// Those that are called another number of times, outermost first.
  package var calls: [CallChange]

  /// How often a function is called in a launch of each program.
  package struct CallChange: Hashable, Sendable {
    package var function: CodeFrame
    package var before: Int64
    package var after: Int64
  }
}

extension InstructionDifference {
  /// What is known of functions that call each other, outermost first.
  ///
  /// - Returns: Nil where none of them was counted.
  private func counted(_ path: [CodeFrame]) -> CountedCode? {
    let known = path.filter { functions[$0] != nil }
    guard !known.isEmpty else { return nil }
    let last = path.last.flatMap { functions[$0] }
    return CountedCode(
      before: last?.before.instructions,
      after: last?.after.instructions,
      calls: known.withoutRepetitions.compactMap { frame in
        guard let count = functions[frame], count.before.calls != count.after.calls,
          // A function that only one program has says so already.
          count.before.calls > 0, count.after.calls > 0
        else { return nil }
        return .init(function: frame, before: count.before.calls, after: count.after.calls)
      }
    )
  }

  /// Adds what was counted to a reason; one that only says that it is own code of the first thread
  /// gets the way to most of the instructions as its call path.
  fileprivate func complete(_ reason: inout LaunchReason) {
    guard [.ownCode, .initializer].contains(reason.kind) else { return }
    if !reason.isSpecific, !path.isEmpty, reason.actor == nil || reason.actor == .main,
      (reason.change.difference > .zero) == (difference > 0)
    {
      reason.path = path
      reason.hotPath = []
      reason.isSpecific = true
      reason.isFromCounts = true
    }
    reason.counted = counted(reason.path + reason.hotPath)
  }
}

extension LaunchExplanation {
  /// Adds how the programs differ in instructions, to the reasons too.
  mutating func add(_ instructions: InstructionDifference) {
    self.instructions = instructions
    for index in reasons.indices { instructions.complete(&reasons[index]) }
  }

  /// Whether counting the instructions of each function can say more: where own code has a good part
  /// of the difference, or where samples are too few for a small one.
  var isWorthCounting: Bool {
    guard decision != .noDifference else { return false }
    let whole = Double(difference.traced.difference.count)
    let launch = Double(difference.traced.after.count)
    let own = classes.filter { $0.key.activity == .ownCode }
    let ownDifference = own.reduce(0.0) { $0 + Double($1.change.difference.count) }
    let ownTime = own.reduce(0.0) { $0 + Double($1.change.after.count) }
    return ownDifference / whole >= Self.ownShare
      || (abs(whole) < Self.littleShare * launch && ownTime > launch / 2)
  }

  private static let ownShare = 0.2
  private static let littleShare = 0.1
}
