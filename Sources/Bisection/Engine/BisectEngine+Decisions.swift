import LaunchCore

extension BisectEngine {
  /// What follows from all that is known.
  mutating func decide() -> BisectAction {
    if range.isEmpty {
      difference = LogInterval(estimate: 0, lower: 0, upper: 0)
      return done(.refused(.same))
    }
    if phase == .ends, let action = decideEnds() { return action }
    if let end = [0, range.last].first(where: { range.status[$0] == .broken }) {
      return done(.failed(end: end))
    }
    while true {
      let action =
        switch phase {
        case .ends, .search: decideSearch()
        case .confirmation: decideConfirmation()
        case .others: decideOthers()
        case .sizing: decideSizing()
        case .sweep: decideSweep()
        case .tail: decideTail()
        }
      if let action { return action }
    }
  }

  // MARK: - Ends

  /// Builds and compares the ends; nil when the search has begun.
  private mutating func decideEnds() -> BisectAction? {
    let bad = range.last
    for end in [0, bad] {
      switch range.status[end] {
      case .unknown: return timeIsSpent ? done(.inconclusive(.timeSpent)) : .build(end)
      case .broken: return done(.failed(end: end))
      case .built: continue
      }
    }
    if parameters.isOfSlowLaunches { return decideSlowEnds() }
    let result = test(0, bad)
    if case .more = result {} else if beginTail() { return nil }
    switch result {
    case .more(let count):
      return timeIsSpent ? done(.inconclusive(.timeSpent)) : .launch(arms: [0, bad], rows: count)
    case .differ(let interval):
      difference = interval
      guard let refusal = refusal(of: interval), !parameters.isForced else { break }
      if refusal == .opposite, looksInside {
        orientation.negate()
        defer { orientation.negate() }
        beginSearch()
        return nil
      }
      return decideInside(refusal)
    case .same(let interval):
      difference = interval
      if !parameters.isForced { return decideInside(.same) }
    case .open(let interval):
      difference = interval
      if !parameters.isForced { return decideInside(.notEstablished) }
    }
    beginSearch()
    return nil
  }

  /// Why a difference between the ends is not looked for; also settles the direction.
  private mutating func refusal(of interval: LogInterval) -> BisectRefusal? {
    if parameters.direction == .any { orientation = interval.estimate < 0 ? -1 : 1 }
    let oriented = interval.oriented(orientation)
    if oriented.estimate < 0 { return .opposite }
    return oriented.upper < parameters.minimumEffect ? .tooSmall : nil
  }

  /// Whether changes are looked for that the ends do not show.
  private var looksInside: Bool { parameters.findsAll || parameters.direction == .any }

  /// Looks for changes that cancel out between ends that do not differ: compares the middle of the
  /// widest stretch with its ends, again and again; nil when the search has begun.
  private mutating func decideInside(_ refusal: BisectRefusal) -> BisectAction? {
    guard looksInside, refusal != .opposite else { return done(.refused(refusal)) }
    if parameters.findsAll, parameters.isExact {
      beginSearch()
      return nil
    }
    let built = range.revisions.filter(range.isBuilt)
    for (lower, upper) in zip(built, built.dropFirst()) {
      switch test(lower, upper) {
      case .differ(let interval) where abs(interval.estimate) >= parameters.minimumEffect:
        begin(between: lower, upper, interval, among: built)
        return nil
      case .more(let count):
        return spent == nil ? .launch(arms: [lower, upper], rows: count) : done(.refused(refusal))
      case .differ, .same, .open: continue
      }
    }
    guard probes < rules.mostProbes, spent == nil, let middle = widestMiddle(built) else {
      return done(.refused(refusal))
    }
    probes += 1
    return .build(middle)
  }

  /// Begins to search a stretch whose ends differ; what is beside it is searched later.
  private mutating func begin(
    between lower: Int,
    _ upper: Int,
    _ interval: LogInterval,
    among built: [Int]
  ) {
    let sign: Double = interval.estimate < 0 ? -1 : 1
    if parameters.direction == .any { orientation = sign }
    noise = scale(of: pairs[PairOfBuilds(lower, upper)] ?? [])
    if parameters.findsAll {
      besides = zip(built, built.dropFirst()).filter { $0.0 != lower }.map {
        BisectSegment(lower: $0.0, upper: $0.1, effect: 0, orientation: orientation)
      }
    }
    begin(
      BisectSegment(
        lower: lower,
        upper: upper,
        effect: abs(interval.estimate),
        orientation: sign
      )
    )
  }

