import Foundation
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import LaunchStatistics

@Suite struct ExactBisectTests {
  struct Case: Sendable {
    let scatter: Double
    let step: Double
  }

  @Test(arguments: [
    Case(scatter: 0, step: 0.02), Case(scatter: 0.0001, step: 0.012),
    Case(scatter: 0.001, step: 0.05), Case(scatter: 0.001, step: 0.012),
  ])
  func `decides each commit by one launch`(test: Case) {
    for change in [1, 13, 40, 63, 64] {
      var range = ScriptedRange(count: 64, steps: [change: test.step])
      range.noise = test.scatter
      let answer = range.bisect(BisectParameters(isExact: true))
      #expect(answer.culprits.map(\.revisions) == [change...change])
      let others = range.launched.filter { ![0, change - 1, change, 64].contains($0.key) }
      #expect(others.values.reduce(0, +) <= others.count + 2)
      #expect(range.built.count <= 9)
    }
  }

  @Test func `finds two changes of an exact measure`() {
    var range = ScriptedRange(count: 64, steps: [20: 0.03, 45: 0.05])
    range.noise = 0.0005
    let answer = range.bisect(BisectParameters(findsAll: true, isExact: true))
    #expect(answer.culprits.map(\.revisions) == [45...45, 20...20])
  }

  /// Steps of 1 % and more among many smaller ones, some of which cancel out.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `names or lists every step of many`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var steps: [Int: Double] = [:]
    for revision in 1...300 { steps[revision] = 0.0004 * (generator.nextUniform() - 0.5) }
    for _ in 0..<12 {
      let revision = 1 + Int(generator.nextUniform() * 300)
      steps[revision] =
        (generator.nextUniform() < 0.5 ? -1 : 1) * (0.011 + 0.15 * generator.nextUniform())
    }
    var range = ScriptedRange(count: 300, steps: steps)
    range.noise = 0.0002
    let answer = range.bisect(BisectParameters(findsAll: true, isExact: true))
    let large = steps.filter { abs($0.value) >= 0.01 }.keys
    let named = Set(answer.culprits.map(\.revisions.lowerBound))
    #expect(named.isSubset(of: large))
    for revision in large where !named.contains(revision) {
      #expect(answer.unsearched.contains { $0.good < revision && revision <= $0.bad })
    }
    #expect(Double(named.count) >= 0.7 * Double(large.count))
    for culprit in answer.culprits {
      let step = try #require(steps[culprit.revisions.lowerBound])
      #expect(abs(culprit.effect.estimate - step) < 0.001)
    }
    #expect(range.launched.values.reduce(0, +) < 500)
    #expect(answer.unsearched.allSatisfy { $0.limit == nil })
  }

  @Test func `takes the smallest effect for a ratio and not for its logarithm`() {
    var range = ScriptedRange(count: 16, steps: [5: log(1.01), 9: 0.05])
    range.noise = 0
    let answer = range.bisect(BisectParameters(findsAll: true, isExact: true))
    #expect(answer.culprits.map(\.revisions.lowerBound) == [9, 5])
  }

  @Test func `finds changes that cancel out`() {
    for changes in [[20, 30, 50], [3, 5, 9], [60, 61, 64]] {
      let steps = [changes[0]: 0.05, changes[1]: 0.03, changes[2]: -0.08]
      var range = ScriptedRange(count: 64, steps: steps)
      range.noise = 0.0002
      let answer = range.bisect(BisectParameters(findsAll: true, isExact: true))
      #expect(Set(answer.culprits.map(\.revisions.lowerBound)) == Set(changes), "\(changes)")
    }
  }

  @Test func `passes over revisions that do not build`() {
    var range = ScriptedRange(count: 40, steps: [10: 0.05, 30: 0.04])
    range.noise = 0.0002
    range.broken = [8, 9, 10, 28]
    range.unlaunchable = [20]
    let answer = range.bisect(BisectParameters(findsAll: true, isExact: true))
    #expect(answer.culprits.map(\.revisions) == [8...11, 30...30])
  }

  @Test func `refuses equal counts`() {
    var range = ScriptedRange(count: 64, steps: [:])
    range.noise = 0
    let answer = range.bisect(BisectParameters(isExact: true))
    #expect(answer.outcome == .refused(.same))
    #expect(range.launched.values.reduce(0, +) == 6)
  }

  @Test(arguments: [true, false])
  func `bears counts without any noise`(isExact: Bool) throws {
    let step = BisectMeasure.tally("libraries").logarithm(of: 41) - log(40)
    for change in [1, 20, 33] {
      var range = ScriptedRange(count: 33, steps: [change: step])
      range.noise = 0
      let answer = range.bisect(BisectParameters(isExact: isExact))
      #expect(answer.culprits.map(\.revisions) == [change...change])
      let culprit = try #require(answer.culprits.first)
      #expect(abs(culprit.effect.estimate - step) < 1e-9)
      #expect(answer.levels.allSatisfy { $0.level.upper.isFinite && $0.level.lower.isFinite })
    }
  }

  @Test func `counts nothing as a half`() {
    let measure = BisectMeasure.tally("page_ins")
    #expect(measure.logarithm(of: 0) == log(0.5))
    #expect(measure.logarithm(of: 2) == log(2))
  }
}
