import Foundation
import LabModel
import Testing

@testable import LabAnalysis

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
    Case(candidates: 64, effect: 0.02, noise: 0.01, builds: 8.3, launches: 278),
    Case(candidates: 64, effect: 0.05, noise: 0.03, builds: 8.3, launches: 333),
    Case(candidates: 64, effect: 0.02, noise: 0.03, builds: 8.5, launches: 1236),
    Case(candidates: 1024, effect: 0.05, noise: 0.03, builds: 12.8, launches: 456),
  ])
  func `is near what simulated bisections take`(test: Case) {
    let plan = BisectPlan(
      candidates: test.candidates,
      effect: test.effect,
      noise: test.noise,
      parameters: BisectParameters()
    )
    #expect(plan.canBeSeen)
    #expect(abs(plan.builds / test.builds - 1) < 0.1)
    #expect(abs(plan.launches / test.launches - 1) < 0.3)
    #expect(plan.seconds == plan.builds * 100 + plan.launches)
  }

  @Test func `says when an effect cannot be seen`() {
    func canBeSeen(_ effect: Double, _ noise: Double, _ limits: BisectLimits) -> Bool {
      let parameters = BisectParameters(limits: limits)
      return BisectPlan(
        candidates: 64,
        effect: effect,
        noise: noise,
        parameters: parameters
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
      parameters: BisectParameters(isExact: true)
    )
    #expect(plan.launches < 30)
  }
}
