import Foundation
import Testing

@testable import Bisection

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
    let spare = simulation.settings.broken > 0.1 ? 7 : 4.0
    #expect(result.builds <= log2(Double(simulation.settings.candidates)) + spare)
  }

  @Test(arguments: [
    "effect=5%,cv=3%,build=0,runs=30,seed=39001", "effect=2%,cv=1%,build=100,runs=20,seed=39101",
    "effect=80%,cv=10%,build=0,runs=30,seed=39201", "effect=10%,cv=8%,build=20,runs=15,seed=39301",
  ])
  func `foresees nine times in ten how long a search still takes`(text: String) throws {
    let simulation = try BisectSimulation(parsing: text)
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
    "cv=1%,runs=100,seed=31001", "cv=3%,runs=30,seed=31201", "cv=8%,runs=15,seed=31401",
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

  @Test func `names a change that is ten times what builds differ by themselves`() throws {
    let result = try BisectSimulation(parsing: "effect=3%,jitter=0.3%,runs=5,seed=33001").result()
    #expect(result.wrong == 0)
    #expect(result.right >= 4)
  }

  @Test(arguments: ["outliers=25%", "bursts=25%", "effect=15%,cv=15%"])
  func `names the change among outliers and bursts, and where launches scatter much`(
    text: String
  ) throws {
    let result = try BisectSimulation(parsing: text + ",runs=5,seed=35001").result()
    #expect(result.wrong == 0)
    #expect(result.right >= 4)
  }

  @Test(arguments: [
    "n=2,runs=20,seed=36001", "n=4,runs=20,seed=36101", "n=4,effect=2%,cv=1%,runs=20,seed=36201",
  ])
  func `names the change among few commits`(text: String) throws {
    let result = try BisectSimulation(parsing: text).result()
    #expect(result.wrong == 0)
    #expect(result.right >= 18)
  }

  @Test func `names every change of a set by counts, where the ends do not differ`() throws {
    let simulation = try BisectSimulation(
      parsing: "counts=yes,sizes=15%:8%:-19.5%,n=128,runs=10,seed=37001"
    )
    let result = simulation.result()
    #expect(result.wrong == 0)
    #expect(result.foundShare == 1)
    #expect(abs((result.sizeRatio ?? 0) - 1) < 0.01)
  }

  @Test func `tells sizes that are neither too large nor too sure`() throws {
    let result = try BisectSimulation(parsing: "effect=5%,cv=2%,runs=60,seed=38001").result()
    #expect(abs((result.sizeRatio ?? 0) - 1) < 0.05)
    #expect(result.sizeCoverage ?? 0 >= 0.88)
  }

  @Test(
    arguments: [
      ("effect=3%,jitter=0.6%", 116), ("effect=3%,jitter=0.6%", 149), ("effect=3%,jitter=1%", 15),
      ("effect=3%,jitter=2%", 14), ("effect=3%,jitter=2%", 21), ("effect=3%,jitter=2%", 27),
      ("scenario=null,jitter=2%", 16), ("scenario=null,jitter=2%", 44),
    ] as [(String, UInt64)]
  )
  func `doubts a culprit that builds which differ by themselves would give too`(
    text: String,
    seed: UInt64
  ) throws {
    let simulation = try BisectSimulation(parsing: text)
    #expect(!simulation.bisect(seed: seed).isWrong)
  }

  @Test func `names next to nothing wrong, and true sizes, in many ranges`() throws {
    let world = { (settings: String) in
      try BisectSimulation(parsing: "n=32,seed=70001,\(settings)").result()
    }
    // Of 1,000 runs 1 or 2 are wrong.
    #expect(try world("effect=3%,jitter=2%,runs=100").wrong <= 1)
    let bursts = try world("effect=5%,bursts=25%,runs=40")
    #expect(bursts.wrong == 0 && bursts.right >= 38)
    #expect((0.95...1.05).contains(bursts.sizeRatio ?? 0))
    let counts = try world("counts=yes,sizes=5%:-3%:2%,runs=40")
    #expect(counts.wrong == 0 && counts.right == 40)
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
