import Foundation
import Testing

@testable import Bisection

/// Simulated bisections with fixed seeds; every number here was true of far more of them.
@Suite struct BisectCalibrationTests {
  private typealias Settings = SimulationSettings

  @Test(arguments: [
    Settings(candidates: 16, runs: 60, seed: 30_001), Settings(runs: 60, seed: 30_101),
    Settings(effect: 0.02, noise: 0.01, runs: 40, seed: 30_201),
    Settings(effect: 0.1, noise: 0.08, runs: 30, seed: 30_301),
    Settings(candidates: 256, effect: 0.3, noise: 0.08, runs: 20, seed: 30_401),
    Settings(runs: 15, seed: 30_501, broken: 0.3),
  ])
  func `names the change with few builds`(settings: SimulationSettings) {
    let result = BisectSimulation(settings).result()
    #expect(result.wrong == 0)
    #expect(Double(result.right) >= 0.97 * Double(settings.runs))
    let spare = settings.broken > 0.1 ? 7 : 4.0
    #expect(result.builds <= log2(Double(settings.candidates)) + spare)
  }

  @Test(arguments: [
    Settings(runs: 30, seed: 39_001, build: 0),
    Settings(effect: 0.02, noise: 0.01, runs: 20, seed: 39_101),
    Settings(effect: 0.8, noise: 0.1, runs: 30, seed: 39_201, build: 0),
    Settings(effect: 0.1, noise: 0.08, runs: 15, seed: 39_301, build: 20),
  ])
  func `foresees nine times in ten how long a search still takes`(settings: SimulationSettings) {
    let simulation = BisectSimulation(settings)
    var held = 0
    var forecasts = 0
    for run in 0..<simulation.settings.runs {
      var seen: [(seconds: ClosedRange<Double>, spent: Double)] = []
      let ended = simulation.bisect(seed: simulation.settings.seed + UInt64(run)) { engine in
        guard engine.progress.phase != .done else { return }
        #expect(engine.progress.phase != .ends || engine.progress.secondsLeft == nil)
        if let seconds = engine.progress.secondsLeft { seen.append((seconds, engine.seconds)) }
      }
      let all = simulation.settings.build * Double(ended.builds) + Double(ended.launches)
      // A bisection that has just ended is over before it is asked.
      seen.removeAll { all - $0.spent <= 0 }
      forecasts += seen.count
      held += seen.count { $0.seconds.contains(all - $0.spent) }
    }
    #expect(forecasts > 5 * simulation.settings.runs)
    #expect(Double(held) >= 0.9 * Double(forecasts), "\(held) of \(forecasts)")
  }

  @Test(arguments: [
    Settings(noise: 0.01, runs: 100, seed: 31_001, scenario: .null),
    Settings(noise: 0.03, runs: 30, seed: 31_201, scenario: .null),
    Settings(noise: 0.08, runs: 15, seed: 31_401, scenario: .null),
  ])
  func `claims nothing where nothing changed`(settings: SimulationSettings) {
    let result = BisectSimulation(settings).result()
    #expect(result.right + result.partlyRight + result.wrong == 0)
  }

  @Test func `leaves too small a change undecided, and holds it in the interval`() {
    let settings = Settings(effect: 0.02, noise: 0.08, runs: 10, seed: 32_001)
    let result = BisectSimulation(settings).result()
    #expect(result.wrong == 0)
    #expect(result.undecided + result.refused >= 8)
    #expect(result.coverage ?? 1 >= 0.8)
  }

  @Test(arguments: [
    Settings(effect: 0.03, runs: 5, seed: 33_001, jitter: 0.003),
    Settings(runs: 5, seed: 35_001, outliers: 0.25), Settings(runs: 5, seed: 35_001, bursts: 0.25),
    Settings(effect: 0.15, noise: 0.15, runs: 5, seed: 35_001),
  ])
  func `names the change where builds or launches scatter much`(settings: SimulationSettings) {
    let result = BisectSimulation(settings).result()
    #expect(result.wrong == 0)
    #expect(result.right >= 4)
  }

  @Test(arguments: [
    Settings(candidates: 2, runs: 20, seed: 36_001),
    Settings(candidates: 4, runs: 20, seed: 36_101),
    Settings(candidates: 4, effect: 0.02, noise: 0.01, runs: 20, seed: 36_201),
  ])
  func `names the change among few commits`(settings: SimulationSettings) {
    let result = BisectSimulation(settings).result()
    #expect(result.wrong == 0)
    #expect(result.right >= 18)
  }

  @Test func `names every change of a set by counts, where the ends do not differ`() {
    let sizes = [0.15, 0.08, -0.195]
    let set = Settings(candidates: 128, runs: 10, seed: 37_001, scenario: .set, sizes: sizes)
    let result = BisectSimulation(set.counted).result()
    #expect(result.wrong == 0)
    #expect(result.foundShare == 1)
    #expect(abs((result.sizeRatio ?? 0) - 1) < 0.01)
  }

  @Test func `tells sizes that are neither too large nor too sure`() {
    let result = BisectSimulation(Settings(noise: 0.02, runs: 60, seed: 38_001)).result()
    #expect(abs((result.sizeRatio ?? 0) - 1) < 0.05)
    #expect(result.sizeCoverage ?? 0 >= 0.88)
  }

  @Test(arguments: [
    Settings(effect: 0.03, seed: 116, jitter: 0.006),
    Settings(effect: 0.03, seed: 149, jitter: 0.006),
    Settings(effect: 0.03, seed: 15, jitter: 0.01),
    Settings(effect: 0.03, seed: 14, jitter: 0.02), Settings(effect: 0.03, seed: 21, jitter: 0.02),
    Settings(effect: 0.03, seed: 27, jitter: 0.02),
    Settings(seed: 16, scenario: .null, jitter: 0.02),
    Settings(seed: 44, scenario: .null, jitter: 0.02),
  ])
  func `doubts a culprit that builds which differ by themselves would give too`(
    settings: SimulationSettings
  ) {
    #expect(!BisectSimulation(settings).bisect(seed: settings.seed).isWrong)
  }

  @Test func `names next to nothing wrong, and true sizes, in many ranges`() {
    // Of 1,000 runs 1 or 2 are wrong.
    let jittery = Settings(candidates: 32, effect: 0.03, runs: 100, seed: 70_001, jitter: 0.02)
    #expect(BisectSimulation(jittery).result().wrong <= 1)
    let bursty = Settings(candidates: 32, runs: 40, seed: 70_001, bursts: 0.25)
    let bursts = BisectSimulation(bursty).result()
    #expect(bursts.wrong == 0 && bursts.right >= 38)
    #expect((0.95...1.05).contains(bursts.sizeRatio ?? 0))
    let sizes = [0.05, -0.03, 0.02]
    let set = Settings(candidates: 32, runs: 40, seed: 70_001, scenario: .set, sizes: sizes)
    let counts = BisectSimulation(set.counted).result()
    #expect(counts.wrong == 0 && counts.right == 40)
  }

  @Test func `finds both of two changes`() {
    let result = BisectSimulation(Settings(runs: 5, seed: 34_001, scenario: .two)).result()
    #expect(result.wrong == 0)
    #expect(result.foundShare == 1)
  }

  @Test func `gives the same for the same seed, and another for another`() {
    let simulation = BisectSimulation(Settings(candidates: 16, runs: 4, seed: 5))
    let result = simulation.result()
    #expect(simulation.result() == result)
    let other = BisectSimulation(Settings(candidates: 16, runs: 4, seed: 6)).result()
    #expect(other.launches != result.launches)
  }
}
