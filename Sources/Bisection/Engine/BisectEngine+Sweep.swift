import Foundation
package import LaunchCore

extension BisectEngine {
  /// Searches every stretch between neighbouring builds that differ, the largest difference first.
  ///
  /// It is for all changes of a measure that hardly varies: a launch or two tell the level of a build,
  /// so each change costs the builds of a plain bisection, however many there are. Where nothing
  /// differs yet, as where changes cancel out, the middle of the widest stretch is built.
  mutating func decideSweep() -> BisectAction {
    while true {
      steps = measuredSteps
      if let target, let action = confirmStep(target) { return action }
      if let spent { return finishSweep(because: spent) }
      let built = range.revisions.filter(range.isBuilt)
      if let fresh = built.first(where: { rounds[$0] == 0 }) {
        return .launch(arms: [fresh], rows: rowsOfLevel)
      }
      let large = largestStep
      guard let step = large ?? widest else { return finishSweep(because: nil) }
      if large == nil { probes += 1 }
      if let middle = middle(of: step) { return .build(middle) }
      // Only what cannot be built is between them.
      guard let revisions = range.classes.first(where: { $0.upperBound == step.upper }) else {
        settled.insert(PairOfBuilds(step.lower, step.upper))
        continue
      }
      target = revisions
      pairs[PairOfBuilds(step.lower, step.upper)] = nil
    }
  }

  /// All neighbouring builds that were launched.
  private var measuredSteps: [Step] {
    let levels = levels(of: 0...range.last)
    let known = zip(levels.revisions, levels.levels).filter {
      range.isBuilt($0.0) && rounds[$0.0] > 0
    }
    return zip(known, known.dropFirst()).map {
      Step(lower: $0.0, upper: $1.0, difference: $1.1 - $0.1)
    }
  }

  private var hasEqualEnds: Bool {
    abs(difference?.estimate ?? 0) < parameters.minimumEffect
  }

  private func isLarge(_ step: Step) -> Bool { abs(step.difference) >= parameters.minimumEffect }

  /// Whether a step is to be searched.
  func isOpen(_ step: Step) -> Bool {
    isLarge(step) && !settled.contains(PairOfBuilds(step.lower, step.upper))
  }

  private var largestStep: Step? {
    steps.filter(isOpen).max { abs($0.difference) < abs($1.difference) }
  }

  /// The stretch with equal ends that has the most revisions not tried, in which changes may cancel
  /// out; nil when enough were looked into, which is never where nothing was found otherwise.
  private var widest: Step? {
    let isAllEqual = found.isEmpty && hasEqualEnds && !steps.contains(where: isLarge)
    guard isAllEqual || probes < rules.mostProbes else { return nil }
    let widest = steps.filter { !isLarge($0) }.max { unknown(in: $0).count < unknown(in: $1).count }
    return widest.flatMap { unknown(in: $0).isEmpty ? nil : $0 }
  }

  func unknown(in step: Step) -> [Int] {
    range.between(step.lower, step.upper).filter { range.status[$0] == .unknown }
  }

  /// The revision that halves how likely the change is on either side.
  private func middle(of step: Step) -> Int? {
    let unknown = unknown(in: step)
    let half = unknown.reduce(0) { $0 + range.weights[$1] } / 2
    var sum = 0.0
    return unknown.first { revision in
      sum += range.weights[revision]
      return sum >= half
    }
  }

  /// How many launches tell a level to a third of the smallest effect, as one standard error of a
  /// difference.
  var rowsOfLevel: Int {
    let ratio = (noise ?? 0) / parameters.minimumEffect
    return max(1, min(16, Int(clamping: (18 * ratio * ratio).rounded(.up))))
  }

  /// Launches a step in new pairs; nil when it is accepted or not.
  private mutating func confirmStep(_ revisions: ClosedRange<Int>) -> BisectAction? {
    let parent = range.previous(revisions.lowerBound)
    let builds = PairOfBuilds(parent, revisions.upperBound)
    let result = test(parent, revisions.upperBound)
    if case .more(let count) = result {
      if let spent {
        target = nil
        return finishSweep(because: spent)
      }
      return .launch(arms: [parent, revisions.upperBound], rows: count)
    }
    target = nil
    settled.insert(builds)
    if case .differ(let interval) = result,
      abs(interval.estimate) > parameters.minimumEffect / 2
    {
      let effect = reported(builds, 0.95) ?? interval
      found.append(
        FoundChange(revisions: revisions, effect: effect, probability: 1 - parameters.alpha)
      )
    }
    return nil
  }

