import Foundation

/// One thing that is measured against others: a target in one state.
package struct Arm: Hashable, Codable, Sendable {
  /// The name of the target, or ``Arm/emptyTarget`` for the floor.
  package var target: String

  package var state: LaunchState

  /// What the launches of this arm are for.
  package var kind: Kind

  package init(target: String, state: LaunchState, kind: Kind = .plain) {
    self.target = target
    self.state = state
    self.kind = kind
  }

  /// What the launches of an arm are for.
  package enum Kind: String, Codable, Sendable {
    /// Its times are the result.
    case plain

    /// It carries perf events, and its times are never mixed with plain ones.
    case counters

    // A collector sees how its launches are spent; nor are these times mixed with plain ones.
    case auto
    case probe
    case breakpoints
    case statistics
    case text
    case marks

    /// What its threads did is recorded, event by event: by programs in the kernel, or by ptrace.
    case timeline
    case ptrace

    /// It is sampled where its threads are.
    case profile

    /// Its runtime prints which modules it loads.
    case modules

    /// How its window looks is filmed.
    case film

    package init(_ collector: StageCollector) {
      switch collector {
      case .auto: self = .auto
      case .probe: self = .probe
      case .breakpoints: self = .breakpoints
      case .statistics: self = .statistics
      case .text: self = .text
      case .marks: self = .marks
      }
    }

    /// What its launches are called, such as `launches with probe`; nil for plain ones.
    package var phrase: String? {
      switch self {
      case .plain: nil
      case .counters: "counter launches"
      case .timeline, .ptrace: "traced launches"
      case .profile: "profiled launches"
      case .modules: "launches with module times"
      case .film: "filmed launches"
      case .auto: "launches with the probe, the runtime's own text and tracing"
      default: "launches with \(rawValue)"
      }
    }

    /// What collects on the launches of the arm, if anything.
    package var collector: StageCollector? { StageCollector(rawValue: rawValue) }

    /// Whether every block launches the arm once.
    package var isInEveryBlock: Bool { self == .plain || self == .modules || isTraced }

    /// Whether what its launches do is recorded.
    package var isTraced: Bool { hasTimeline || self == .profile }

    /// Whether its launches have a timeline.
    package var hasTimeline: Bool { self == .timeline || self == .ptrace }
  }

  /// The target name of the floor; a scenario may not use it.
  package static let emptyTarget = "empty"

  /// The target name of a pinned program that tells code from machine; a scenario may not use it.
  package static let controlTarget = "control"
}

/// Everything about a run that is decided before its first launch.
package struct Plan: Hashable, Codable, Sendable {
  package var scenario: Scenario

  /// The seed that the order of every block is drawn from.
  package var seed: UInt64

  package var arms: [Arm]

  /// How many blocks there are at most; each launches every plain arm once.
  package var blockCount: Int

  /// In how many steps the looks grow to twice as many blocks; nil stands for one step, in plans of
  /// before there was another.
  private var looksPerDoubling: Int? = 2

  package init(scenario: Scenario, seed: UInt64, arms: [Arm], blockCount: Int) {
    self.scenario = scenario
    self.seed = seed
    self.arms = arms
    self.blockCount = blockCount
  }

  /// After how many blocks the launches are looked at, and may end, ascending.
  ///
  /// The counts grow by √2 from the fewest launches on; the last one is ``blockCount``. They are
  /// fixed before the first launch, so that looking is no choice; a stored plan keeps its own.
  package var looks: [Int] {
    guard scenario.adaptive != nil else { return [blockCount] }
    let fewest = Double(max(1, scenario.launches))
    let steps = Double(looksPerDoubling ?? 1)
    let looks = (0...).lazy.map { Int(clamping: (fewest * pow(2, Double($0) / steps)).rounded()) }
      .prefix { $0 < blockCount }
    return Set(looks).sorted() + [blockCount]
  }

  /// The launches of each arm of a kind: one per block of plain arms, and of others those asked
  /// for, or one per block up to the first look if there are fewer blocks.
  package func launches(of kind: Arm.Kind) -> Int {
    let blocks = looks[0]
    return switch kind {
    case _ where kind.isInEveryBlock: blockCount
    case .counters, .film: min(max(0, scenario.counterLaunches), blocks)
    default: min(max(0, scenario.stages?.launches ?? 0), blocks)
    }
  }

  /// How many launches the plan holds.
  package var launchCount: Int { arms.reduce(0) { $0 + launches(of: $1.kind) } }

  /// The arms of a block in launch order.
  ///
  /// It depends on nothing but the seed, the arms and the number of the block, so no order is
  /// stored and a resumed run goes on with the same one. Every order is equally likely
  /// (Fisher and Yates).
  ///
  /// - Parameter block: From 0 to below ``blockCount``.
  /// - Returns: Indices into ``arms``, each at most once.
  package func order(ofBlock block: Int) -> [Int] {
    var order = arms.indices.filter { hasLaunches(of: arms[$0].kind, in: block) }
    var generator = SplitMix64(seed: seed, part: block)
    for last in order.indices.dropFirst().reversed() {
      order.swapAt(last, generator.next(below: last + 1))
    }
    return order
  }

  /// Whether the arms of a kind are launched in a block; those blocks are spread evenly.
  private func hasLaunches(of kind: Arm.Kind, in block: Int) -> Bool {
    guard !kind.isInEveryBlock else { return true }
    let count = launches(of: kind)
    let blocks = looks[0]
    guard block < blocks else { return false }
    func number(before block: Int) -> Int { (2 * block * count + blocks) / (2 * blocks) }
    return number(before: block + 1) > number(before: block)
  }
}
