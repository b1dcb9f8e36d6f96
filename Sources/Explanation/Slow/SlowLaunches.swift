// Slow: why a minority of the launches of one program takes longer.
//
// `SlowDivision` divides the traced launches at a `LaunchGap`, if there is one, and puts a slow and a fast launch
// into each block, so that `Attribution` compares them as it does two programs: reasons are chosen on one half
// of the slow launches, and estimated on the other. `SlowLaunches` is what is said of it besides the reasons.

import LaunchCore
import LaunchStatistics
import Stages

/// Whether the launches of one program are of two kinds, fast and slow ones, and how many are slow.
package struct SlowLaunches: Hashable, Sendable {
  /// What divides the traced launches, in nanoseconds; nil where there are no two kinds.
  package var gap: LaunchGap?

  package var traced: SlowShare

  /// Those that take as long by the clock, with what they waited for processors.
  package var tracedByClock: SlowShare
  package var plain: SlowShare
  package var sampled: SlowShare

  /// Whether as many were launched as it takes to say that there are no two kinds, and none of them lie so
  /// far beyond the others that more launches may show two.
  package var isEnough: Bool

  /// The chance of as few runs of slow launches in a random order.
  package var runsProbability: Double

  /// The chance that the shares of plain and traced launches, by the clock, differ as much where they are
  /// the same.
  package var shareProbability: Double

  /// Whether plain launches are of two kinds and traced ones are not.
  package var isHiddenByTracing: Bool

  /// Who ended the wait that is the first reason, outside of the launch; nil where nobody is known.
  package var waker: String?

  /// How many traced launches there are before it is said that there are no two kinds, and at most.
  package static let fewestLaunches = 80
  package static let mostLaunches = 1_000

  /// How long launches go on unless the user says so; sixteen time-outs of a second take more than a minute.
  package static let seconds: Int64 = 120

  /// What is this unlikely by chance is said.
  static let alpha = 0.01

  /// Whether slow launches follow each other more often than by chance.
  package var areInRuns: Bool { runsProbability <= Self.alpha }

  /// Whether another share of launches is slow when they are traced.
  package var isShareDifferent: Bool { gap != nil && shareProbability <= Self.alpha }

  /// How the command ends.
  ///
  /// - Parameter coverage: Which share of what they take longer is explained; nil for none.
  /// - Returns: Inconclusive where too little is explained, or too few launches were made.
  func exitCode(_ coverage: Double?) -> LabExitCode {
    if gap == nil { return isEnough && !isHiddenByTracing ? .done : .inconclusive }
    return (coverage ?? 0) >= ExplanationResult.neededCoverage ? .done : .inconclusive
  }
}

/// The launches of one program, divided into fast and slow ones.
struct SlowDivision {
  private(set) var slow: SlowLaunches

  /// Blocks of a fast and a slow launch each, in the order of the slow ones.
  private(set) var pairs: [AttributionBlock] = []

  /// How many blocks it takes; no more than there are where these suffice.
  let neededLaunches: Int

  /// So many slow launches suffice: half of them for choosing reasons.
  private static let enoughSlow = 2 * SignFlipTest.fewestBlocks

  /// Fewer sampled slow launches do not say where own code took longer.
  private static let fewestProfiles = 4

  /// - Parameters:
  ///   - blocks: With a plain, a traced and a sampled launch as those after.
  ///   - fewest: How many there are before it is said that there are no two kinds.
  init(_ blocks: [AttributionBlock], fewest: Int) {
    let traced = Self.times(blocks) { $0.traced?.attributable }
    let clocked = Self.times(blocks) { $0.traced?.clockTime }
    let plain = Self.times(blocks) { $0.plain }
    let gap = LaunchGap.dividing(traced.compactMap(\.self))
    let plainGap = gap == nil ? LaunchGap.dividing(plain.compactMap(\.self)) : nil
    func isSlow(_ times: [Double?]) -> [Bool?] {
      if let gap { return Self.isSlow(times, beside: traced, divided: gap) }
      return plainGap.map { Self.isSlow(times, beside: plain, divided: $0) }
        ?? times.map { $0.map { _ in false } }
    }
    let isTracedSlow = gap == nil ? traced.map { $0.map { _ in false } } : isSlow(traced)
    let isSampledSlow = isSlow(Self.times(blocks) { $0.profile?.duration })
    let (ofTraced, ofPlain) = (isTracedSlow.compactMap(\.self), isSlow(plain).compactMap(\.self))
    let share = SlowShare(ofTraced)
    let (byClock, plainShare) = (SlowShare(isSlow(clocked).compactMap(\.self)), SlowShare(ofPlain))
    let sampledShare = SlowShare(isSampledSlow.compactMap(\.self))
    let shareProbability = byClock.probability(besides: plainShare)
    slow = SlowLaunches(
      gap: gap,
      traced: share,
      tracedByClock: byClock,
      plain: plainShare,
      sampled: sampledShare,
      isEnough: blocks.count >= fewest,
      runsProbability: probabilityOfRuns(ofTraced),
      shareProbability: shareProbability,
      isHiddenByTracing: plainGap != nil && shareProbability <= SlowLaunches.alpha
        && plainShare.share > byClock.share && probabilityOfRuns(ofPlain) > 0.05
    )
    let count = blocks.count
    if gap != nil {
      neededLaunches =
        share.slow >= Self.enoughSlow
        ? count : max(count + 8, Self.enoughSlow * count / share.slow)
      // On a busy machine the sampled launches that take long are others.
      let isUsable = share.probability(besides: sampledShare) > SlowLaunches.alpha
      pairs = Self.pairs(blocks, isTracedSlow, isUsable ? isSampledSlow : [])
    } else {
      // A few launches far beyond the others may become enough.
      let times = traced.compactMap(\.self)
      let widest = LaunchGap.widest(times, fewestSlow: 3)
      let isWide = widest.map { $0.width >= LaunchGap.leastWidth } ?? false
      if isWide { slow.isEnough = false }
      if let few = LaunchGap.distinct(times, fewestSlow: LaunchGap.fewestSlow) {
        let wanted = 3 * LaunchGap.enoughSlow / 2 * count / few.slowCount
        neededLaunches = max(count, 2 * fewest, min(4 * fewest, wanted))
      } else {
        neededLaunches = isWide ? max(count, 2 * fewest) : count
      }
    }
  }

