import Foundation
import LabTestSupport
import LaunchCore
import LaunchStatistics
import Stages
import Testing

@testable import Explanation

@Suite("The gap between fast and slow launches")
struct LaunchGapTests {
  /// Launches drawn by `slowfast.py` of the study of slow launches, with what its function `gap` answers.
  struct Case: Sendable {
    var threshold: Double
    var width: Double
    var slowCount: Int
    var times: [Double]
  }

  static let cases = [
    // 40 launches, 0.25 slow by 0.5.
    Case(
      threshold: 1.245174076,
      width: 5.795554543,
      slowCount: 16,
      times: [
        1.0097, 0.9996, 1.5610, 1.0227, 1.0376, 1.0242, 1.0195, 1.5382, 1.0430, 1.0030, 1.0092,
        1.0001, 1.0002, 1.5930, 0.9274, 1.4260, 1.4929, 1.0682, 1.0515, 1.4844, 1.4361, 0.9375,
        1.4458, 1.1280, 0.9809, 1.1372, 1.4970, 1.5822, 0.9792, 1.0145, 1.6396, 1.5672, 1.0026,
        1.5408, 1.0298, 1.0389, 1.3634, 1.4765, 0.9835, 1.5431,
      ]
    ),
    // 40 launches, 0.25 slow by 0.2.
    Case(
      threshold: 1.122894496,
      width: 2.533999118,
      slowCount: 8,
      times: [
        1.0164, 1.1805, 0.9882, 0.9957, 1.0074, 1.2325, 1.0429, 0.9625, 1.0681, 1.0338, 0.9826,
        1.0508, 1.3044, 1.0190, 0.9783, 0.9916, 1.0469, 1.1861, 1.0346, 0.9612, 1.2665, 0.9665,
        1.0255, 0.9724, 1.1899, 1.0312, 0.9984, 0.9880, 1.2340, 1.1908, 0.9681, 1.0559, 1.0609,
        0.9190, 1.0438, 1.0296, 1.0219, 1.0618, 0.9932, 0.9955,
      ]
    ),
    // 80 launches, 0.1 slow by 1.0.
    Case(
      threshold: 1.449039323,
      width: 9.108976407,
      slowCount: 11,
      times: [
        1.0927, 1.0796, 1.0257, 1.0612, 1.0238, 0.9684, 1.0115, 1.9580, 1.0091, 0.9817, 1.0363,
        0.9859, 1.0455, 0.9704, 1.8766, 1.0172, 0.9907, 1.0296, 0.9626, 0.9111, 0.9805, 1.0530,
        1.0068, 1.7876, 0.9284, 0.9688, 1.0499, 0.9822, 0.9953, 1.0273, 1.9107, 0.9613, 0.9649,
        1.0617, 1.0090, 1.0308, 1.0005, 0.9495, 0.9950, 2.1264, 1.1746, 0.9405, 1.0711, 1.0455,
        0.9694, 1.8852, 2.1545, 0.9890, 1.0554, 1.8441, 1.0370, 1.0265, 1.9636, 1.0321, 0.9569,
        1.0201, 1.9871, 0.9932, 1.8595, 0.9736, 1.0711, 0.9712, 0.9955, 0.9834, 1.0697, 1.0760,
        0.9774, 1.0814, 0.9659, 0.9424, 0.9966, 0.9928, 1.0095, 0.9389, 0.9626, 0.9958, 0.9706,
        1.0206, 1.0445, 1.1123,
      ]
    ),
    // 40 launches, 0 slow by 0.
    Case(
      threshold: 1.055038412,
      width: 0.736078272,
      slowCount: 4,
      times: [
        0.9748, 1.0133, 0.9704, 1.0115, 0.9742, 0.9627, 0.9715, 0.9772, 1.0809, 1.0118, 0.9478,
        0.9579, 0.9656, 0.9888, 0.9510, 1.0437, 0.9262, 0.9646, 1.0109, 0.9899, 0.9217, 0.9591,
        0.9787, 1.0092, 0.9613, 1.0665, 1.0751, 1.0263, 1.0238, 0.9865, 0.9929, 0.9969, 0.9629,
        0.9929, 1.0018, 0.9863, 0.9984, 0.9578, 0.9958, 1.0812,
      ]
    ),
  ]

