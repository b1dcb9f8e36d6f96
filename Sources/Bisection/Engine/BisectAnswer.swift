import LaunchCore

/// What a bisection found.
package struct BisectAnswer: Hashable, Sendable {
  package var outcome: BisectOutcome

  /// The changes that were found and confirmed: first those in the direction that is looked for, each
  /// time the largest one first.
  package var culprits: [BisectCulprit]

  /// The difference between the ends, with its 99 % interval; nil before there is one.
  package var difference: LogInterval?

  /// The smallest range that holds the change with a probability of 95 %, where none was confirmed.
  package var interval: ClosedRange<Int>?

  /// Every build that was launched, in the order of the revisions.
  package var levels: [BisectLevel]

  /// What else was seen.
  package var notes: [BisectNote]

  /// The standard deviation of one launch and of the level of one build, as it was estimated.
  package var launchNoise: Double?
  package var buildNoise: Double?

  /// How likely it is that the range holds two changes.
  package var twoChanges: Double

  /// Where further changes may be, in the order of the range, where every change was asked for.
  package var unsearched: [UnsearchedStretch]

  /// The most launches that would tell more of whether the ends differ; nil where none would.
  package var launchesToGoOn: Int?

  package init(
    outcome: BisectOutcome,
    culprits: [BisectCulprit] = [],
    difference: LogInterval? = nil,
    interval: ClosedRange<Int>? = nil,
    levels: [BisectLevel] = [],
    notes: [BisectNote] = [],
    launchNoise: Double? = nil,
    buildNoise: Double? = nil,
    twoChanges: Double = 0,
    unsearched: [UnsearchedStretch] = [],
    launchesToGoOn: Int? = nil
  ) {
    self.outcome = outcome
    self.culprits = culprits
    self.difference = difference
    self.interval = interval
    self.levels = levels
    self.notes = notes
    self.launchNoise = launchNoise
    self.buildNoise = buildNoise
    self.twoChanges = twoChanges
    self.unsearched = unsearched
    self.launchesToGoOn = launchesToGoOn
  }
}

extension BisectAnswer {
  /// What of the difference between the ends the named changes leave, with its 95 % interval.
  ///
  /// The standard errors of the difference and of the changes are taken to be independent. Nil
  /// without a change or a difference.
  package var unexplained: LogInterval? {
    guard let difference, !culprits.isEmpty else { return nil }
    let estimate = culprits.reduce(difference.estimate) { $0 - $1.step.estimate }
    let half = culprits.reduce(difference.halfWidth * 1.960 / 2.576) {
      ($0 * $0 + $1.effect.halfWidth * $1.effect.halfWidth).squareRoot()
    }
    return LogInterval(estimate: estimate, lower: estimate - half, upper: estimate + half)
  }
}

extension LogInterval {
  fileprivate var halfWidth: Double { (upper - lower) / 2 }
}

/// A part of the range that a search for every change has not looked into, or not to its end.
package struct UnsearchedStretch: Hashable, Sendable {
  /// The builds at its ends.
  package var good: Int
  package var bad: Int

  /// The log ratio of the second to the first; nil where it is not known.
  package var difference: Double?

  package var reason: Reason

  /// What ended its search; nil where nothing did.
  package var limit: BisectObstacle? {
    if case .limit(let obstacle) = reason { obstacle } else { nil }
  }

  /// Why it was not searched.
  package enum Reason: Hashable, Sendable {
    /// Its ends differ by less than the smallest effect; changes that cancel out may be inside.
    case equalEnds

    /// Launches did not tell whether its ends differ by more than that.
    case notEstablished

    /// Its ends differ, and something ended the search.
    case limit(BisectObstacle)

    /// The name used in JSON.
    package var name: String {
      switch self {
      case .equalEnds: "equal-ends"
      case .notEstablished: "not-established"
      case .limit(let obstacle): obstacle.rawValue
      }
    }
  }
}

/// How a bisection ended.
package enum BisectOutcome: Hashable, Sendable {
  /// At least one change was found and confirmed.
  case found

  case refused(BisectRefusal)

  case inconclusive(BisectObstacle)

  /// An end cannot be built or launched; its index is given.
  case failed(end: Int)

  /// The name used in JSON.
  package var name: String {
    switch self {
    case .found: "found"
    case .refused(.notEstablished): "inconclusive"
    case .refused: "no-regression"
    case .inconclusive: "inconclusive"
    case .failed: "failed"
    }
  }
}

/// Why there is nothing to look for.
package enum BisectRefusal: String, Hashable, Codable, Sendable {
  /// The ends are the same within the smallest effect.
  case same

  /// Whether the ends differ cannot be told within the launches allowed.
  case notEstablished = "not-established"

  /// The change goes the other way.
  case opposite

  /// The ends differ by less than the smallest effect.
  case tooSmall = "too-small"
}

/// Why no culprit can be named.
package enum BisectObstacle: String, Hashable, Codable, Sendable {
  case launchesSpent = "launches-spent"
  case buildsSpent = "builds-spent"
  case timeSpent = "time-spent"

  /// Every commit that builds was launched as often as helps.
  case nothingToLearn = "nothing-to-learn"

  /// What seemed to be the culprit differed from its parent too little, several times.
  case notConfirmed = "not-confirmed"

  /// Somebody stopped it; it can go on.
  case interrupted
}