  /// The middle of the stretch between builds that has the most revisions not tried yet.
  private func widestMiddle(_ built: [Int]) -> Int? {
    let stretches = zip(built, built.dropFirst()).map { lower, upper in
      range.between(lower, upper).filter { range.status[$0] == .unknown }
    }
    return stretches.max { $0.count < $1.count }.flatMap { $0.isEmpty ? nil : $0[$0.count / 2] }
  }

  private mutating func beginSearch() {
    let bad = range.last
    noise = scale(of: pairs[PairOfBuilds(0, bad)] ?? [])
    if parameters.findsAll, parameters.isExact {
      phase = .sweep
      return
    }
    var estimate = (difference?.estimate ?? 0) * orientation
    if parameters.isForced, estimate < parameters.minimumEffect { estimate = rules.forcedEffect }
    begin(BisectSegment(lower: 0, upper: bad, effect: estimate, orientation: orientation))
  }

  // MARK: - Search

  private mutating func decideSearch() -> BisectAction? {
    let best = bestClass
    let isDoubted = isDoubted(best.revisions)
    if best.probability >= parameters.confidence, !isDoubted {
      let ends = [range.previous(best.revisions.lowerBound), best.revisions.upperBound]
      if !timeIsSpent, let unknown = ends.first(where: { range.status[$0] == .unknown }) {
        return .build(unknown)
      }
      if ends.allSatisfy(range.isBuilt) {
        guard confirmFailures < rules.mostConfirmations else { return giveUp(.notConfirmed) }
        phase = .confirmation
        target = best.revisions
        // Only pairs that are launched from now on count.
        pairs[PairOfBuilds(ends[0], ends[1])] = nil
        return nil
      }
    }
    if let spent { return giveUp(spent) }
    if let action = select(isDoubted: isDoubted && best.probability >= parameters.confidence) {
      return action
    }
    guard !pending.isEmpty, !looksFurther else { return giveUp(.nothingToLearn) }
    beginPending()
    return nil
  }

  /// Ends the search of a part without a change; nil where others are searched still.
  private mutating func giveUp(_ obstacle: BisectObstacle) -> BisectAction? {
    let hasOthers = !found.isEmpty || !pending.isEmpty || !besides.isEmpty
    guard looksFurther, hasOthers else { return done(.inconclusive(obstacle)) }
    leave(segment, .limit(obstacle), difference: segment.effect * segment.orientation)
    givenUp = givenUp ?? obstacle
    target = nil
    phase = .others
    return nil
  }

  private mutating func leave(
    _ part: BisectSegment,
    _ reason: UnsearchedStretch.Reason,
    difference: Double?
  ) {
    unsearched.append(
      UnsearchedStretch(good: part.lower, bad: part.upper, difference: difference, reason: reason)
    )
  }

  /// Whether a class is too unlikely for somebody who expects builds to differ, or too few builds
  /// around it show how much they do.
  private func isDoubted(_ revisions: ClosedRange<Int>) -> Bool {
    guard let doubt else { return false }
    let inside = range.between(segment.lower, segment.upper)
    let isExhausted =
      !inside.contains { range.status[$0] == .unknown } && leastLaunched(around: revisions) == nil
    let share = isExhausted ? rules.exhaustedRisk : rules.doubtfulRisk
    let risk = (1 - parameters.confidence) * share
    return doubt.chances[revisions].reduce(0, +) < 1 - risk || witness(of: revisions) != nil
  }