  @Test("is the widest of logarithms, in robust deviations of the faster ones", arguments: cases)
  func gap(_ known: Case) throws {
    let gap = try #require(LaunchGap.widest(known.times, fewestSlow: 3))
    #expect(abs(gap.threshold - known.threshold) < 1e-8)
    #expect(abs(gap.width - known.width) < 1e-5)
    #expect(gap.slowCount == known.slowCount)
    let isDivided = known.width >= 3 && known.slowCount >= 5
    #expect((LaunchGap.dividing(known.times) != nil) == isDivided)
    // The unit of the times does not matter.
    let scaled = try #require(
      LaunchGap.widest(known.times.map { 1e6 * $0 }, fewestSlow: 3)
    )
    #expect(abs(scaled.width - gap.width) < 1e-6)
  }

  @Test("takes five slow launches, whatever few outliers lie beyond")
  func outliers() throws {
    let fast = (0..<40).map { 1 + 0.001 * Double($0 % 7) }
    #expect(LaunchGap.dividing(fast + [2, 2, 2, 2]) == nil)
    #expect(LaunchGap.dividing(fast + [2, 2.01, 2, 2, 2.02])?.slowCount == 5)
    #expect(LaunchGap.dividing(fast + [2, 2.01, 2, 2, 2.02, 30, 31])?.slowCount == 7)
    // Of a majority that is slow, the others are fast.
    #expect(LaunchGap.dividing(fast + [Double](repeating: 2, count: 60))?.slowCount == 60)
    #expect(LaunchGap.dividing(fast + [Double](repeating: 2, count: 70)) == nil)
    for times: [Double] in [[], [1, 2, 3, 4, 5]] {
      #expect(LaunchGap.dividing(times) == nil && LaunchGap.widest(times, fewestSlow: 5) == nil)
    }
  }

  /// By counting all orders.
  @Test(
    "runs of slow launches are counted exactly",
    arguments: [
      ("110000000000", 0.030303030303030304), ("101000010000", 0.7454545454545455),
      ("1010101010", 1), ("1111100000000000", 0.0004578754578754579),
      ("0000111100001000", 0.07692307692307693), ("0000", 1), ("", 1),
    ] as [(String, Double)]
  )
  func runs(_ order: String, _ probability: Double) {
    #expect(abs(probabilityOfRuns(order.map { $0 == "1" }) - probability) < 1e-12)
  }

  /// By SciPy 1.17, `fisher_exact`.
  @Test(
    "shares are compared exactly",
    arguments: [
      ([9, 80, 8, 80], 1), ([2, 80, 20, 80], 3.9603478397117595e-05),
      ([0, 80, 16, 80], 1.3280075846938984e-05), ([5, 40, 0, 80], 0.0034526960988954312),
      ([300, 1000, 400, 1000], 3.371699707399935e-06), ([0, 80, 0, 80], 1), ([0, 0, 3, 9], 1),
    ] as [([Int], Double)]
  )
  func shares(_ counts: [Int], _ probability: Double) {
    func share(_ slow: Int, _ launches: Int) -> SlowShare {
      SlowShare((0..<launches).map { $0 < slow })
    }
    let found = share(counts[0], counts[1]).probability(besides: share(counts[2], counts[3]))
    #expect(abs(found / probability - 1) < 1e-6)
  }
}

@Suite("Fast and slow launches of one program")
struct SlowDivisionTests {
  /// Traced, plain and sampled launches in milliseconds, without their parts.
  private static func blocks(_ traced: [Double], plain: [Double]? = nil) -> [AttributionBlock] {
    func time(_ milliseconds: Double) -> Nanoseconds { Nanoseconds(Int64(1e6 * milliseconds)) }
    return zip(traced, plain ?? traced).map { traced, plain in
      var launch = TracedLaunch(
        classes: [ClassKey(actor: .main, activity: .ownCode): time(traced)],
        resources: [:]
      )
      launch.wakers[["waits", "flock", "/run/lock"]] = traced > 20 ? "updater" : nil
      return AttributionBlock(
        before: BlockLaunches(),
        after: BlockLaunches(plain: time(plain), traced: launch)
      )
    }
  }

  private static func time(_ index: Int, isSlow: Bool) -> Double {
    let typical: Double = isSlow ? 30 : 10
    // No two take the same time.
    return typical + 0.01 * Double(index * 7 % 13) + 0.00001 * Double(index)
  }

  /// So many launches of 10 ms that scatter a little, of which those at multiples of a number take 30 ms.
  private static func times(_ count: Int, slowEvery step: Int) -> [Double] {
    (0..<count).map { index in time(index, isSlow: step > 0 && index % step == 3) }
  }

  @Test("is narrower on a busy machine, where many launches lie far beyond it")
  func busy() throws {
    // A script that sleeps 5 ms in 45 % of its launches, beside a build.
    let times = [
      7.73, 8.63, 2.43, 5.18, 7.85, 3.83, 3.40, 2.69, 12.00, 3.12, 2.59, 7.66, 2.66,
      2.53, 3.40, 7.79, 9.78, 7.52, 2.99, 12.40, 7.80, 9.74, 9.26, 8.88, 8.44, 3.35,
      3.97, 3.15, 3.92, 4.36, 4.13, 8.51, 2.81, 3.02, 3.94, 7.85, 9.47, 3.89, 3.02,
      8.33, 3.46, 8.39, 2.33, 3.02, 4.20, 2.84, 3.00, 3.08, 9.05, 3.93, 10.49, 9.16,
      8.58, 2.62, 8.42, 2.96, 2.91, 7.64, 2.44, 8.42, 3.32, 7.20, 2.11, 8.90, 3.79,
      8.38, 3.42, 8.76, 3.19, 8.16, 7.95, 7.16, 8.71, 2.87, 8.16, 1.94, 7.90, 7.86,
      7.91, 3.44,
    ]
    let gap = try #require(LaunchGap.dividing(times))
    #expect(gap.slowCount == 38 && gap.width < LaunchGap.leastWidth)
    // Only six of these do not suffice, and are looked at again.
    let fast = Array(times.sorted().prefix(42))
    let few = fast + fast.map { 1.001 * $0 } + [7.2, 7.5, 7.6, 7.8, 8.2, 8.4]
    let division = SlowDivision(Self.blocks(few), fewest: 80)
    #expect(division.slow.gap == nil && division.neededLaunches == 270)
  }

