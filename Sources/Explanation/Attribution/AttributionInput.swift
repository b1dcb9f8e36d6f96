package import LaunchCore
package import Stages

/// The launches of two programs that were made close to each other in time.
///
/// What is missing or torn is nil: a block is used for what it has in both programs.
package struct AttributionBlock: Hashable, Sendable {
  package var before: BlockLaunches
  package var after: BlockLaunches

  package init(before: BlockLaunches, after: BlockLaunches) {
    self.before = before
    self.after = after
  }
}

/// The launches of one program in one block.
package struct BlockLaunches: Hashable, Sendable {
  /// How long the launch took that nothing looked into.
  package var plain: Nanoseconds?

  /// The launch whose critical path is known.
  package var traced: TracedLaunch?

  /// The launch whose call stacks were sampled.
  package var profile: LaunchProfile?

  package init(
    plain: Nanoseconds? = nil,
    traced: TracedLaunch? = nil,
    profile: LaunchProfile? = nil
  ) {
    self.plain = plain
    self.traced = traced
    self.profile = profile
  }
}

/// Where the time of one launch went, measured by clocks.
package struct TracedLaunch: Hashable, Sendable {
  /// The time on the critical path by actor and activity.
  package var classes: [ClassKey: Nanoseconds]

  /// The same time by resource.
  package var resources: [ResourceKey: Nanoseconds]

  /// How many events lie in the time of each class; each event made the launch slower by itself.
  package var classEvents: [ClassKey: Int]

  /// How many events lie in the time of each resource; empty where that is not known.
  package var resourceEvents: [ResourceKey: Int]

  /// How often each thing happened.
  package var counts: [CountedThing: Int]

  /// Who outside of the launch ended the longest wait for each resource.
  package var wakers: [ResourceKey: String] = [:]

  /// The time that the critical path waited for a processor.
  package var queue: Nanoseconds

  /// The time that launchlab took to notice that the launch is ready.
  package var harness: Nanoseconds

  /// The time that the events say nothing about.
  package var unknown: Nanoseconds

  package init(
    classes: [ClassKey: Nanoseconds],
    resources: [ResourceKey: Nanoseconds],
    classEvents: [ClassKey: Int] = [:],
    resourceEvents: [ResourceKey: Int] = [:],
    counts: [CountedThing: Int] = [:],
    queue: Nanoseconds = .zero,
    harness: Nanoseconds = .zero,
    unknown: Nanoseconds = .zero
  ) {
    self.classes = classes
    self.resources = resources
    self.classEvents = classEvents
    self.resourceEvents = resourceEvents
    self.counts = counts
    self.queue = queue
    self.harness = harness
    self.unknown = unknown
  }

  /// The time of the launch itself.
  var attributable: Nanoseconds { classes.values.reduce(.zero, +) }

  /// The events whose cost is in that time.
  var attributableEvents: Int { classEvents.values.reduce(0, +) }

  /// How many threads and processes it started.
  var startCount: Int {
    counts.reduce(0) { sum, count in
      switch count.key {
      case .threads, .processes: sum + count.value
      case .call, .missing, .faults, .pageIns, .readAhead: sum
      }
    }
  }

  /// Divides the critical path of a launch.
  package init(_ path: LaunchPath) {
    let divided = LaunchClasses(path)
    self.init(
      classes: divided.classes,
      resources: divided.resources,
      classEvents: divided.classEvents,
      resourceEvents: divided.resourceEvents,
      counts: path.counts.filter { !$0.key.isMissing },
      queue: divided.queue,
      harness: divided.harness,
      unknown: divided.unknown
    )
    var longest: [ResourceKey: Nanoseconds] = [:]
    for segment in path.segments {
      guard case .wait(_, _, let waker?) = segment.activity else { continue }
      let key = ResourceKey(segment.activity)
      guard segment.duration > longest[key] ?? .zero else { continue }
      longest[key] = segment.duration
      wakers[key] = waker
    }
  }

  /// The time of each class without what its events cost, in nanoseconds.
  func classTimes(costPerEvent: Double) -> [ClassKey: Double] {
    var times = classes.mapValues { Double($0.count) }
    for (key, count) in classEvents { times[key, default: 0] -= Double(count) * costPerEvent }
    return times
  }

  /// The time of each resource without what its events cost, in nanoseconds; the sum is that of the
  /// classes.
  ///
  /// Where the events of resources are not known, all resources are shortened by the same share.
  func resourceTimes(costPerEvent: Double) -> [ResourceKey: Double] {
    var times = resources.mapValues { Double($0.count) }
    for (key, count) in resourceEvents { times[key, default: 0] -= Double(count) * costPerEvent }
    if resourceEvents.isEmpty, !classEvents.isEmpty {
      let whole = classes.values.reduce(0) { $0 + Double($1.count) }
      let share = whole > 0 ? 1 - Double(attributableEvents) * costPerEvent / whole : 1
      times = times.mapValues { $0 * share }
    }
    return times
  }
}

/// What is called a reason, and how surely.
package struct AttributionSettings: Hashable, Sendable {
  /// What one event of a timeline costs the launch, calibrated on the host, in nanoseconds.
  package var costPerEvent: Double = 0

  /// Whether an event stopped the thread, as those of ptrace do: what is left of their cost, which
  /// differs from stop to stop, then looks like own code.
  package var tracedByStops: Bool = false

  /// The chance that anything is named at all where nothing differs.
  package var alpha: Double = 0.008

  /// How many times the pairs are exchanged at random, where not all exchanges are tried.
  package var permutations: Int = 2000

  /// What decides all draws.
  package var seed: UInt64 = 1

  /// The paths of the programs, which may be called differently; nil where they are not known.
  package var beforeProgram: String?
  package var afterProgram: String?

  /// The share of the blocks that is left out since their launches took most unusually long.
  static let droppedShare = 0.15

  /// Fewer samples of a class do not say where its time went.
  static let fewestSamples = 5

  /// A class with less time than this in an arm need not be sampled there, in nanoseconds.
  static let smallestClassTime = 30_000.0

  /// Nor need one with less than this share of its time in the other arm.
  static let smallestClassShare = 0.1
}

/// A value for each of two programs.
struct Sides<Value> {
  var before: Value
  var after: Value

  subscript(_ arm: Side) -> Value {
    get { arm == .before ? before : after }
    set {
      switch arm {
      case .before: before = newValue
      case .after: after = newValue
      }
    }
  }

  func map<Result>(_ transform: (Value) -> Result) -> Sides<Result> {
    Sides<Result>(before: transform(before), after: transform(after))
  }
}

extension Sides: Sendable where Value: Sendable {}
extension Sides: Equatable where Value: Equatable {}
extension Sides: Hashable where Value: Hashable {}

/// Which of the two programs.
enum Side: CaseIterable, Hashable, Sendable { case before, after }

extension AttributionBlock {
  subscript(_ arm: Side) -> BlockLaunches { arm == .before ? before : after }
}