  /// The next step that tells most; of a culprit that is doubted, most to those who doubt it.
  ///
  /// Rows of builds that are there come first, since they tell how much builds differ.
  private func select(isDoubted: Bool) -> BisectAction? {
    guard isDoubted, let doubt else { return select() }
    let best = bestClass.revisions
    if let build = leastLaunched(around: best) {
      return .launch(arms: arms(of: build), rows: rules.witnessRounds)
    }
    if let witness = witness(of: best) { return .build(witness) }
    var other = self
    other.chances = doubt.chances
    other.jitterChances = doubt.jitterChances
    return other.select(buildsMore: false) ?? other.select()
  }

  /// The revisions of the segment before a culprit, and those from it on; without the ends, which
  /// have rows of every comparison.
  private func sides(of culprit: ClosedRange<Int>) -> (before: [Int], after: [Int]) {
    let inside = range.between(segment.lower, segment.upper)
    return (
      inside.filter { $0 < culprit.lowerBound }, inside.filter { $0 >= culprit.upperBound }
    )
  }

  /// The build near a culprit that has the fewest rows; nil where more of them cannot tell more.
  private func leastLaunched(around culprit: ClosedRange<Int>) -> Int? {
    let (before, after) = sides(of: culprit)
    let near =
      before.filter(range.isBuilt).suffix(rules.witnesses)
      + after.filter(range.isBuilt).prefix(rules.witnesses)
    return near.filter { !isSaturated($0) }.min { rounds[$0] < rounds[$1] }
  }

  /// The revision beside a culprit to be built, on the side with fewer builds, to show how much
  /// builds differ; nil where enough do, or the change is far larger than that.
  private func witness(of culprit: ClosedRange<Int>) -> Int? {
    guard let doubt, effect < rules.witnessRatio * deviation(doubt.jitterChances) else {
      return nil
    }
    let (before, after) = sides(of: culprit)
    let isUnknown = { range.status[$0] == .unknown }
    let nearest = [(before, before.last(where: isUnknown)), (after, after.first(where: isUnknown))]
    // The end of the segment is a build of its side, too.
    let open = nearest.compactMap { side, candidate in
      candidate.map { (builds: side.count(where: range.isBuilt) + 1, candidate: $0) }
    }
    let fewest = open.min { $0.builds < $1.builds }
    return fewest.flatMap { $0.builds < rules.witnesses ? $0.candidate : nil }
  }

  /// Goes on with the part that has the largest difference.
  private mutating func beginPending() {
    guard let index = largest(pending) else { return }
    begin(pending.remove(at: index))
  }

  private func largest(_ segments: [BisectSegment]) -> Int? {
    var best: Int?
    for index in segments.indices
    where segments[index].effect > (best.map { segments[$0].effect } ?? -.infinity) {
      best = index
    }
    return best
  }

  // MARK: - Confirmation

  /// The interval of a test that people are told of, whatever the one it was decided by.
  func reported(_ builds: PairOfBuilds, _ confidence: Double) -> LogInterval? {
    pairs[builds].map {
      PairTest.interval($0, confidence: confidence, isExact: parameters.isExact)
    }
  }

  private mutating func decideConfirmation() -> BisectAction? {
    guard let target else {
      phase = .search
      return nil
    }
    let parent = range.previous(target.lowerBound)
    let probability = chances[target].reduce(0, +)
    let result = test(parent, target.upperBound)
    if case .more(let count) = result, probability >= 0.5 {
      if let spent { return giveUp(spent) }
      return .launch(arms: [parent, target.upperBound], rows: count)
    }
    let isLikely = probability >= parameters.confidence
    if case .differ(let interval) = result, isLikely {
      let estimate = interval.estimate * segment.orientation
      if estimate > max(0.5 * parameters.minimumEffect, 0.3 * segment.effect) {
        guard isDoubted(target) else {
          size(target, estimate: interval, probability: probability)
          return nil
        }
        phase = .search
        return nil
      }
    }
    confirmFailures += 1
    phase = .search
    switch result {
    case .more: return nil
    case .differ where !isLikely: return nil
    case .differ, .same, .open:
      vetoes.append(target)
      update()
      return nil
    }
  }

  // MARK: - Size

