import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import Rendering

@Suite struct BisectForecastTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var noise: Double
    var limits = BisectLimits()
    var artifacts: String?
    var costs = BisectPlan.Costs(build: 100, launch: 1)

    /// Whether not even twice the time can be found within the limits.
    var isHopeless = false
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "quiet", noise: 0.01), Case(name: "usual", noise: 0.03),
    Case(name: "noisy", noise: 0.2), Case(name: "hopeless", noise: 5, isHopeless: true),
    Case(
      name: "limited",
      noise: 0.03,
      limits: BisectLimits(builds: 3, seconds: 60),
      isHopeless: true
    ),
    Case(
      name: "artifacts",
      noise: 0.03,
      artifacts: "/srv/nightly",
      costs: BisectPlan.Costs(build: 0, launch: 0.005)
    ),
    Case(name: "unknown", noise: 0.03, costs: BisectPlan.Costs(build: nil, launch: nil)),
    Case(
      name: "unknown-artifacts",
      noise: 0.03,
      artifacts: "/srv/nightly",
      costs: BisectPlan.Costs(build: 0, launch: nil)
    ),
    Case(
      name: "partly-built",
      noise: 0.03,
      costs: BisectPlan.Costs(build: 100, launch: 0.005, kept: 9)
    ),
    Case(name: "built", noise: 0.03, costs: BisectPlan.Costs(build: nil, launch: 0.005, kept: 17)),
  ]

  @Test(arguments: cases)
  func `says beforehand what it will take`(_ example: Case) throws {
    let parameters = BisectParameters(limits: example.limits)
    let start = SampleBisect.start(artifacts: example.artifacts, parameters: parameters)
    let plan = BisectPlan(
      candidates: 16,
      effect: nil,
      noise: example.noise,
      parameters: parameters,
      costs: example.costs
    )
    let text = BisectPlanText(plan, start: start).lines.joined(separator: "\n")
    #expect(text.contains("warning") == example.isHopeless)
    try expectSnapshot(text, named: example.name, suite: "BisectPlanText")
  }
}