  /// Ends the search, and lists the stretches that were not looked into.
  private mutating func finishSweep(because obstacle: BisectObstacle?) -> BisectAction {
    let named = Set(found.map(\.revisions.upperBound))
    unsearched = steps.compactMap { step in
      guard let reason = reason(for: step, obstacle), !named.contains(step.upper) else {
        return nil
      }
      return UnsearchedStretch(
        good: step.lower,
        bad: step.upper,
        difference: step.difference,
        reason: reason
      )
    }
    if let obstacle, unsearched.contains(where: { $0.reason == .limit(obstacle) }) {
      return done(.inconclusive(obstacle))
    }
    return done(hasEqualEnds ? .refused(.same) : .inconclusive(.nothingToLearn))
  }

  /// Why a stretch was left; nil where every revision of it is known.
  private func reason(
    for step: Step,
    _ obstacle: BisectObstacle?
  ) -> UnsearchedStretch.Reason? {
    if isLarge(step) { return isOpen(step) ? obstacle.map { .limit($0) } : .notEstablished }
    return unknown(in: step).isEmpty ? nil : .equalEnds
  }
}

extension BisectEngine {
  /// Takes other limits than those it began with; what was decided stays decided.
  package mutating func limit(_ limits: BisectLimits) {
    parameters.limits = limits
    hasNoRoom = false
  }

  /// The limit that is reached, if one is.
  var spent: BisectObstacle? {
    if hasNoRoom || launches >= parameters.limits.launches { return .launchesSpent }
    if timeIsSpent { return .timeSpent }
    let usable = range.status.count { $0 == .built }
    if usable >= mostBuilds || builds - usable >= 3 * mostBuilds { return .buildsSpent }
    return nil
  }

  /// Cuts launches to those that are left; the first comparison of the ends is always made.
  ///
  /// If not one row is left, the next step is decided again, so that what is pending is listed.
  mutating func withinLimits(_ action: BisectAction) -> BisectAction {
    guard case .launch(let arms, let rows) = action, phase != .ends || probes > 0 else {
      return action
    }
    let left = (parameters.limits.launches - launches) / arms.count
    guard left > 0 else {
      guard !hasNoRoom else { return done(.inconclusive(.launchesSpent)) }
      hasNoRoom = true
      return withinLimits(decide())
    }
    return .launch(arms: arms, rows: min(rows, left))
  }

  var timeIsSpent: Bool {
    parameters.limits.seconds.map { costs.seconds >= $0 } ?? false
  }

  /// The most launches that allow one more look at the ends; nil where no look is left.
  var launchesForNextLook: Int? {
    let count = pairs[PairOfBuilds(0, range.last)]?.count ?? 0
    return rules.looks.first { $0 > count }.map {
      Int(clamping: (Double(2 * $0) / rules.pairShare).rounded(.up))
    }
  }

  /// The most builds that succeed.
  private var mostBuilds: Int {
    let bits = log2(Double(max(2, range.last))).rounded(.up)
    let isJittery = hasChances && buildNoise > rules.jitteryShare * effect
    let spare = isJittery ? rules.spareJitteryBuilds : rules.spareBuilds
    // Each change that was found leaves as much to search again.
    let searches = looksFurther ? found.count + 1 : 1
    // More than there are revisions are never needed.
    return min(parameters.limits.builds ?? searches * (2 * Int(bits) + spare), 2 * range.last + 2)
  }
}

extension BisectMeasure {
  /// The natural logarithm of a value, so that differences are ratios.
  ///
  /// - Parameter value: At least 0 in the unit of the measure; 0 counts as a half, so that a count of
  ///   nothing has a logarithm too.
  /// - Returns: A finite number for a finite value.
  package func logarithm(of value: Double) -> Double { log(max(value, 0.5)) }
}