  /// Accepts a change whose size is told by new pairs, as many as have confirmed it and more: those
  /// were looked at again and again until they differed enough, so that they tell too large a size.
  private mutating func size(
    _ revisions: ClosedRange<Int>,
    estimate: LogInterval,
    probability: Double
  ) {
    let builds = PairOfBuilds(range.previous(revisions.lowerBound), revisions.upperBound)
    let effect = reported(builds, 0.95) ?? estimate
    let change = FoundChange(revisions: revisions, effect: effect, probability: probability)
    let count = max(pairs[builds]?.count ?? 0, rules.looks[1])
    sizing = Sizing(
      change: change,
      builds: builds,
      confirming: pairs[builds] ?? [],
      count: count,
      most: 4 * count
    )
    pairs[builds] = nil
    phase = .sizing
  }

  private mutating func decideSizing() -> BisectAction? {
    guard var sizing else {
      phase = .search
      return nil
    }
    let ratios = pairs[sizing.builds] ?? []
    if ratios.count < sizing.count, spent == nil {
      return .launch(
        arms: [sizing.builds.first, sizing.builds.second],
        rows: sizing.count - ratios.count
      )
    }
    var change = sizing.change
    if ratios.count >= rules.looks[0], let effect = reported(sizing.builds, 0.95) {
      // More pairs, however large the size seems to be, so that this makes it no larger.
      if effect.upper - effect.lower > 1.6 * abs(change.effect.estimate),
        sizing.count < sizing.most, spent == nil
      {
        sizing.count *= 2
        self.sizing = sizing
        return nil
      }
      change.effect = sizing.size(effect, of: ratios, isExact: parameters.isExact)
    }
    self.sizing = nil
    accept(change)
    return nil
  }

  private mutating func accept(_ change: FoundChange) {
    found.append(change)
    phase = .others
    guard looksFurther else { return }
    let parent = range.previous(change.revisions.lowerBound)
    let bad = change.revisions.upperBound
    besides += [(segment.lower, parent), (bad, segment.upper)].filter { $0.0 != $0.1 }
      .map { BisectSegment(lower: $0.0, upper: $0.1, effect: 0, orientation: orientation) }
  }

  // MARK: - Others

  /// Looks for further changes where there are to be some.
  private mutating func decideOthers() -> BisectAction? {
    if looksFurther, let action = testBesides() { return action }
    guard looksFurther, !pending.isEmpty else {
      return done(givenUp.map { .inconclusive($0) } ?? .found)
    }
    if let spent {
      for part in pending {
        leave(part, .limit(spent), difference: part.effect * part.orientation)
      }
      pending = []
      return done(.inconclusive(spent))
    }
    beginPending()
    return nil
  }

  /// The smallest difference that is looked for beside a change.
  private func smallestBeside(_ change: FoundChange) -> Double {
    max(parameters.minimumEffect, rules.besideShare * abs(change.effect.estimate))
  }

  /// Compares the builds on either side of a culprit with the ends of its segment.
  private mutating func testBesides() -> BisectAction? {
    let limit = found.last.map(smallestBeside) ?? parameters.minimumEffect
    while let side = besides.first {
      let result = test(side.lower, side.upper, limit: limit, looks: Array(rules.looks.prefix(5)))
      if case .more(let count) = result {
        guard let spent else { return .launch(arms: [side.lower, side.upper], rows: count) }
        leave(side, .limit(spent), difference: nil)
      }
      besides.removeFirst()
      switch result {
      case .more: continue
      case .open(let interval): leave(side, .notEstablished, difference: interval.estimate)
      case .same(let interval): leave(side, .equalEnds, difference: interval.estimate)
      case .differ(let interval): take(side, interval, limit: limit)
      }
    }
    return nil
  }

  /// Takes the difference of a part: it is searched where it is large enough.
  private mutating func take(_ side: BisectSegment, _ interval: LogInterval, limit: Double) {
    let estimate = interval.estimate * orientation
    if abs(estimate) <= limit { leave(side, .equalEnds, difference: interval.estimate) }
    if estimate > limit {
      pending.append(
        BisectSegment(
          lower: side.lower,
          upper: side.upper,
          effect: estimate,
          orientation: orientation
        )
      )
    } else if estimate < 0 {
      takeOpposite(side, interval, limit: limit)
    }
  }
}
