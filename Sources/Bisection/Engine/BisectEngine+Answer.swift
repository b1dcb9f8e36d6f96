import Foundation
import LaunchCore
import LaunchStatistics

extension BisectEngine {
  func done(_ outcome: BisectOutcome) -> BisectAction { .done(answer(outcome)) }

  /// What is known at this moment.
  ///
  /// - Parameter outcome: How it ends; with a culprit any end is `found`.
  /// - Returns: The answer with every level and note.
  package func answer(_ outcome: BisectOutcome) -> BisectAnswer {
    let culprits = found.map(culprit).sorted { rank($0) > rank($1) }
    var answer = BisectAnswer(outcome: culprits.isEmpty ? outcome : .found)
    answer.culprits = culprits
    answer.difference = difference
    if case .inconclusive = answer.outcome, hasChances { answer.interval = credible(0.95) }
    answer.levels = buildLevels(of: answer.outcome)
    answer.launchNoise = noise ?? baselineNoise
    if hasChances {
      answer.buildNoise = buildNoise
      answer.twoChanges = twoChanges
    }
    answer.notes = notes(of: answer)
    if outcome == .refused(.notEstablished) { answer.launchesToGoOn = launchesForNextLook }
    if looksFurther, !culprits.isEmpty || phase == .sweep {
      answer.unsearched = unsearched.sorted { $0.good < $1.good }
    }
    return answer
  }

  /// Changes in the direction that is looked for come first, larger ones before smaller ones.
  private func rank(_ culprit: BisectCulprit) -> (Int, Double) {
    let estimate = culprit.effect.estimate
    return (estimate * orientation > 0 ? 1 : 0, abs(estimate))
  }

  private var baselineNoise: Double? {
    pairs[PairOfBuilds(0, range.last)].map { scale(of: $0) }
  }

  /// The standard deviation of the levels of builds, as it is likely.
  var buildNoise: Double { deviation(jitterChances) }

  /// The same by any chances of the jitters.
  func deviation(_ chances: [Double]) -> Double {
    zip(chances, rules.jitters).reduce(0) { $0 + $1.0 * $1.1 * $1.1 }.squareRoot()
  }

  private func culprit(_ change: FoundChange) -> BisectCulprit {
    let parent = range.previous(change.revisions.lowerBound)
    let first = range.change(at: change.revisions.lowerBound)
    let last = range.change(at: change.revisions.upperBound)
    var share: Double?
    if let estimate = difference?.estimate, estimate != 0 {
      share = change.effect.estimate / estimate
    }
    return BisectCulprit(
      revisions: first...last,
      effect: change.effect,
      probability: change.probability,
      share: share,
      parentBuild: parent,
      build: change.revisions.upperBound
    )
  }

  // MARK: - Levels

  /// Every build that was launched, against good.
  private func buildLevels(of outcome: BisectOutcome) -> [BisectLevel] {
    guard !batches.isEmpty else { return [] }
    let levels = levels(of: 0...range.last)
    let deviations = Self.deviations(levels)
    let bad = tellsSide(outcome) ? probabilitiesBad : nil
    return levels.revisions.indices.filter { rounds[levels.revisions[$0]] > 0 }.map { place in
      let revision = levels.revisions[place]
      let level = levels.levels[place]
      let half = 1.96 * deviations[place]
      return BisectLevel(
        revision: revision,
        level: LogInterval(estimate: level, lower: level - half, upper: level + half),
        rounds: rounds[revision],
        probabilityBad: probabilityBad(of: revision, bad)
      )
    }
  }

  /// Whether the last search tells on which side of the change builds are.
  ///
  /// A part that was searched for the other direction says nothing of this one.
  private func tellsSide(_ outcome: BisectOutcome) -> Bool {
    switch outcome {
    case .refused, .failed: false
    case .found, .inconclusive: hasChances && segment.orientation == orientation
    }
  }

  /// How likely a build is bad: by the last search, or for a culprit that was confirmed at it or
  /// before; nil where neither tells, and behind a change in the other direction.
  private func probabilityBad(of revision: Int, _ bad: [Double]?) -> Double? {
    let last = found.filter { $0.revisions.upperBound <= revision }
      .max { $0.revisions.upperBound < $1.revisions.upperBound }
    if let last, last.effect.estimate * orientation < 0 { return nil }
    let confirmed =
      found.filter { $0.revisions.upperBound <= revision && $0.effect.estimate * orientation > 0 }
      .map(\.probability)
    let isOpposite = opposites.contains { $0.lower < revision && revision < $0.upper }
    let searched = isOpposite ? nil : bad?[revision]
    return (confirmed + [searched].compactMap(\.self)).max().map { min(1, $0) }
  }