  @Test("is found where some fast launches lie in it")
  func filled() {
    // A tenth takes 5 ms longer; another tenth has a tail, whose end lies beyond the gap too.
    let fast = (0..<160).map { index in
      let place = (Double(index * 37 % 160) + 0.5) / 160
      let typical = 3 * exp(0.06 * log(place / (1 - place)))
      let tail = -0.4 * log(1 - (Double(index) + 0.5) / 160)
      return index % 10 == 3 ? typical * (1 + tail) : typical
    }
    #expect(LaunchGap.dividing(fast) == nil)
    let gap = LaunchGap.dividing(fast.enumerated().map { $0 % 10 == 7 ? $1 + 5 : $1 })
    #expect(gap?.slowCount == 17 && gap.map { $0.width < LaunchGap.leastWidth } == true)
  }

  @Test("are put beside each other, half of them for choosing reasons")
  func pairs() throws {
    let division = SlowDivision(Self.blocks(Self.times(160, slowEvery: 10)), fewest: 80)
    #expect(division.slow.traced.slow == 16 && division.slow.plain.slow == 16)
    #expect(division.slow.areInRuns == false && division.slow.isShareDifferent == false)
    #expect(division.neededLaunches == 160)
    #expect(division.pairs.count == 16)
    for pair in division.pairs {
      let times = [pair.before, pair.after].map { $0.traced?.attributable.count ?? 0 }
      #expect(times[0] < 11_000_000 && times[1] > 29_000_000)
    }
    let (choosing, estimating) = division.halves
    #expect(choosing.count == 8 && estimating.count == 8)
    #expect(Set(choosing).isDisjoint(with: estimating))
  }

  @Test("that are few are asked for until there are enough")
  func few() {
    let division = SlowDivision(Self.blocks(Self.times(80, slowEvery: 10)), fewest: 80)
    #expect(division.slow.traced.slow == 8)
    #expect(division.neededLaunches == 160)
    // Eight are enough to choose reasons, and leave none to estimate them by.
    #expect(division.halves.choosing.count == 8 && division.halves.estimating.isEmpty)
    // Three may be outliers, or become enough.
    let candidate = SlowDivision(Self.blocks(Self.times(80, slowEvery: 26)), fewest: 80)
    #expect(candidate.slow.gap == nil && candidate.neededLaunches == 160)
    let rare = SlowDivision(Self.blocks(Self.times(160, slowEvery: 52)), fewest: 80)
    #expect(rare.slow.gap == nil && rare.slow.exitCode(nil) == .inconclusive)
    let none = SlowDivision(Self.blocks(Self.times(80, slowEvery: 0)), fewest: 80)
    #expect(none.slow.gap == nil && none.neededLaunches == 80)
    #expect(none.slow.exitCode(nil) == .done)
  }

  @Test("are at most as many as there are fast ones")
  func majority() {
    let times = (0..<80).map { Self.time($0, isSlow: ($0 * 37) % 80 < 46) }
    let division = SlowDivision(Self.blocks(times), fewest: 80)
    #expect(division.slow.traced.slow == 46)
    #expect(division.pairs.count == 34)
    let before = division.pairs.map { pair in pair.before.traced?.attributable.count ?? 0 }
    #expect(Set(before).count > 1)
  }

  @Test("that tracing changes are told")
  func tracing() {
    let slow = Self.times(80, slowEvery: 5)
    let hidden = SlowDivision(Self.blocks(Self.times(80, slowEvery: 0), plain: slow), fewest: 80)
    #expect(hidden.slow.gap == nil && hidden.slow.isHiddenByTracing)
    #expect(hidden.slow.exitCode(nil) == .inconclusive)
    // The plain launches of a machine that was slow for a while are no race.
    let burst = (0..<80).map { (30..<46).contains($0) ? 30 : 10 + 0.01 * Double($0 * 7 % 13) }
    let busy = SlowDivision(Self.blocks(Self.times(80, slowEvery: 0), plain: burst), fewest: 80)
    #expect(!busy.slow.isHiddenByTracing)
    let fewer = SlowDivision(Self.blocks(slow, plain: Self.times(80, slowEvery: 0)), fewest: 80)
    #expect(fewer.slow.isShareDifferent)
    #expect(fewer.slow.diagnostics.map(\.id) == ["slow-share-differs"])
    let runs = SlowDivision(Self.blocks(burst), fewest: 80)
    #expect(runs.slow.areInRuns)
    #expect(runs.slow.diagnostics.map(\.id) == ["slow-in-runs"])
  }
}
