import Foundation
import Testing

@testable import Bisection
@testable import LaunchCore

@Suite struct BisectDirectionTests {
  @Test func `finds an improvement where one is asked for`() throws {
    var range = ScriptedRange(count: 30, steps: [12: -0.05])
    let answer = range.bisect(BisectParameters(direction: .improvement))
    let culprit = try #require(answer.culprits.first)
    #expect(culprit.revisions == 12...12)
    #expect(culprit.effect.lower < -0.05 && culprit.effect.upper > -0.05)
    #expect(try #require(answer.difference).estimate < 0)
    #expect(try abs(#require(culprit.share) - 1) < 0.2)
  }

  struct Case: Sendable {
    let step: Double
    let direction: BisectParameters.Direction
    let outcome: BisectOutcome
  }

  @Test(arguments: [
    Case(step: -0.05, direction: .regression, outcome: .refused(.opposite)),
    Case(step: 0.05, direction: .improvement, outcome: .refused(.opposite)),
    Case(step: 0.05, direction: .any, outcome: .found),
    Case(step: -0.05, direction: .any, outcome: .found),
    Case(step: 0.006, direction: .regression, outcome: .refused(.tooSmall)),
    Case(step: -0.006, direction: .any, outcome: .refused(.tooSmall)),
    Case(step: 0, direction: .any, outcome: .refused(.same)),
  ])
  func `refuses what goes the other way or is too small`(test: Case) {
    var range = ScriptedRange(count: 30, steps: [12: test.step])
    range.noise = 0.004
    #expect(range.bisect(BisectParameters(direction: test.direction)).outcome == test.outcome)
  }

  @Test func `goes on where it is forced to, and claims nothing that is not there`() {
    var range = ScriptedRange(count: 16, steps: [:])
    let limits = BisectLimits(launches: 1500)
    let answer = range.bisect(BisectParameters(isForced: true, limits: limits))
    #expect(range.built.count > 2)
    #expect(answer.culprits.isEmpty)
    #expect(answer.interval != nil)
    guard case .inconclusive = answer.outcome else {
      Issue.record("\(answer.outcome)")
      return
    }
  }

  @Test func `finds a hidden change where it is forced to`() {
    var range = ScriptedRange(count: 32, steps: [9: 0.05, 21: -0.05])
    #expect(range.bisect().outcome == .refused(.same))
    let answer = range.bisect(BisectParameters(isForced: true))
    #expect(answer.culprits.map(\.revisions) == [9...9])
  }

  @Test func `finds every change, improvements too, where all are asked for`() {
    var range = ScriptedRange(count: 64, steps: [10: 0.08, 30: -0.04, 50: 0.05])
    let answer = range.bisect(BisectParameters(findsAll: true))
    #expect(answer.culprits.map(\.revisions) == [10...10, 50...50, 30...30])
    #expect(answer.culprits.map { $0.effect.estimate > 0 } == [true, true, false])
  }

  /// The changes in a range, and what is found of them for an alert of some size.
  struct Alerted: Sendable {
    let steps: [Int: Double]
    let alert: Double
    let found: [Int]
    let share: Double
  }

  @Test(arguments: [
    // The largest change is enough.
    Alerted(steps: [12: 0.6, 40: 0.1], alert: 0.7, found: [12], share: 0.8),
    // It is more than half, and may be all that there is.
    Alerted(steps: [12: 0.5], alert: 0.7, found: [12], share: 0.6),
    Alerted(steps: [12: 0.5, 40: 0.2], alert: 0.7, found: [12, 40], share: 0.95),
    // +41 % twice is +100 %.
    Alerted(steps: [12: 0.34, 40: 0.353], alert: 0.693, found: [40, 12], share: 0.95),
    Alerted(steps: [12: 0.25, 30: 0.22, 50: 0.2], alert: 0.67, found: [12, 30, 50], share: 0.95),
    Alerted(steps: [12: -0.1, 20: -0.4], alert: -0.7, found: [20, 12], share: 0.7),
    // The rest is not in the range.
    Alerted(steps: [12: 0.02], alert: 0.7, found: [12], share: 0),
    Alerted(steps: [12: -0.1], alert: -0.7, found: [12], share: 0.1),
  ])
  func `goes on while an alert is not explained`(_ example: Alerted) {
    var range = ScriptedRange(count: 64, steps: example.steps)
    range.noise = 0.005
    var parameters = BisectParameters(direction: example.alert < 0 ? .improvement : .regression)
    parameters.alertEffect = example.alert
    let answer = range.bisect(parameters)
    #expect(answer.outcome == .found)
    #expect(answer.culprits.map(\.revisions.lowerBound) == example.found)
    let share = parameters.alertShare(of: answer.culprits.map(\.effect.estimate)) ?? 0
    #expect((example.share...(example.share + 0.1)).contains(share), "\(share)")
  }

