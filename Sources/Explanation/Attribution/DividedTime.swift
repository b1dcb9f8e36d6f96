import LaunchCore
import LaunchStatistics
import Stages

/// The time of the launches of some blocks, divided by code and by resource.
///
/// Clocks say how long each class of time took, samples only how a class is divided among call
/// stacks. Both errors are in the values of the blocks, so that whatever is computed of the values
/// of a node has both.
struct DividedTime: Sendable {
  /// The blocks that count, as positions in those given.
  let kept: [Int]

  /// By actor, functions and what they did; without functions where nothing was sampled.
  let code: TimeTree

  /// The samples of each program; empty unless all programs have some.
  let stacks: [Side: StackCounts]

  /// By resource.
  let resources: TimeTree

  /// The time of each class without what its events cost, by block.
  let classes: Sides<[ClassKey: [Double]]>

  /// How the samples were read.
  let reading: Reading

  /// What is decided once, so that later blocks are divided in the same way.
  struct Reading: Hashable, Sendable {
    var reader: SampleReading

    /// The classes with too few samples to be divided.
    var undivided: Set<ClassKey>

    /// The classes of own code in which the tracer stopped threads of one program more often than those
    /// of the other; samples say how long they took, since clocks go on while a thread is stopped.
    var stopped: Set<ClassKey>
  }

  /// Divides the time of the blocks that have both traced launches.
  ///
  /// Blocks whose launches took most unusually long together are left out, all nodes alike, so that
  /// parts still add up. Exchanging the two launches of a block changes nothing about which these
  /// are, which the test by exchanges needs.
  ///
  /// - Parameters:
  ///   - blocks: In the order of collection.
  ///   - arms: The programs that were launched; one alone is called after.
  ///   - earlier: How earlier blocks were read, if there are any.
  ///   - settings: With the cost of an event.
  init(
    _ blocks: [AttributionBlock],
    arms: [Side],
    reading earlier: Reading?,
    settings: AttributionSettings
  ) {
    let whole = blocks.indices.filter { block in
      arms.allSatisfy { blocks[block][$0].traced != nil }
    }
    let reader =
      earlier?.reader
      ?? SampleReading(
        Sides(before: blocks.map(\.before), after: blocks.map(\.after)),
        paths: Sides(before: settings.beforeProgram, after: settings.afterProgram)
      )
    let kept = Self.usual(
      whole,
      totals: whole.map { block in
        arms.reduce(0) { sum, arm in
          let times = blocks[block][arm].traced?.classTimes(costPerEvent: settings.costPerEvent)
          return sum + (times ?? [:]).values.reduce(0, +)
        }
      }
    )
    self.kept = kept

    var classes = Sides<[ClassKey: [Double]]>(before: [:], after: [:])
    var resources = TimeTree(blocks: kept.count)
    var stacks: [Side: StackCounts] = [:]
    for arm in arms {
      classes[arm] = Self.classTimes(of: kept.map { blocks[$0][arm].traced }, cost: settings) {
        ClassKey(actor: reader.name(of: $0.actor, in: arm), activity: $0.activity)
      }
      Self.addResources(of: kept.map { blocks[$0][arm].traced }, arm, settings, to: &resources)
      let counts = StackCounts(kept.map { blocks[$0][arm].profile }, of: arm, reader: reader)
      if !counts.profiled.isEmpty, !counts.stacks.isEmpty { stacks[arm] = counts }
    }
    resources.sumUp()
    self.resources = resources
    self.classes = classes

    if stacks.count < arms.count { stacks = [:] }
    self.stacks = stacks
    let undivided = earlier?.undivided ?? Self.undivided(classes, stacks)
    let stopped =
      earlier?.stopped
      ?? (settings.tracedByStops ? Self.stopped(in: kept.map { blocks[$0] }, reader: reader) : [])
    reading = Reading(reader: reader, undivided: undivided, stopped: stopped)
    var code = TimeTree(blocks: kept.count)
    for arm in arms {
      let counts = stacks[arm]
      for (key, times) in classes[arm].sorted(by: { $0.key.order < $1.key.order }) {
        if let counts, stopped.contains(key) {
          Self.divideSampled(times, of: key, in: arm, by: counts, into: &code)
        } else {
          Self.divide(times, of: key, in: arm, by: counts, unless: undivided, into: &code)
        }
      }
    }
    code.sumUp()
    self.code = code
  }

