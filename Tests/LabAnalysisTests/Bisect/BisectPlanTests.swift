import Foundation
import Testing

@testable import Bisection
@testable import LaunchCore

@Suite struct BisectPlanTests {
  struct Case: Sendable {
    let candidates: Int
    let effect: Double
    let noise: Double

    /// The means of simulated bisections.
    let builds: Double
    let launches: Double
  }

  @Test(arguments: [
    Case(candidates: 64, effect: 0.02, noise: 0.01, builds: 9.1, launches: 525),
    Case(candidates: 64, effect: 0.05, noise: 0.03, builds: 8.8, launches: 609),
    Case(candidates: 64, effect: 0.02, noise: 0.03, builds: 9.7, launches: 3160),
    Case(candidates: 1024, effect: 0.05, noise: 0.03, builds: 12.5, launches: 673),
  ])
  func `is near what simulated bisections take`(test: Case) {
    let plan = BisectPlan(
      candidates: test.candidates,
      effect: test.effect,
      noise: test.noise,
      parameters: BisectParameters(),
      costs: Self.costs
    )
    #expect(plan.canBeSeen)
    #expect(abs(plan.builds / test.builds - 1) < 0.15)
    #expect(abs(plan.launches / test.launches - 1) < 0.3)
    let seconds = plan.builds * 100 + plan.launches
    #expect(plan.seconds == seconds...seconds)
  }

  private static let costs = BisectPlan.Costs(build: 100, launch: 1)

  /// What is known of the time, and what follows from it for 64 revisions, 8.3 builds and about 620
  /// launches.
  struct Time: Sendable {
    let costs: BisectPlan.Costs
    var least: Double?
    var most: Double?
  }

  @Test(arguments: [
    Time(costs: BisectPlan.Costs(build: nil, launch: 1)),
    Time(costs: BisectPlan.Costs(build: 100, launch: nil)),
    Time(costs: BisectPlan.Costs(build: 0, launch: 0.01), least: 6.2, most: 6.2),
    Time(costs: BisectPlan.Costs(build: nil, launch: 0.01, kept: 65), least: 6.2, most: 6.2),
    Time(costs: BisectPlan.Costs(build: 100, launch: 0.01, kept: 5), least: 338, most: 838),
    Time(costs: BisectPlan.Costs(build: 100, launch: 0.01, kept: 20), least: 6.2, most: 838),
  ])
  func `tells the time only where builds and launches are known`(test: Time) {
    let plan = BisectPlan(
      candidates: 64,
      effect: 0.05,
      noise: 0.03,
      parameters: BisectParameters(),
      costs: test.costs
    )
    #expect((plan.seconds == nil) == (test.least == nil))
    guard let seconds = plan.seconds, let least = test.least, let most = test.most else { return }
    #expect(abs(seconds.lowerBound / least - 1) < 0.2)
    #expect(abs(seconds.upperBound / most - 1) < 0.2)
  }

  @Test func `counts no more launches than are allowed`() {
    let plan = BisectPlan(
      candidates: 64,
      effect: 0.05,
      noise: 1,
      parameters: BisectParameters(limits: BisectLimits(launches: 100)),
      costs: BisectPlan.Costs(build: 0, launch: 1)
    )
    #expect(plan.seconds == 100...100)
  }

  @Test func `says when an effect cannot be seen`() {
    func canBeSeen(_ effect: Double, _ noise: Double, _ limits: BisectLimits) -> Bool {
      let parameters = BisectParameters(limits: limits)
      return BisectPlan(
        candidates: 64,
        effect: effect,
        noise: noise,
        parameters: parameters,
        costs: Self.costs
      ).canBeSeen
    }
    #expect(canBeSeen(0.05, 0.03, BisectLimits()))
    #expect(!canBeSeen(0.02, 0.08, BisectLimits()))
    #expect(!canBeSeen(0.005, 0.001, BisectLimits()))
    #expect(!canBeSeen(0.05, 0.03, BisectLimits(builds: 5)))
    #expect(!canBeSeen(0.05, 0.03, BisectLimits(seconds: 600)))
    #expect(!canBeSeen(0.05, 0.03, BisectLimits(launches: 100)))
  }

  @Test func `expects few launches of an exact measure`() {
    let plan = BisectPlan(
      candidates: 64,
      effect: nil,
      noise: nil,
      parameters: BisectParameters(isExact: true),
      costs: Self.costs
    )
    #expect(plan.launches < 30)
  }
}
