import Foundation
import LabModel

extension BisectEngine {
  /// The build or the rows with the largest expected information per cost; a build is paid once.
  ///
  /// - Returns: Nil when nothing is worth its launches any more.
  func select(buildsMore: Bool = true) -> BisectAction? {
    let split = splitCandidate.map { (revision: $0, rows: rules.splitRounds - rounds[$0]) }
    guard let (candidate, count) = split ?? bestCandidate(buildsMore) else { return nil }
    if range.status[candidate] == .unknown { return .build(candidate) }
    return .launch(arms: arms(of: candidate), rows: count)
  }

  /// A candidate between the nearest builds that are probably good and bad, or alone.
  func arms(of candidate: Int) -> [Int] {
    if parameters.isExact { return [candidate] }
    let bad = probabilitiesBad
    var lower = segment.lower
    var upper = segment.upper
    for build in range.between(segment.lower, candidate).reversed()
    where range.isBuilt(build) && bad[build] < 0.5 {
      lower = build
      break
    }
    for build in range.between(candidate, segment.upper)
    where range.isBuilt(build) && bad[build] > 0.5 {
      upper = build
      break
    }
    return [lower, candidate, upper]
  }

  /// How likely the change is at a revision or before, for every revision.
  var probabilitiesBad: [Double] {
    var sum = 0.0
    return chances.map { chance in
      sum += chance
      return sum
    }
  }

  /// Whether more rows of a build cannot tell more.
  func isSaturated(_ revision: Int) -> Bool {
    Separation(self).isSaturated(rounds: rounds[revision])
  }

  private func bestCandidate(_ buildsMore: Bool) -> (revision: Int, rows: Int)? {
    let separation = Separation(self)
    let candidates = range.between(segment.lower, segment.upper).filter {
      range.status[$0] != .broken && (buildsMore || range.isBuilt($0))
        && !separation.isSaturated(rounds: rounds[$0])
    }
    let bad = probabilitiesBad
    let odds = candidates.map { InformationGain.logOdds(bad[$0]) }
    let success = chancesOfBuilding()
    let arms = parameters.isExact ? 1.0 : 3.0
    var best: (revision: Int, rows: Int)?
    var bestValue = 0.0
    for count in rules.rounds {
      let fresh = separation.added(count, to: 0)
      for (revision, logOdds) in zip(candidates, odds) {
        let isBuilt = range.isBuilt(revision)
        let have = rounds[revision]
        let distance = have == 0 ? fresh : separation.added(count, to: have)
        let gain = InformationGain.bits(logOdds: logOdds, separation: distance)
        guard gain >= rules.leastGain else { continue }
        let cost = arms * Double(count) * costs.launch + (isBuilt ? 0 : costs.build)
        let value = (isBuilt ? 1 : success[revision]) * gain / cost
        if value > bestValue {
          bestValue = value
          best = (revision, count)
        }
      }
    }
    return best
  }

  /// How likely each revision builds; failures come in runs.
  private func chancesOfBuilding() -> [Double] {
    let broken = range.revisions.filter { range.status[$0] == .broken }
    var chances = [Double](repeating: 1 - costs.brokenShare, count: range.status.count)
    guard !broken.isEmpty else { return chances }
    var next = 0
    for revision in range.revisions where range.status[revision] == .unknown {
      while next < broken.count, broken[next] < revision { next += 1 }
      var distance = Int.max
      if next > 0 { distance = revision - broken[next - 1] }
      if next < broken.count { distance = min(distance, broken[next] - revision) }
      chances[revision] = min(chances[revision], 1 - 0.6 * pow(0.7, Double(distance - 1)))
    }
    return chances
  }
}

/// How far rows of a candidate set good and bad apart, in standard deviations.
private struct Separation {
  private let effect: Double
  private let variance: Double
  private let saturation: Double
  private let jitters: [(chance: Double, square: Double)]

  init(_ engine: BisectEngine) {
    let effect = max(engine.effect, engine.parameters.minimumEffect)
    let noise = engine.noise ?? 0.02
    self.effect = effect * effect
    variance = 2 * noise * noise
    saturation = engine.rules.saturation
    jitters = zip(engine.jitterChances, engine.rules.jitters).map { ($0, $1 * $1) }
  }

  func isSaturated(rounds: Int) -> Bool { Double(rounds) * effect / variance >= saturation }

  /// The separation that more rows add to those that are there.
  func added(_ count: Int, to have: Int) -> Double {
    max(0, square(have + count) - (have > 0 ? square(have) : 0)).squareRoot()
  }

  private func square(_ rounds: Int) -> Double {
    jitters.reduce(0) { sum, jitter in
      sum + jitter.chance * effect / (variance / Double(rounds) + 1.5 * jitter.square)
    }
  }
}