  @Test func `finds small changes beside a large one, and lists the rest`() throws {
    var range = ScriptedRange(count: 64, steps: [10: 0.2, 40: 0.02])
    let answer = range.bisect(BisectParameters(findsAll: true))
    #expect(answer.culprits.map(\.revisions) == [10...10, 40...40])
    #expect(!answer.unsearched.isEmpty)
    #expect(answer.unsearched.allSatisfy { $0.reason == .equalEnds })
    #expect(answer.unsearched.allSatisfy { !($0.good..<$0.bad).contains(39) })
    #expect(range.bisect().unsearched.isEmpty)
  }

  @Test func `lists the stretches that a limit left`() throws {
    var range = ScriptedRange(count: 64, steps: [10: 0.2, 40: 0.12])
    range.noise = 0.005
    let whole = range.bisect(BisectParameters(findsAll: true))
    #expect(whole.culprits.count == 2 && whole.unsearched.allSatisfy { $0.limit == nil })
    let limited = BisectParameters(findsAll: true, limits: BisectLimits(builds: 9))
    let answer = range.bisect(limited)
    #expect(answer.culprits.count == 1)
    let left = try #require(answer.unsearched.first { $0.limit == .buildsSpent })
    #expect(left.good < 40 && left.bad >= 40)
  }

  @Test func `names or lists every change, wherever the launches end`() {
    for launches in 300..<500 {
      var range = ScriptedRange(count: 64, steps: [10: 0.2, 30: -0.08, 40: 0.12])
      range.noise = 0.005
      let limits = BisectLimits(launches: launches)
      let answer = range.bisect(BisectParameters(findsAll: true, limits: limits))
      guard !answer.culprits.isEmpty else { continue }
      for step in [10, 30, 40] {
        let isNamed = answer.culprits.contains { $0.revisions.contains(step) }
        let isListed = answer.unsearched.contains { $0.good < step && step <= $0.bad }
        #expect(isNamed || isListed, "\(launches) launches, step \(step)")
      }
    }
  }

  @Test func `searches the other way where all are asked for, and bad is faster`() {
    var range = ScriptedRange(count: 64, steps: [10: -0.12, 40: 0.05])
    let answer = range.bisect(BisectParameters(findsAll: true))
    #expect(answer.culprits.map(\.revisions) == [40...40, 10...10])
    #expect(answer.outcome == .found)
  }

  @Test(arguments: [true, false])
  func `looks inside where changes cancel out`(findsAll: Bool) {
    for (first, second) in [(9, 21), (30, 60), (3, 12)] {
      var range = ScriptedRange(count: 64, steps: [first: 0.08, second: -0.08])
      let parameters = BisectParameters(direction: .any, findsAll: findsAll)
      let answer = range.bisect(parameters)
      let found = Set(answer.culprits.map(\.revisions))
      #expect(found.isSubset(of: [first...first, second...second]))
      #expect(found.count == (findsAll ? 2 : 1), "\(first), \(second)")
    }
  }

  @Test func `looks inside where it is not established that the ends differ`() {
    var range = ScriptedRange(count: 64, steps: [20: 0.30, 40: -0.285])
    range.noise = 0.20
    let answer = range.bisect(BisectParameters(findsAll: true))
    #expect(range.bisect().outcome == .refused(.notEstablished))
    #expect(Set(answer.culprits.map(\.revisions)) == [20...20, 40...40])
  }