  /// Leaves out those blocks whose totals lie furthest from the median.
  static func usual(_ blocks: [Int], totals: [Double]) -> [Int] {
    let dropped =
      blocks.count < 10 ? 0 : Int(Double(blocks.count) * AttributionSettings.droppedShare)
    guard dropped > 0, let median = (try? Sample(totals))?.median else { return blocks }
    let order = blocks.indices.sorted { left, right in
      (abs(totals[left] - median), left) < (abs(totals[right] - median), right)
    }
    return order.prefix(blocks.count - dropped).sorted().map { blocks[$0] }
  }

  private static func classTimes(
    of launches: [TracedLaunch?],
    cost settings: AttributionSettings,
    named name: (ClassKey) -> ClassKey
  ) -> [ClassKey: [Double]] {
    var result: [ClassKey: [Double]] = [:]
    for (block, launch) in launches.enumerated() {
      let times = launch?.classTimes(costPerEvent: settings.costPerEvent) ?? [:]
      for (key, time) in times {
        let zeros = [Double](repeating: 0, count: launches.count)
        result[name(key), default: zeros][block] += time
      }
    }
    return result
  }

  private static func addResources(
    of launches: [TracedLaunch?],
    _ arm: Side,
    _ settings: AttributionSettings,
    to tree: inout TimeTree
  ) {
    let keys = Set(launches.flatMap { ($0?.resources ?? [:]).keys })
    let longer = Set(
      keys.flatMap { key in (1..<max(1, key.path.count)).map { Array(key.path.prefix($0)) } }
    )
    for (block, launch) in launches.enumerated() {
      let times = launch?.resourceTimes(costPerEvent: settings.costPerEvent) ?? [:]
      for (key, time) in times.sorted(by: { $0.key.path.lexicographicallyPrecedes($1.key.path) }) {
        // What is divided further has no time of its own.
        let path = longer.contains(key.path) ? key.path + ["(other)"] : key.path
        let node = tree.makeNode(at: path.map(TreeLabel.resource))
        tree.add(time, inBlock: block, to: node, of: arm)
      }
    }
  }

  /// The classes that have time in a program, but too few samples there.
  ///
  /// What little time such a class has in one program hides nothing when the other one has far more.
  private static func undivided(
    _ classes: Sides<[ClassKey: [Double]]>,
    _ stacks: [Side: StackCounts]
  ) -> Set<ClassKey> {
    let means = classes.map { times in
      times.mapValues { $0.reduce(0, +) / Double(max(1, $0.count)) }
    }
    var result: Set<ClassKey> = []
    for (arm, counts) in stacks {
      for (key, mean) in means[arm] where mean > AttributionSettings.smallestClassTime {
        let longest = max(means.before[key] ?? 0, means.after[key] ?? 0)
        let isSampled =
          counts.samples(of: key) >= AttributionSettings.fewestSamples
          || mean < AttributionSettings.smallestClassShare * longest
        if !isSampled || !isPlausible(counts.meanWait(of: key), besides: mean) {
          result.insert(key)
        }
      }
    }
    return result
  }

  /// So many stops more in a launch are no accident.
  private static let fewestStops = 10

  /// The classes of own code in which threads of one program are stopped at least a tenth more often
  /// than those of the other, or less often.
  private static func stopped(
    in blocks: [AttributionBlock],
    reader: SampleReading
  ) -> Set<ClassKey> {
    var stops: [ClassKey: Sides<Int>] = [:]
    for block in blocks {
      for arm in Side.allCases {
        for (key, count) in block[arm].traced?.classEvents ?? [:] where key.activity == .ownCode {
          let named = ClassKey(actor: reader.name(of: key.actor, in: arm), activity: .ownCode)
          stops[named, default: Sides(before: 0, after: 0)][arm] += count
        }
      }
    }
    let differing = stops.filter { _, count in
      let difference = abs(count.after - count.before)
      return difference * 10 >= count.before + count.after
        && difference >= fewestStops * blocks.count
    }
    return Set(differing.keys)
  }

