import Foundation
import Testing

@testable import Bisection
@testable import LaunchCore

@Suite struct BisectLimitsTests {
  @Test func `keeps to the launches, and tells where the change is at least`() throws {
    var range = ScriptedRange(count: 64, steps: [40: 0.03])
    range.noise = 0.06
    let answer = range.bisect(BisectParameters(limits: BisectLimits(launches: 1400)))
    #expect(answer.outcome == .inconclusive(.launchesSpent))
    #expect(try #require(answer.interval).contains(40))
    #expect(range.launched.values.reduce(0, +) <= 1400)
  }

  @Test func `stops when the builds are spent`() throws {
    var range = ScriptedRange(count: 64, steps: [40: 0.05])
    let answer = range.bisect(BisectParameters(limits: BisectLimits(builds: 5)))
    #expect(answer.outcome == .inconclusive(.buildsSpent))
    #expect(range.built.count == 5)
    #expect(try #require(answer.interval).contains(40))
  }

  @Test func `stops when the time is spent`() throws {
    var range = ScriptedRange(count: 64, steps: [40: 0.05])
    let answer = range.bisect(BisectParameters(limits: BisectLimits(seconds: 400)))
    #expect(answer.outcome == .inconclusive(.timeSpent))
    #expect(range.seconds >= 400 && range.seconds < 600)
    var early = ScriptedRange(count: 64, steps: [40: 0.05])
    let none = early.bisect(BisectParameters(limits: BisectLimits(seconds: 90)))
    #expect(none.outcome == .inconclusive(.timeSpent))
    #expect(none.interval == nil)
    #expect(early.launched.isEmpty)
  }

  @Test func `expects what builds and launches took, and leaves found builds out`() {
    var costs = BisectCosts(BisectParameters(buildSeconds: 100, launchSeconds: 1))
    #expect(costs.build == 100 && costs.launch == 1 && costs.brokenShare == 0.05)
    costs.addBuild(isUsable: true, seconds: nil)
    costs.addLaunches(10, seconds: nil)
    #expect(costs.build == 100 && costs.launch == 1 && costs.seconds == 0)
    costs.addBuild(isUsable: true, seconds: 10)
    costs.addBuild(isUsable: false, seconds: 20)
    costs.addLaunches(8, seconds: 4)
    #expect(costs.build == 15 && costs.launch == 0.5 && costs.seconds == 34)
    #expect(abs(costs.brokenShare - 2.0 / 22) < 1e-12)
  }

  @Test func `launches more where builds are dear`() {
    func launches(buildSeconds: Double) -> Int {
      var range = ScriptedRange(count: 64, steps: [40: 0.03])
      range.noise = 0.05
      range.buildSeconds = buildSeconds
      _ = range.bisect()
      return range.launched.values.reduce(0, +)
    }
    #expect(launches(buildSeconds: 3000) > launches(buildSeconds: 1))
  }
}