  @Test(arguments: [1, 9, 16])
  func `finds the commit that makes a quarter of the launches slow`(culprit: Int) {
    var range = ScriptedRange(count: 16, steps: [:])
    range.slowFrom = culprit
    let answer = range.bisect()
    #expect(answer.culprits.map(\.revisions) == [culprit...culprit])
    // The mean launch.
    #expect((0.1...0.4).contains(answer.culprits.first?.effect.estimate ?? 0))
    let shares = answer.notes.compactMap { note in
      if case .slowLaunches(let good, let bad) = note { [good, bad] } else { nil }
    }
    #expect(shares.first?.first == 0)
    #expect((0.1...0.4).contains(shares.first?.last ?? 0))
    #expect(range.launched.values.reduce(0, +) <= 1_000)
  }

  @Test func `finds slow launches beside another change where they are asked for`() {
    var range = ScriptedRange(count: 16, steps: [4: 0.1])
    range.slowFrom = 11
    var parameters = BisectParameters()
    #expect(range.bisect(parameters).culprits.map(\.revisions) == [4...4])
    parameters.looksForSlow = true
    #expect(range.bisect(parameters).culprits.map(\.revisions) == [11...11])
    range.slowFrom = nil
    #expect(range.bisect(parameters).culprits == [])
  }

  @Test func `finds no slow launches where there are none`() {
    var range = ScriptedRange(count: 16, steps: [:])
    #expect(range.bisect().notes == [])
    #expect(range.bisect().culprits == [])
  }

  @Test func `ends where nothing inside differs`() {
    var range = ScriptedRange(count: 64, steps: [:])
    let answer = range.bisect(BisectParameters(findsAll: true))
    #expect(answer.outcome == .refused(.same))
    #expect(answer.culprits.isEmpty)
    #expect((3...9).contains(range.built.count))
    #expect(range.launched.values.reduce(0, +) <= 4_000)
  }

  @Test func `names what was asked for first, although another change is larger`() throws {
    var range = ScriptedRange(count: 64, steps: [10: 0.09, 50: -0.06])
    range.noise = 0.005
    var other = range
    other.levels = range.levels.map { -$0 }
    let found = range.bisect(BisectParameters(findsAll: true))
    let opposite = other.bisect(BisectParameters(direction: .improvement, findsAll: true))
    #expect(found.culprits.map(\.revisions) == [10...10, 50...50])
    #expect(opposite.culprits.map(\.revisions) == [10...10, 50...50])

    var small = ScriptedRange(count: 64, steps: [10: 0.05, 30: -0.08, 50: 0.07])
    small.noise = 0.005
    let all = small.bisect(BisectParameters(findsAll: true))
    #expect(all.culprits.map(\.revisions) == [50...50, 10...10, 30...30])
    func bad(_ revision: Int) -> Double? {
      all.levels.first { $0.revision == revision }?.probabilityBad
    }
    #expect(try #require(bad(64)) > 0.95)
    #expect(try #require(bad(10)) > 0.95)
    #expect(bad(0) ?? 0 < 0.05)
    // Behind the improvement at 30.
    #expect(all.levels.contains { (30..<50).contains($0.revision) })
    for level in all.levels where (30..<50).contains(level.revision) {
      #expect(level.probabilityBad == nil)
    }
  }

  @Test func `gives no probabilities where nothing was searched for them`() {
    var range = ScriptedRange(count: 64, steps: [:])
    let refused = range.bisect(BisectParameters())
    #expect(refused.outcome == .refused(.same))
    #expect(refused.levels.map(\.revision) == [0, 64])
    #expect(refused.levels.allSatisfy { $0.probabilityBad == nil })

    var falling = ScriptedRange(count: 64, steps: [30: -0.08, 50: 0.09])
    falling.noise = 0.005
    let answer = falling.bisect(BisectParameters(findsAll: true))
    #expect(answer.culprits.map(\.revisions) == [50...50, 30...30])
    for level in answer.levels {
      #expect((level.probabilityBad ?? 0 > 0.9) == (level.revision >= 50))
    }
    #expect(answer.levels.contains { $0.revision < 50 && $0.probabilityBad == nil })
  }
}
