import Foundation
import LaunchStatistics

@testable import Bisection
@testable import LaunchCore

/// A simulated range of revisions on a machine that drifts, wanders and is disturbed.
struct BisectWorld {
  private let settings: SimulationSettings
  private var generator: NormalGenerator

  /// The size of each change, as a log ratio, by its revision.
  private(set) var changes: [Int: Double] = [:]

  private(set) var levels: [Double]
  private(set) var isUsable: [Bool]

  /// Time in launches, and the slow wander at that time.
  private var time = 0.0
  private var wander = 0.0
  private let driftPeriod: Double
  private var driftSize = 0.0
  private var isFresh: [Bool]

  /// How much slower launches are in the present burst, and how many of it are left.
  private var burst = (slowdown: 0.0, left: 0.0)

  /// How far the level of each build has wandered, and when it was looked at last.
  private var strays: [(value: Double, time: Double)]

  init(_ settings: SimulationSettings, seed: UInt64) {
    self.settings = settings
    generator = NormalGenerator(seed: seed)
    let count = settings.candidates
    levels = [Double](repeating: 0, count: count + 1)
    isUsable = [Bool](repeating: true, count: count + 1)
    isFresh = isUsable
    strays = levels.map { _ in (0, -.infinity) }
    driftPeriod = (log2(Double(max(2, count))) + 4) * settings.build + 300
    plantChanges()
    if settings.jitter > 0 {
      for revision in levels.indices { levels[revision] += settings.jitter * generator.normal() }
    }
    breakRevisions()
    let direction: Double = generator.uniform() < 0.5 ? 1 : -1
    driftSize = direction * settings.drift * (0.3 + 0.7 * generator.uniform())
  }

  // MARK: - Truth

  private mutating func plantChanges() {
    let count = settings.candidates
    let effect = settings.effect
    switch settings.scenario {
    case .null: return
    case .single: plant(effect, at: 1 + generator.index(below: count))
    case .two, .comp:
      let places = places(min(3, count))
      var pair = [places[0], places[places.count - 1]]
      if generator.uniform() < 0.5 { pair.reverse() }
      plant(effect, at: pair[0])
      plant(effect * settings.second * (settings.scenario == .two ? 1 : -1), at: pair[1])
    case .creep:
      for place in places(min(16, count)) { plant(effect / 16, at: place) }
    case .spike:
      let places = places(min(3, count))
      guard places.count == 3 else { return plant(effect, at: places[0]) }
      plant(effect, at: places[0])
      plant(-effect / (1 + effect), at: places[1])
      plant(effect, at: places[2])
    case .set:
      // Each place is as likely for each size.
      for (place, size) in zip(shuffledPlaces(settings.sizes.count), settings.sizes) {
        plant(size, at: place)
      }
    }
  }

  private mutating func plant(_ effect: Double, at revision: Int) {
    for later in revision..<levels.count { levels[later] += log1p(effect) }
    changes[revision, default: 0] += log1p(effect)
  }

  /// So many different revisions after good, ascending.
  private mutating func places(_ count: Int) -> [Int] { shuffledPlaces(count).sorted() }

  /// The same in the order that they were drawn; all there are at most.
  private mutating func shuffledPlaces(_ count: Int) -> [Int] {
    var chosen: [Int] = []
    while chosen.count < min(count, settings.candidates) {
      let place = 1 + generator.index(below: settings.candidates)
      if !chosen.contains(place) { chosen.append(place) }
    }
    return chosen
  }

  /// Breaks revisions between the ends, in runs of about three.
  private mutating func breakRevisions() {
    let count = settings.candidates
    guard settings.broken > 0, count > 2 else { return }
    let wanted = (1..<count).count { _ in generator.uniform() < settings.broken }
    var broken = 0
    for _ in 0..<(10 * count) where broken < wanted {
      let start = 1 + generator.index(below: count - 1)
      var length = 1
      while generator.uniform() > 1.0 / 3 { length += 1 }
      for revision in start..<min(count, start + length) where broken < wanted {
        if isUsable[revision] { broken += 1 }
        isUsable[revision] = false
      }
    }
  }

  // MARK: - Work

  mutating func build(_ revision: Int) -> Bool {
    time += settings.build
    let step = exp(-settings.build / 40)
    wander = step * wander
    wander += settings.wander * (1 - step * step).squareRoot() * generator.normal()
    return isUsable[revision]
  }

  /// Launches builds row after row, every second row in reverse order.
  mutating func launch(_ arms: [Int], rows: Int) -> [[Double]] {
    (0..<rows).map { row in
      var values = [Double](repeating: 0, count: arms.count)
      let order = row.isMultiple(of: 2) ? Array(arms.indices) : arms.indices.reversed()
      for arm in order { values[arm] = launch(arms[arm]) }
      return values
    }
  }

  private mutating func launch(_ revision: Int) -> Double {
    let step = 0.975309912028333  // exp(-1 / 40)
    wander = step * wander
    wander += settings.wander * (1 - step * step).squareRoot() * generator.normal()
    let phase = (time / driftPeriod).truncatingRemainder(dividingBy: 2)
    time += 1
    var value = levels[revision] + wander + driftSize * (phase < 1 ? phase : 2 - phase)
    value += settings.noise * generator.normal()
    value += strayed(revision) + burstSlowdown()
    if settings.bimodal > 0, generator.uniform() < 0.3 { value += log1p(settings.bimodal) }
    if isFresh[revision] {
      isFresh[revision] = false
      value += log1p(settings.cold)
    }
    if generator.uniform() < settings.outliers { value += log1p(0.3 + 1.7 * generator.uniform()) }
    return value
  }

  /// How far the level of a build has wandered until now.
  private mutating func strayed(_ revision: Int) -> Double {
    guard settings.levels > 0 else { return 0 }
    let stray = strays[revision]
    let step = exp((stray.time - time) / 200)
    let value = step * stray.value
    let moved = value + settings.levels * (1 - step * step).squareRoot() * generator.normal()
    strays[revision] = (moved, time)
    return moved
  }

  /// How much slower a launch is for the burst that it is in, as a log ratio.
  private mutating func burstSlowdown() -> Double {
    guard settings.bursts > 0 else { return 0 }
    let length = 30.0
    if burst.left <= 0, generator.uniform() < settings.bursts / (1 - settings.bursts) / length {
      burst = (log1p(0.2 + 0.8 * generator.uniform()), -length * log(1 - generator.uniform()))
    }
    guard burst.left > 0 else { return 0 }
    burst.left -= 1
    return burst.slowdown
  }
}

/// Seeded numbers of the normal and other distributions.
private struct NormalGenerator {
  private var bits: SeededGenerator
  private var spare: Double?

  init(seed: UInt64) { bits = SeededGenerator(seed: seed &* 0x2545_f491_4f6c_dd1d &+ 20_240_607) }

  mutating func uniform() -> Double { bits.nextUniform() }

  mutating func index(below count: Int) -> Int { min(count - 1, Int(uniform() * Double(count))) }

  /// A number of the standard normal distribution, by the method of Box and Muller.
  mutating func normal() -> Double {
    if let spare {
      self.spare = nil
      return spare
    }
    let radius = (-2 * log(1 - uniform())).squareRoot()
    let angle = 2 * Double.pi * uniform()
    spare = radius * sin(angle)
    return radius * cos(angle)
  }
}
