import LabModel

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
    switch test(0, bad) {
    case .more(let count):
      return timeIsSpent ? done(.inconclusive(.timeSpent)) : .launch(arms: [0, bad], rows: count)
    case .differ(let interval):
      difference = interval
      if let refusal = refusal(of: interval), !parameters.isForced {
        return done(.refused(refusal))
      }
    case .same(let interval):
      difference = interval
      if !parameters.isForced { return done(.refused(.same)) }
    case .open(let interval):
      difference = interval
      if !parameters.isForced { return done(.refused(.notEstablished)) }
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

  private mutating func beginSearch() {
    let bad = range.last
    noise = scale(of: pairs[PairOfBuilds(0, bad)] ?? [])
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
        guard confirmFailures < rules.mostConfirmations else {
          return done(.inconclusive(.notConfirmed))
        }
        phase = .confirmation
        target = best.revisions
        // Only pairs that are launched from now on count.
        pairs[PairOfBuilds(ends[0], ends[1])] = nil
        return nil
      }
    }
    if let spent { return done(.inconclusive(spent)) }
    if let action = select(isDoubted: isDoubted && best.probability >= parameters.confidence) {
      return action
    }
    guard !pending.isEmpty else { return done(.inconclusive(.nothingToLearn)) }
    beginPending()
    return nil
  }

  /// Whether a class is too unlikely for somebody who expects builds to differ.
  private func isDoubted(_ revisions: ClosedRange<Int>) -> Bool {
    guard let doubt else { return false }
    return doubt.chances[revisions].reduce(0, +) < parameters.confidence
  }

  /// The next step that tells most; of a culprit that is doubted, most to those who doubt it.
  ///
  /// Rows of builds that are there come first, since they tell how much builds differ.
  private func select(isDoubted: Bool) -> BisectAction? {
    guard isDoubted, let doubt else { return select() }
    var other = self
    other.chances = doubt.chances
    other.jitterChances = doubt.jitterChances
    return other.select(buildsMore: false) ?? other.select()
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
  private func reported(_ builds: PairOfBuilds, _ confidence: Double) -> LogInterval? {
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
      if let spent { return done(.inconclusive(spent)) }
      return .launch(arms: [parent, target.upperBound], rows: count)
    }
    let isLikely = probability >= parameters.confidence
    if case .differ(let interval) = result, isLikely {
      let estimate = interval.estimate * segment.orientation
      if estimate > max(0.5 * parameters.minimumEffect, 0.3 * segment.effect) {
        guard isDoubted(target) else {
          let effect = reported(PairOfBuilds(parent, target.upperBound), 0.95) ?? interval
          accept(FoundChange(revisions: target, effect: effect, probability: probability))
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

  private mutating func accept(_ change: FoundChange) {
    found.append(change)
    phase = .others
    guard parameters.findsAll else { return }
    let parent = range.previous(change.revisions.lowerBound)
    let bad = change.revisions.upperBound
    besides = [(segment.lower, parent), (bad, segment.upper)].filter { $0.0 != $0.1 }
      .map { BisectSegment(lower: $0.0, upper: $0.1, effect: 0, orientation: orientation) }
  }

  // MARK: - Others

  /// Looks for further changes where all are asked for.
  private mutating func decideOthers() -> BisectAction? {
    if let action = testBesides() { return action }
    guard parameters.findsAll, !pending.isEmpty else { return done(.found) }
    if let spent {
      cutShort = spent
      return done(.found)
    }
    beginPending()
    return nil
  }

  /// The smallest difference that is looked for beside a change.
  func smallestBeside(_ change: FoundChange) -> Double {
    parameters.smallestOther ?? max(parameters.minimumEffect, 0.25 * abs(change.effect.estimate))
  }

  /// Compares the builds on either side of a culprit with the ends of its segment.
  private mutating func testBesides() -> BisectAction? {
    let limit = found.last.map(smallestBeside) ?? parameters.minimumEffect
    while let side = besides.first {
      let result = test(side.lower, side.upper, limit: limit, looks: Array(rules.looks.prefix(5)))
      if case .more(let count) = result {
        guard let spent else { return .launch(arms: [side.lower, side.upper], rows: count) }
        cutShort = spent
      }
      besides.removeFirst()
      guard case .differ(let interval) = result else { continue }
      let estimate = interval.estimate * orientation
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
    return nil
  }
}
