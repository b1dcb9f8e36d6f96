import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import Measuring

@Suite(.temporaryDirectory) struct PlanCostsTests {
  private let start = SimulatedRange().start()

  private func costs(of start: BisectStart) async -> BisectPlan.Costs {
    await PlanCosts(start: start, storeDirectory: TemporaryDirectory.path).costs()
  }

  /// Writes the log of a former bisection, in which a build took 2 s and a launch 5 ms.
  private func bisect(_ start: BisectStart) async throws {
    let range = SimulatedRange()
    let path = LogLocation(.bisection, storeDirectory: TemporaryDirectory.path).log(of: start.id)
    var loop = BisectLoop(
      course: BisectCourse(start),
      log: try BisectLog(startingAt: path, with: start),
      now: { SampleNight.evening }
    )
    var builder = SimulatedBuilder(range: range)
    var launcher = SimulatedLauncher(range: range, rows: 0)
    try await loop.run(builder: &builder, launcher: &launcher) { _ in }
    loop.log.close()
  }

  @Test func `knows nothing of what was never done`() async {
    #expect(await costs(of: start) == BisectPlan.Costs(build: nil, launch: nil))
    var shelf = start
    shelf.artifacts = "/srv/nightly"
    #expect(await costs(of: shelf).build == 0)
  }

  @Test func `takes times from former bisections of the same`() async throws {
    var known = start
    known.scenario.source = Source(repository: "/nowhere", build: "make")
    try await bisect(known)

    let found = await costs(of: known)
    #expect(found.build == 2)
    // Rows of two and three launches took as long.
    #expect((0.0033...0.005).contains(found.launch ?? 0))

    var other = known
    other.scenario.source?.build = "make all"
    #expect(await costs(of: other).build == nil)
    other.scenario.targets[0].command = ["/bin/false"]
    #expect(await costs(of: other).launch == nil)
    other = known
    other.measure = .counter(.instructions)
    #expect(await costs(of: other).launch == nil)
  }

  /// A self-test with a few launches that took very long.
  @Test func `takes the scatter around the middle from self-tests`() {
    let noise = HostNoise(
      run: "1",
      measuredAt: Date(timeIntervalSince1970: 0),
      fingerprint: "here",
      command: ["git"],
      state: .warm,
      pairs: 100,
      median: 2e6,
      coefficientOfVariation: 1.07,
      detectable: [
        DetectableEffect(pairs: 10, effect: 0.1), DetectableEffect(pairs: 100, effect: 0.04),
      ],
      comparisons: 20,
      falseAlarms: 0
    )
    let scatter = PlanNoise.scatter(of: noise)
    #expect((0.03...0.05).contains(scatter))
    var quiet = noise
    quiet.coefficientOfVariation = 0.02
    #expect(PlanNoise.scatter(of: quiet) == 0.02)
    quiet.detectable = []
    #expect(PlanNoise.scatter(of: quiet) == 0.02)
  }
}