/// A change that was found and confirmed.
package struct BisectCulprit: Hashable, Sendable {
  /// The revisions that it may be; more than one where some cannot be built.
  package var revisions: ClosedRange<Int>

  /// How much slower it is than its parent, with the 95 % interval of the pairs that tell its size.
  package var effect: LogInterval

  package var probability: Double

  /// Its part of the difference between the ends; nil where that is 0.
  package var share: Double?

  /// The builds that were launched for it: one that equals the parent, and one with the change.
  ///
  /// They are the revisions beside and at the end of ``revisions``, or others that are equal to them.
  package var parentBuild: Int
  package var build: Int

  /// The revision of the parent, which is the one before, or on the side of good the one after.
  package var parent: Int

  /// Which end of the range has it; `both` where that differs among the revisions that it may be.
  package var side = Side.bad

  package init(
    revisions: ClosedRange<Int>,
    effect: LogInterval,
    probability: Double,
    share: Double?,
    parentBuild: Int? = nil,
    build: Int? = nil
  ) {
    self.revisions = revisions
    self.effect = effect
    self.probability = probability
    self.share = share
    self.parentBuild = parentBuild ?? revisions.lowerBound - 1
    self.build = build ?? revisions.upperBound
    parent = revisions.lowerBound - 1
  }

  /// The raw value is the name used in JSON.
  package enum Side: String, Hashable, Sendable {
    case bad

    /// What it did is the difference between the ends the other way: bad does without it.
    case good

    case both
  }

  package var isOnlyInGood: Bool { side == .good }

  /// The newest of its revisions.
  package var newest: Int { isOnlyInGood ? revisions.lowerBound : revisions.upperBound }

  /// How much slower that makes bad than good.
  package var step: LogInterval { isOnlyInGood ? effect.oriented(-1) : effect }
}

extension BisectAnswer {
  /// The same with the commits that have made each difference in place of the revisions that it was
  /// found at: on the way from good back to a merge base, a revision differs by what the one before it
  /// adds.
  func naming(commitsOf start: BisectStart) -> Self {
    var answer = self
    answer.interval = interval.map(start.commits(changing:))
    answer.culprits = culprits.map { culprit in
      let back = culprit.revisions.count(where: start.isBack)
      guard back > 0 else { return culprit }
      var named = culprit
      named.revisions = start.commits(changing: culprit.revisions)
      named.side = back < culprit.revisions.count ? .both : .good
      guard named.side == .good else { return named }
      named.parent = culprit.revisions.upperBound
      named.effect = culprit.effect.oriented(-1)
      swap(&named.parentBuild, &named.build)
      return named
    }
    answer.notes = notes.map { note in
      guard case .improvement(let revisions, let effect) = note else { return note }
      return .improvement(
        start.commits(changing: revisions),
        revisions.allSatisfy(start.isBack) ? effect.oriented(-1) : effect
      )
    }
    return answer
  }
}

/// A natural logarithm of a ratio, with its interval.
package struct LogInterval: Hashable, Sendable {
  package var estimate: Double
  package var lower: Double
  package var upper: Double

  package init(estimate: Double, lower: Double, upper: Double) {
    self.estimate = estimate
    self.lower = lower
    self.upper = upper
  }
}

/// What is known of one build.
package struct BisectLevel: Hashable, Sendable {
  package var revision: Int

  /// The log ratio to the good end, with a 95 % interval.
  package var level: LogInterval

  /// How many rows it was in.
  package var rounds: Int

  /// How likely it is that the change is here or before; nil where no search tells, such as after one
  /// that was refused, and in a part that was searched for a change in the other direction.
  package var probabilityBad: Double?

  package init(revision: Int, level: LogInterval, rounds: Int, probabilityBad: Double?) {
    self.revision = revision
    self.level = level
    self.rounds = rounds
    self.probabilityBad = probabilityBad
  }
}

/// Something else that was seen in the range.
package enum BisectNote: Hashable, Sendable {
  /// A change in the other direction between two builds.
  case improvement(ClosedRange<Int>, LogInterval)

  /// Two changes are likely, and the range was split at a build.
  case split(at: Int)

  /// Levels of neighbouring builds differ by themselves about as much as the change.
  case layoutNoise(Double)

  /// The difference is spread over many commits.
  case spread

  /// The typical launches of the ends hardly differ, but bad has more slow ones: the shares of both.
  case slowLaunches(good: Double, bad: Double)
}

/// How far a bisection is.
package struct BisectProgress: Hashable, Sendable {
  /// The revisions that may hold the change with a probability of 95 %; nil before the search.
  package var remaining: ClosedRange<Int>?

  /// The most probable class of revisions, and its probability.
  package var best: ClosedRange<Int>?
  package var probability: Double

  package var phase: Phase

  /// The expected further builds and launches.
  package var buildsLeft: Double
  package var launchesLeft: Double

  /// Between which seconds the rest is likely to take; nil as long as nothing tells, as while it is
  /// not known how much the ends differ.
  package var secondsLeft: ClosedRange<Double>?

  package enum Phase: String, Hashable, Sendable {
    case ends
    case search
    case confirmation
    case others
    case done
  }
}
