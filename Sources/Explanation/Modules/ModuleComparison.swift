import LaunchCore
import LaunchStatistics

/// The time of the modules that the runtime of a program loads in its launches.
///
/// The times are those that the runtime prints, in launches that do nothing else.
package struct ModuleComparison: Hashable, Sendable {
  package let runtime: ModuleRuntime

  /// How many blocks of launches they are of.
  package let blocks: Int

  /// The launches themselves, with what they waited for processors.
  package let launches: TimeChange

  /// All modules.
  package let total: TimeChange

  /// Of two programs by the size of the difference, and of one by time, the largest first.
  package let modules: [Change]

  /// A module without those that it loads.
  package struct Change: Hashable, Sendable {
    package let name: String

    /// The module that loaded it first; nil for the program, and where that is not known.
    package let importer: String?
    package let change: TimeChange

    /// Which part of the difference of ``launches`` it is; nil of one program, and where that may be 0.
    package let share: Double?

    /// Nil of one program.
    package let novelty: LaunchReason.Novelty?

    /// The modules whose time is in its own, sorted.
    ///
    /// They are new, or gone, as it is, and are loaded by it or by those that it loads.
    package let others: [String]
    package let isSignificant: Bool
  }

  /// Compares the modules of launches, or lists those of one program, which is called after; nil where
  /// no launch printed its modules, or the programs those of different runtimes.
  ///
  /// - Parameters:
  ///   - launches: By block; nil where nothing was printed.
  ///   - arms: The programs that were launched.
  ///   - launch: How long a launch takes, in nanoseconds: what is a small part of it is not called
  ///     different.
  ///   - settings: How surely things are told apart.
  init?(
    _ launches: [Sides<LoadedModules?>],
    arms: [Side],
    launch: Double,
    settings: AttributionSettings
  ) {
    guard let runtime = launches.lazy.compactMap(\.after?.runtime).first else { return nil }
    let whole = launches.filter { block in arms.allSatisfy { block[$0]?.runtime == runtime } }
    guard !whole.isEmpty else { return nil }
    let sums = whole.map { block in
      arms.reduce(0) { $0 + (block[$1]?.total ?? 0) }
    }
    let kept = DividedTime.usual(Array(whole.indices), totals: sums).map { whole[$0] }
    self.runtime = runtime
    blocks = kept.count
    total = TimeChange(Self.values(of: nil, in: kept))
    let times = Self.launches(in: kept)
    let isDifferent = times.interval?.excludesZero ?? false
    self.launches = times
    let groups = ModuleGroups(kept, arms: arms)
    let values = groups.all.map { Self.values(of: Set([$0.name] + $0.others), in: kept) }
    let differences = values.map { zip($0.after, $0.before).map { $0 - $1 } }
    let test = Self.test(
      differences,
      whole: kept.map { ($0.after?.total ?? 0) - ($0.before?.total ?? 0) },
      launch: arms.count == 2 ? launch : nil,
      settings
    )
    modules = groups.all.indices.map { place in
      let group = groups.all[place]
      let change = TimeChange(values[place])
      return Change(
        name: group.name,
        importer: group.importer,
        change: change,
        share: arms.count == 2 && isDifferent
          ? Double(change.difference.count) / Double(times.difference.count) : nil,
        novelty: arms.count < 2
          ? nil : group.novelty ?? (change.difference > .zero ? .more : .less),
        others: group.others,
        isSignificant: test?(differences[place]) ?? false
      )
    }
    .sorted { left, right in
      let sizes = [left, right].map { $0.change.difference.magnitude }
      return sizes[0] == sizes[1] ? left.name < right.name : sizes[0] > sizes[1]
    }
  }

  private static func launches(in blocks: [Sides<LoadedModules?>]) -> TimeChange {
    TimeChange(
      Sides(
        before: blocks.map { Double($0.before?.launch.count ?? 0) },
        after: blocks.map { Double($0.after?.launch.count ?? 0) }
      )
    )
  }

  /// The times of some modules, or of all, by block.
  private static func values(
    of names: Set<String>?,
    in blocks: [Sides<LoadedModules?>]
  ) -> Sides<[Double]> {
    func sum(_ loaded: LoadedModules?) -> Double {
      guard let names else { return loaded?.total ?? 0 }
      return names.reduce(0) { $0 + Double(loaded?.modules[$1]?.time.count ?? 0) }
    }
    return Sides(before: blocks.map { sum($0.before) }, after: blocks.map { sum($0.after) })
  }

  /// Says which differences are there, by the same test as those of other parts of a launch.
  ///
  /// - Returns: Nil where there are too few blocks, or no launches to compare with.
  private static func test(
    _ differences: [[Double]],
    whole: [Double],
    launch: Double?,
    _ settings: AttributionSettings
  ) -> (([Double]) -> Bool)? {
    guard let launch, whole.count >= SignFlipTest.fewestBlocks else { return nil }
    let floor = SignFlipTest.Floor(launch: launch)
    let test = SignFlipTest(
      differences,
      whole: whole,
      floor: floor,
      permutations: settings.permutations,
      seed: settings.seed
    )
    let amount = floor.amount(whole: mean(whole))
    return { values in
      abs(mean(values)) >= amount && test.probability(values) <= settings.alpha
    }
  }

  private static func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }

  /// The new or gone module whose time, with that of the modules which it loads, makes up most of the
  /// difference; nil where none does.
  package var leading: Change? {
    modules.first { module in
      module.isSignificant && (module.novelty == .new || module.novelty == .gone)
        && module.share ?? 0 >= Self.leadingShare
    }
  }

  private static let leadingShare = 0.6
}

