import Foundation

@testable import LaunchCore
@testable import LaunchStatistics

extension SimulatedWorld {
  /// A scenario that goes through what scenarios go through, by a seed.
  ///
  /// Up to three targets with five shapes of noise of 0.5 to 5 %; steps, steps up and back, and steps
  /// that are mended in part; changes of the machine and of the host; missing days, nights that
  /// failed, targets that are no longer measured, and builds that cannot be compared. In one world of four
  /// two hosts take turns, each with a night a day and levels of its own.
  static func generated(_ seed: UInt64) -> Self {
    var generator = SeededGenerator(seed: seed)
    func happens(_ share: Double) -> Bool { generator.nextUniform() < share }
    func number(_ range: ClosedRange<Double>) -> Double {
      range.lowerBound + (range.upperBound - range.lowerBound) * generator.nextUniform()
    }
    func night(_ count: Int) -> Int { Int(generator.nextUniform() * Double(count)) }

    var other = SeededGenerator(seed: seed &+ 1_000_000)
    let takesTurns = other.nextUniform() < 0.25
    let isSameKind = other.nextUniform() < 0.5
    let hosts = takesTurns ? 2 : 1
    let count = (3 + night(45)) * hosts
    let isImported = happens(0.3)
    let targets = ["app", "db", "web"].prefix(1 + night(3))
    let controls = isImported ? [] : happens(0.8) ? [Arm.controlTarget, Arm.emptyTarget] : []
    let levels =
      targets.map { ($0, number(2e6...400e6)) } + controls.map { ($0, number(1e6...100e6)) }
    let changes = targets.reduce(into: [String: [Change]]()) { changes, target in
      guard happens(0.6) else { return }
      let first = Change(night: night(count), ratio: number(0.9...1.2))
      changes[target] = [first]
      guard happens(0.4) else { return }
      // The way back, or a part of it.
      let rest = happens(0.5) ? 1 : 1 + (first.ratio - 1) * number(0.2...0.6)
      changes[target]?.append(Change(night: first.night + 2 + night(15), ratio: rest / first.ratio))
    }
    let machine = Change(night: night(count), ratio: happens(0.2) ? number(1.03...1.15) : 1)
    let scatter = number(0.005...0.05)
    let tables = levels.map { ($0.0, Self.noise(count, scatter, shape: night(5), &generator)) }
    let noise = Dictionary(uniqueKeysWithValues: tables)
    var days: [Int] = []
    for _ in 0..<count { days.append((days.last ?? -1) + 1 + (happens(0.05) ? 1 + night(4) : 0)) }
    let failed = Set((0..<count).filter { happens($0 == count - 1 ? 0.08 : 0.03) })
    let moved = happens(0.1) ? night(count) : .max
    let gone = happens(0.1) ? count - 1 - night(4) : .max
    let uncomparable = Set((0..<count).filter { _ in happens(0.2) })
    let limit = happens(0.2) ? number(0.97...1.2) : nil
    let places = days

    return Self(
      count: count,
      seed: seed &+ 1,
      scenario: Scenario(
        name: "demo",
        targets: targets.map { Target(name: $0, command: ["true"], directory: "/") },
        states: [.warm],
        launches: 20,
        directory: "/",
        regression: RegressionRule(metrics: [.launch]),
        budgets: limit.map { share in
          [Budget(target: "app", state: .warm, metric: .launch, maximum: share * levels[0].1)]
        }
      ),
      isImported: isImported,
      firstJudged: isImported && !takesTurns ? .max : max(5, count - 20 * hosts),
      levels: levels.map { (target: $0.0, first: $0.1) },
      level: { target, night in
        let code = (changes[target] ?? []).filter { night >= $0.night }.reduce(1) { $0 * $1.ratio }
        let own = night % hosts == 1 ? 1.3 : 1
        return (code * own * (night >= machine.night ? machine.ratio : 1), code)
      },
      noise: { target, night, _ in noise[target]?[night] ?? 1 },
      day: { places[$0 / hosts] },
      hour: { Double($0 % hosts) * 3 },
      status: { failed.contains($0) ? .failed : .complete },
      machine: { takesTurns && !isImported ? "machine-\($0 % hosts)" : nil },
      fingerprint: { night in
        if night % hosts == 1, isImported || !isSameKind { return "second" }
        return night < moved ? "host" : "other"
      },
      isMeasured: { target, night in target != "app" || night < gone },
      canCompare: { !uncomparable.contains($0) }
    )
  }

  private struct Change {
    var night: Int
    var ratio: Double
  }

  /// What each night's value is multiplied by, in one of five shapes.
  private static func noise(
    _ count: Int,
    _ scatter: Double,
    shape: Int,
    _ generator: inout SeededGenerator
  ) -> [Double] {
    var neighbour = generator.nextGauss()
    return (0..<count).map { index in
      let normal = scatter * generator.nextGauss()
      let chance = generator.nextUniform()
      switch shape {
      case 0: return 1 + normal
      case 1: return 1 + normal + (chance < 0.05 ? 0.15 + chance * 5 : 0)
      case 2: return (chance < 0.3 ? 1.06 : 1) + normal / 3
      case 3:
        neighbour = 0.6 * neighbour + 0.8 * normal / scatter
        return 1 + scatter * neighbour
      default: return 1 + 0.1 * Double(index) / Double(count) + normal
      }
    }
  }
}
