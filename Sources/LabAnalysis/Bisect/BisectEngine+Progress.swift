import Foundation
import LabModel

extension BisectEngine {
  /// How far the bisection is, and what is expected still.
  ///
  /// The expected builds are the bits that tell which revision of a gap it is, over the share of
  /// builds that succeed; the expected launches are those of all bits left, of a candidate between
  /// two neighbours, and of the tests of two builds still to come. Both stop at the limits.
  package var progress: BisectProgress {
    let isSearching = [.search, .confirmation, .sizing].contains(phase)
    let best = hasChances ? bestClass : nil
    let left = workLeft
    return BisectProgress(
      remaining: isSearching ? credible(0.95) : nil,
      best: best.map {
        range.change(at: $0.revisions.lowerBound)...range.change(at: $0.revisions.upperBound)
      },
      probability: best?.probability ?? 0,
      phase: progressPhase,
      buildsLeft: left.builds,
      launchesLeft: left.launches,
      secondsLeft: left.builds * costs.build + left.launches * costs.launch
    )
  }

  private var progressPhase: BisectProgress.Phase {
    if case .done = action { return .done }
    return switch phase {
    case .ends: .ends
    case .search, .sweep: .search
    case .confirmation, .sizing: .confirmation
    case .others: .others
    }
  }

  private var workLeft: (builds: Double, launches: Double) {
    if case .done = action { return (0, 0) }
    if phase == .sweep { return sweepLeft }
    let effect = max(effect, parameters.minimumEffect, 1e-4)
    let expected = phase == .ends ? max(effect, 0.05) : effect
    let forecast = LaunchForecast(parameters, effect: expected, noise: noise ?? 0.03)
    let bits = bitsLeft
    let tests: Double = phase == .ends ? 2 : phase == .others ? 0 : 1
    let unbuiltEnds = [0, range.last].count { range.status[$0] == .unknown }
    var builds = bits.withinGaps / (1 - min(costs.brokenShare, 0.9))
    var launches = bits.all * forecast.perBit + tests * forecast.test
    if phase == .others { (builds, launches) = (0, 0) }
    builds += Double(phase == .ends ? unbuiltEnds : 0)
    launches = min(launches, Double(max(0, parameters.limits.launches - self.launches)))
    return (builds, launches)
  }

  /// What is left for the steps that are known: each is halved until one revision is left, and
  /// confirmed.
  private var sweepLeft: (builds: Double, launches: Double) {
    let builds = steps.filter { isOpen($0) }.reduce(0) { sum, step in
      sum + log2(Double(max(1, unknown(in: step).count + 1)))
    }
    let steps = Double(steps.count { isOpen($0) })
    return (builds, builds * Double(rowsOfLevel) + steps * Double(2 * rules.looks[0]))
  }

  /// The entropy of the position of the change, and the part of it that only builds can tell.
  private var bitsLeft: (all: Double, withinGaps: Double) {
    var all = 0.0
    var ofGaps = 0.0
    var gap = 0.0
    var chanceOfClass = 0.0
    for revision in range.revisions.dropFirst() {
      chanceOfClass += chances[revision]
      gap += chances[revision]
      guard range.status[revision] != .broken else { continue }
      all += Self.entropy(chanceOfClass)
      chanceOfClass = 0
      guard range.isBuilt(revision) else { continue }
      ofGaps += Self.entropy(gap)
      gap = 0
    }
    return (all, max(0, all - ofGaps - Self.entropy(gap)))
  }

  private static func entropy(_ chance: Double) -> Double {
    chance > 0 ? -chance * log2(chance) : 0
  }
}