  /// Those on which reasons are chosen, and those on which they are estimated; none of these where that
  /// leaves too few to choose them.
  var halves: (choosing: [AttributionBlock], estimating: [AttributionBlock]) {
    let count = pairs.count
    guard count >= SignFlipTest.fewestBlocks + ExplainWorkflow.fewestFresh else {
      return (pairs, [])
    }
    let chosen = max(SignFlipTest.fewestBlocks, (count + 1) / 2)
    let places = Set((0..<chosen).map { $0 * count / chosen })
    return (
      pairs.indices.filter(places.contains).map { pairs[$0] },
      pairs.indices.filter { !places.contains($0) }.map { pairs[$0] }
    )
  }

  /// Says who ends the waits of a reason, if most slow launches agree on it.
  mutating func findWaker(of reason: LaunchReason?) {
    guard let reason, let call = reason.call else { return }
    let key = ResourceKey(["waits", call] + (reason.object.map { [$0] } ?? []))
    let wakers = pairs.compactMap { $0.after.traced?.wakers[key] }
    let counts = Dictionary(wakers.map { ($0, 1) }, uniquingKeysWith: +)
    let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
    if let most, 2 * most.value > pairs.count { slow.waker = most.key }
  }

  private static func times(
    _ blocks: [AttributionBlock],
    _ time: (BlockLaunches) -> Nanoseconds?
  ) -> [Double?] {
    blocks.map { block in time(block.after).flatMap { $0 > .zero ? Double($0.count) : nil } }
  }

  /// Which launches of a kind are slow: those that are as far beyond the fast ones as the gap of others is.
  private static func isSlow(
    _ times: [Double?],
    beside others: [Double?],
    divided gap: LaunchGap
  ) -> [Bool?] {
    let (own, other) = (times.compactMap(\.self), others.compactMap(\.self))
    let place = 0.5 * (1 - Double(gap.slowCount) / Double(max(1, other.count)))
    let fast = [own, other].map { (try? Sample($0))?.quantile(place) ?? 0 }
    // Of the same launches that is the gap itself.
    let threshold = times == others ? gap.threshold : fast[0] + gap.threshold - fast[1]
    return times.map { $0.map { $0 > threshold } }
  }

  /// Puts the nearest fast launch beside each slow one, and no launch into two blocks.
  private static func pairs(
    _ blocks: [AttributionBlock],
    _ isTracedSlow: [Bool?],
    _ isSampledSlow: [Bool?]
  ) -> [AttributionBlock] {
    func places(_ isSlow: [Bool?], _ wanted: Bool) -> [Int] {
      isSlow.indices.filter { isSlow[$0] == wanted }
    }
    var fast = places(isTracedSlow, false)
    let slow = places(isTracedSlow, true)
    let count = min(slow.count, fast.count)
    var pairs = (0..<count).map { number in
      let place = slow[number * slow.count / count]
      let near = fast.indices.min { abs(fast[$0] - place) < abs(fast[$1] - place) } ?? 0
      return AttributionBlock(
        before: BlockLaunches(traced: blocks[fast.remove(at: near)].after.traced),
        after: BlockLaunches(traced: blocks[place].after.traced)
      )
    }
    let sampled = Array(zip(places(isSampledSlow, false), places(isSampledSlow, true)))
    guard sampled.count >= fewestProfiles else { return pairs }
    for (pair, (fast, slow)) in zip(pairs.indices, sampled) {
      pairs[pair].before.profile = blocks[fast].after.profile
      pairs[pair].after.profile = blocks[slow].after.profile
    }
    return pairs
  }
}

extension TracedLaunch {
  /// How long it took with all that it waited for.
  fileprivate var clockTime: Nanoseconds { attributable + queue + harness + unknown }
}
