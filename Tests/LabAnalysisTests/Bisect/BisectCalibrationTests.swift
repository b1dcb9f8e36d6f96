import Foundation
import LabModel
import Testing

@testable import LabAnalysis

/// Simulated bisections with fixed seeds; every number here was true of far more of them.
@Suite struct BisectCalibrationTests {
  @Test(arguments: [
    "n=16,effect=5%,cv=3%,runs=60,seed=30001", "n=64,effect=5%,cv=3%,runs=60,seed=30101",
    "n=64,effect=2%,cv=1%,runs=40,seed=30201", "n=64,effect=10%,cv=8%,runs=30,seed=30301",
    "n=256,effect=30%,cv=8%,runs=20,seed=30401",
    "n=64,effect=5%,cv=3%,broken=30%,runs=15,seed=30501",
  ])
  func `names the change with few builds`(text: String) throws {
    let simulation = try BisectSimulation(parsing: text)
    let result = simulation.result()
    #expect(result.wrong == 0)
    #expect(Double(result.right) >= 0.97 * Double(simulation.settings.runs))
    let spare = simulation.settings.broken > 0.1 ? 7 : 3.5
    #expect(result.builds <= log2(Double(simulation.settings.candidates)) + spare)
  }

  @Test(arguments: [
    "cv=1%,runs=150,seed=31001", "cv=3%,runs=100,seed=31201", "cv=8%,runs=50,seed=31401",
  ])
  func `claims nothing where nothing changed`(text: String) throws {
    let result = try BisectSimulation(parsing: "scenario=null," + text).result()
    #expect(result.right + result.partlyRight + result.wrong == 0)
  }

  @Test func `leaves too small a change undecided, and holds it in the interval`() throws {
    let result = try BisectSimulation(parsing: "effect=2%,cv=8%,runs=10,seed=32001").result()
    #expect(result.wrong == 0)
    #expect(result.undecided + result.refused >= 8)
    #expect(result.coverage ?? 1 >= 0.8)
  }

  @Test func `claims nothing wrong where builds differ by themselves`() throws {
    let result = try BisectSimulation(parsing: "effect=3%,jitter=0.3%,runs=25,seed=33001").result()
    #expect(result.wrong == 0)
  }

  @Test(arguments: [116, 149, 178, 257] as [UInt64])
  func `doubts a culprit that builds which differ by themselves would give too`(
    seed: UInt64
  ) throws {
    let simulation = try BisectSimulation(parsing: "effect=3%,jitter=0.6%")
    #expect(simulation.bisect(seed: seed, rules: .reference).isWrong)
    #expect(!simulation.bisect(seed: seed).isWrong)
  }

  @Test func `finds both of two changes`() throws {
    let result = try BisectSimulation(parsing: "scenario=two,runs=5,seed=34001").result()
    #expect(result.wrong == 0)
    #expect(result.foundShare == 1)
  }

  @Test func `gives the same for the same seed, and another for another`() throws {
    let simulation = try BisectSimulation(parsing: "n=16,runs=4,seed=5")
    var done: [Int] = []
    let result = simulation.result { done.append($0) }
    #expect(done == [1, 2, 3, 4])
    #expect(simulation.result() == result)
    #expect(
      try BisectSimulation(parsing: "n=16,runs=4,seed=6").result().launches != result.launches
    )
  }
}