  /// Whether the waits that were sampled can be those of a class.
  ///
  /// A wait for another thread of the launch is in no class, since the critical path goes on with that
  /// thread. Samples do not distinguish such waits from others, so they must not make up a good part.
  private static func isPlausible(_ sampled: Double?, besides time: Double) -> Bool {
    sampled.map { (0.6 * time...1.6 * time).contains($0) } ?? true
  }

  /// Divides the time of one class among its call stacks.
  ///
  /// The value of a stack in a block is s·T + (T̄ / n̄)·(c − s·n), where T is the time of the class in
  /// the block, n the samples of the class in the block's profile, or how long it was seen to wait, c
  /// those of the stack, and s = Σc / Σn. The second term is the linearised error of the ratio s: it adds up to 0 over the
  /// blocks, and over the stacks of a block, so the stacks add up to T in every block. Where only m
  /// of N blocks have a profile it is N / m times as large, so that its mean has the right error.
  ///
  /// Source: Cochran, *Sampling Techniques* (1977), section 6.4, for the error of a ratio.
  private static func divide(
    _ times: [Double],
    of key: ClassKey,
    in arm: Side,
    by counts: StackCounts?,
    unless undivided: Set<ClassKey>,
    into tree: inout TimeTree
  ) {
    let total = Double(counts?.stacks[key]?.reduce(0) { $0 + $1.total } ?? 0)
    guard total > 0, !undivided.contains(key), let stacks = counts?.stacks[key] else {
      let leaf = TreeLabel.leaf(TimeLeaf(key.activity))
      let node = tree.makeNode(at: [.actor(key.actor), .notSampled, leaf])
      tree.add({ times[$0] }, to: node, of: arm)
      return
    }
    var perBlock = [Double](repeating: 0, count: times.count)
    for stack in stacks {
      for (block, count) in stack.counts { perBlock[block] += Double(count) }
    }
    // (T̄ / n̄)·(N / m), where T̄ is the mean of N values, and n̄ that of m.
    let scale = times.reduce(0, +) / total
    for stack in stacks {
      let share = Double(stack.total) / total
      let node = tree.makeNode(at: stack.path)
      tree.add(
        { block in
          let count = Double(stack.counts[block] ?? 0)
          return share * times[block] + scale * (count - share * perBlock[block])
        },
        to: node,
        of: arm
      )
    }
  }
}

extension DividedTime {
  /// Gives each call stack of a class the time in which it was sampled, and what is left of the class
  /// to no function: it is that of page faults and of stops.
  ///
  /// The value of a stack in a block is p·(c̄ + (N / m)·(c − c̄)), where p is the time between two
  /// samples, c the samples of the stack, and c̄ their mean over the m blocks of N that have a profile,
  /// so that the mean of the values has the right error. In other blocks it is p·c̄.
  private static func divideSampled(
    _ times: [Double],
    of key: ClassKey,
    in arm: Side,
    by counts: StackCounts,
    into tree: inout TimeTree
  ) {
    let profiled = Double(max(1, counts.profiled.count))
    var left = times
    for stack in counts.stacks[key] ?? [] {
      let mean = Double(stack.total) / profiled
      let node = tree.makeNode(at: stack.path)
      let values = times.indices.map { block in
        guard counts.profiled.contains(block) else { return counts.period * mean }
        let count = Double(stack.counts[block] ?? 0)
        return counts.period * (mean + Double(times.count) / profiled * (count - mean))
      }
      tree.add({ values[$0] }, to: node, of: arm)
      left = zip(left, values).map { $0 - $1 }
    }
    let leaf = TreeLabel.leaf(TimeLeaf(key.activity))
    let node = tree.makeNode(at: [.actor(key.actor), .notSampled, leaf])
    tree.add({ left[$0] }, to: node, of: arm)
  }
}

extension ClassKey {
  /// Brings classes into the same order in every run.
  var order: String { "\(actor) \(activity)" }
}