  /// The standard errors of levels against the first one, by the inverse of the information.
  private static func deviations(_ levels: BuildLevels) -> [Double] {
    let count = levels.revisions.count
    guard count > 1 else { return [0] }
    var matrix: [Double] = []
    for row in 1..<count {
      for column in 1..<count { matrix.append(levels.information[row * count + column]) }
    }
    guard let factor = CholeskyFactor(matrix, count: count - 1) else {
      return [Double](repeating: 0, count: count)
    }
    let inverse = factor.inverse()
    return [0] + (0..<(count - 1)).map { inverse[$0 * count].squareRoot() }
  }

  // MARK: - Notes

  private func notes(of answer: BisectAnswer) -> [BisectNote] {
    var notes = splits.map { BisectNote.split(at: $0) }
    for opposite in opposites where !isExplained(opposite) {
      notes.append(.improvement((opposite.lower + 1)...opposite.upper, opposite.effect))
    }
    if answer.culprits.isEmpty || phase == .tail, let shares = sharesOfEnds {
      notes.append(.slowLaunches(good: shares.baseline, bad: shares.candidate))
    }
    guard hasChances else { return notes }
    // Two builds differ by √2 of it.
    if 2.0.squareRoot() * buildNoise > 0.5 * effect { notes.append(.layoutNoise(buildNoise)) }
    if case .inconclusive = answer.outcome, isSpread(answer.levels) { notes.append(.spread) }
    return notes
  }

  /// Whether a culprit was found within a change in the other direction.
  private func isExplained(_ opposite: OppositeChange) -> Bool {
    found.contains { change in
      change.effect.estimate * opposite.effect.estimate > 0
        && change.revisions.lowerBound > opposite.lower
        && change.revisions.upperBound <= opposite.upper
    }
  }

  /// Whether no two neighbouring builds differ by a third of the whole.
  private func isSpread(_ levels: [BisectLevel]) -> Bool {
    guard let difference, levels.count >= 5 else { return false }
    let steps = zip(levels, levels.dropFirst()).map {
      ($1.level.estimate - $0.level.estimate) / difference.estimate
    }
    return (steps.max() ?? 1) < 0.3
  }
}

/// A difference in the other direction between two builds.
struct OppositeChange: Hashable, Sendable {
  let lower: Int
  let upper: Int
  let effect: LogInterval

  init(_ lower: Int, _ upper: Int, _ effect: LogInterval) {
    self.lower = lower
    self.upper = upper
    self.effect = effect
  }
}

extension BisectEngine {
  /// How far the bisection is, and what is expected still.
  ///
  /// The expected builds are the bits that tell which revision of a gap it is, over the share of
  /// builds that succeed; the expected launches are those of all bits left, of a candidate between
  /// two neighbours, and of the tests of two builds still to come, or the rest of those that a
  /// search with this change and noise takes. Both stop at the limits.
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
      secondsLeft: secondsLeft(left)
    )
  }

  /// By the pace so far, once the size of the change and the noise are known.
  ///
  /// Of simulated searches nine in ten took a quarter to three times what is expected.
  private func secondsLeft(_ left: (builds: Double, launches: Double)) -> ClosedRange<Double>? {
    guard [.search, .confirmation, .done].contains(progressPhase), ![.sweep, .tail].contains(phase)
    else {
      return nil
    }
    let seconds = left.builds * costs.build + left.launches * costs.launch
    let limit = parameters.limits.seconds.map { max(0, $0 - costs.seconds) } ?? .infinity
    return min(seconds / 4, limit)...min(seconds * 3, limit)
  }

  private var progressPhase: BisectProgress.Phase {
    if case .done = action { return .done }
    return switch phase {
    case .ends: .ends
    case .search, .sweep, .tail: .search
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
    if found.isEmpty, splits.isEmpty {
      // The same as planned, now that the change and the noise are known.
      let planned = forecast.launches(bits: log2(Double(max(1, range.last))))
      launches = max(launches, planned - Double(self.launches))
    }
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