/// The modules of both programs, those that only one of them loads with what they load.
private struct ModuleGroups {
  private(set) var all: [Group] = []

  struct Group {
    var name: String
    var importer: String?
    var novelty: LaunchReason.Novelty?
    var others: [String] = []
  }

  init(_ blocks: [Sides<LoadedModules?>], arms: [Side]) {
    var counts = Sides<[String: Int]>(before: [:], after: [:])
    var importers = Sides<[String: String]>(before: [:], after: [:])
    for block in blocks {
      for arm in arms {
        for (name, module) in block[arm]?.modules ?? [:] {
          counts[arm][name, default: 0] += 1
          importers[arm][name] = importers[arm][name] ?? module.importer
        }
      }
    }
    /// In most launches of a program, and in few of the other one.
    func isOnly(_ name: String, in arm: Side) -> Bool {
      let others = arms.filter { $0 != arm }
      return !others.isEmpty && 5 * (counts[arm][name] ?? 0) >= 4 * blocks.count
        && others.allSatisfy { 5 * (counts[$0][name] ?? 0) <= blocks.count }
    }
    var places: [String: Int] = [:]
    let names = Set(arms.flatMap { counts[$0].keys }).sorted()
    for name in names {
      guard let arm = arms.first(where: { isOnly(name, in: $0) }) else {
        let importer = importers.after[name] ?? importers.before[name]
        all.append(Group(name: name, importer: importer))
        continue
      }
      let chain = Self.chain(from: name, importers[arm])
      let root = chain.prefix { isOnly($0, in: arm) }.last ?? name
      let place = places[root] ?? all.count
      if place == all.count {
        all.append(
          Group(
            name: root,
            importer: importers[arm][root],
            novelty: arm == .after ? .new : .gone
          )
        )
        places[root] = place
      }
      if name != root { all[place].others.append(name) }
    }
  }

  /// A module, and those that loaded it, the outermost last.
  private static func chain(from name: String, _ importers: [String: String]) -> [String] {
    var chain = [name]
    // Modules of several processes may load each other.
    while let next = importers[chain[chain.count - 1]], !chain.contains(next) {
      chain.append(next)
    }
    return chain
  }
}

extension LoadedModules {
  /// In nanoseconds.
  fileprivate var total: Double { modules.values.reduce(0) { $0 + Double($1.time.count) } }
}
