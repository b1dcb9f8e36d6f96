import Foundation
import Testing

@testable import LaunchStatistics

@Suite struct RobustSegmentationTests {
  /// A history of `Fixtures/levels`, with the changes that it has and those that Otava finds.
  struct History: Decodable {
    let shape: String
    let kind: String
    let changes: [Int]
    let otava: [Int]
    let values: [Double]
  }

  /// What a detector makes of many histories.
  struct Score {
    var hits = 0
    var changes = 0
    var falseAlarms = 0
    var nights = 0

    var recall: Double { Double(hits) / Double(max(1, changes)) }
    var falsePerMonth: Double { 30 * Double(falseAlarms) / Double(max(1, nights)) }

    /// Counts what is found within 3 nights of a change, each once.
    mutating func add(_ found: [Int], _ history: History) {
      var left = found
      for change in history.changes {
        let near = left.indices.filter { abs(left[$0] - change) <= 3 }
        guard let best = near.min(by: { abs(left[$0] - change) < abs(left[$1] - change) }) else {
          continue
        }
        left.remove(at: best)
        hits += 1
      }
      changes += history.changes.count
      falseAlarms += left.count
      nights += history.values.count
    }

    var text: String {
      String(format: "recall %.2f, false alarms %.3f a month", recall, falsePerMonth)
    }
  }

  static let histories: [History] = (try? fixture("levels/histories")) ?? []

  static func cuts(_ values: [Double], effect: Double = 0.02) -> [Int] {
    RobustSegmentation.levels(of: values, effect: effect).dropFirst().map(\.range.lowerBound)
  }

  @Test func `finds as many changes as Otava with a third of its false alarms`() {
    var (own, otava) = (Score(), Score())
    var (ownPairs, otavaPairs) = (Score(), Score())
    for history in Self.histories {
      let found = Self.cuts(history.values)
      own.add(found, history)
      otava.add(history.otava, history)
      if history.kind == "pair" {
        ownPairs.add(found, history)
        otavaPairs.add(history.otava, history)
      }
    }
    print("own \(own.text), pairs \(ownPairs.text)")
    print("Otava \(otava.text), pairs \(otavaPairs.text)")
    #expect(Self.histories.count == 336)
    #expect(own.recall >= otava.recall)
    #expect(3 * own.falsePerMonth <= otava.falsePerMonth)
    #expect(ownPairs.recall >= otavaPairs.recall)
    #expect(ownPairs.recall >= 0.88)
  }

  @Test(arguments: ["gauss", "spiky", "bimodal", "ar1", "drift", "t3", "weekly"])
  func `is seldom wrong about noise of a shape`(shape: String) {
    var score = Score()
    var otava = Score()
    for history in Self.histories where history.shape == shape {
      score.add(Self.cuts(history.values), history)
      otava.add(history.otava, history)
    }
    print("\(shape): own \(score.text); Otava \(otava.text)")
    #expect(score.falsePerMonth <= (shape == "drift" ? 0.12 : 0.05))
    #expect(score.recall >= 0.7)
  }

  @Test(arguments: PottsRealSeriesTests.Case.all)
  func `finds the changes that Mozilla pins, but for short and small ones`(
    test: PottsRealSeriesTests.Case
  ) throws {
    let series = try RealSeries.perfherder(test.name)
    let found = Self.cuts(series.values, effect: 0)
    print("\(test.name): pinned \(series.changes), found \(found)")
    let wanted = series.changes.filter { !test.missed.contains($0) }
    #expect(wanted.allSatisfy { change in found.contains { abs($0 - change) <= 3 } })
  }

  // MARK: - Public series

  /// What other tools find in a public series, by `Fixtures/changepoint/make_cuts.py`.
  struct Cuts: Decodable {
    let name: String
    let asv: [Int]
    let otava: [Int]
  }

  /// Every public series, those without annotators as ones that one person marked.
  static func publicSeries() throws -> [AnnotatedSeries] {
    let names = ["runs1", "runs2", "runs3", "runs4", "runs5", "a11y", "tp5rss"]
    let pinned = try names.map(RealSeries.perfherder) + [RealSeries.tigerBeetle()]
    return try pinned.map { series in
      AnnotatedSeries(
        name: series.description,
        values: series.values,
        annotations: ["pinned": series.changes]
      )
    } + AnnotatedSeries.all()
  }

  /// With a margin of five values; the table of Tests/CALIBRATION.md.
  @Test func `agrees with people on public series no less than asv and Otava`() throws {
    let cuts = try fixture("changepoint/cuts", as: [Cuts].self)
    var sums = (own: 0.0, asv: 0.0, otava: 0.0)
    let all = try Self.publicSeries()
    for series in all {
      let others = try #require(cuts.first { $0.name == series.name })
      let own = Self.cuts(series.values)
      let scores = [own, others.asv, others.otava].map { series.score(of: $0) }
      sums = (sums.own + scores[0], sums.asv + scores[1], sums.otava + scores[2])
      let texts = zip(scores, [own, others.asv, others.otava]).map { score, found in
        String(format: "%.2f (%d)", score, found.count)
      }
      print("public: \(series.name), \(series.values.count): \(texts.joined(separator: ", "))")
    }
    let means = [sums.own, sums.asv, sums.otava].map { $0 / Double(all.count) }
    print("public: mean F1 \(means)")
    #expect(all.count == 14)
    #expect(means[0] >= means[1] && means[0] >= means[2])
  }

  @Test func `a level is the median of its values, and one value makes none`() {
    var values = (0..<40).map { 100 + Double($0 % 5) }
    values[17] = 400
    #expect(Self.cuts(values).isEmpty)
    for index in 20..<40 { values[index] += 10 }
    let levels = RobustSegmentation.levels(of: values)
    #expect(levels.map(\.range) == [0..<20, 20..<40])
    #expect(levels.map(\.level) == [102, 112])
  }

  @Test func `two values at the end are no level, three are`() {
    let values = (0..<40).map { 100 + Double(($0 * 7) % 5) }
    #expect(Self.cuts(values + [150, 151]).isEmpty)
    #expect(Self.cuts(values + [150, 151, 152]) == [40])
  }

  @Test func `the unit of the values does not matter`() {
    for history in Self.histories.prefix(24) {
      let cuts = Self.cuts(history.values)
      #expect(Self.cuts(history.values.map { $0 * 1e9 }) == cuts)
      #expect(Self.cuts(history.values.map { $0 * 1e-9 }) == cuts)
    }
  }

  @Test func `exact counts change where they change`() {
    let values = [Double](repeating: 120, count: 20) + [Double](repeating: 121, count: 20)
    #expect(Self.cuts(values, effect: 0) == [20])
    #expect(Self.cuts(values) == [])
    #expect(Self.cuts([Double](repeating: 0, count: 30), effect: 0) == [])
  }

  @Test func `few and odd values are one level`() {
    #expect(RobustSegmentation.levels(of: []).isEmpty)
    #expect(RobustSegmentation.levels(of: [1, 2, 3, 4, 5]).map(\.range) == [0..<5])
    #expect(RobustSegmentation.levels(of: [1, .nan, 3, 4, 5, 6, 7]).map(\.range) == [0..<7])
  }
}

extension RobustSegmentationTests {
  /// A step of ten times the scatter of nights around 1, whatever the noise is to be.
  struct Step: CustomTestStringConvertible {
    let factor: Double

    /// Whether the noise is a share of the level; nil for none.
    let isShare: Bool?

    static let all = [1.1, 2, 10, 100].flatMap { factor in
      [nil, false, true].map { Step(factor: factor, isShare: $0) }
    }

    var testDescription: String {
      let noise = isShare.map { $0 ? "noise as a share" : "the same noise" } ?? "no noise"
      return "\(factor)-fold, \(noise)"
    }

    /// Nights of one level, then of the other.
    func values(_ before: Int, _ after: Int, isDown: Bool) -> [Double] {
      var generator = SeededGenerator(seed: UInt64(1_000 * before + after))
      let scatter = isShare == nil ? 0 : 0.1 * (factor - 1)
      return (0..<before + after).map { night in
        let isHigh = (night >= before) != isDown
        let level = isHigh ? factor : 1
        let deviation = isShare == true ? scatter * level / factor : scatter
        return (isShare == false ? 10 : 0) + level + deviation * generator.nextNormal()
      }
    }
  }

  @Test(arguments: Step.all)
  func `ten times the scatter is a level from its third night on, however few there are`(
    step: Step
  ) {
    var missed: [String] = []
    for before in 5...60 {
      for after in 3...40 where step.isShare == nil || (before + after) % 5 == 0 || after == 3 {
        for isDown in [false, true] {
          let values = step.values(before, after, isDown: isDown)
          if !Self.cuts(values, effect: 0).contains(before) {
            missed.append("\(before) + \(after)\(isDown ? " down" : "")")
          }
        }
      }
    }
    #expect(missed.isEmpty)
  }

  @Test func `several great jumps in few nights are levels`() {
    func night(_ level: Double, _ index: Int) -> Double { level * (1 + 0.002 * Double(index % 3)) }
    for levels in [[10, 1_000, 10.0], [10, 20, 40, 10], [1_000, 10, 20], [1, 100, 1, 100, 1]] {
      let values = levels.flatMap { level in (0..<6).map { night(level, $0) } }
      #expect(Self.cuts(values) == Array(stride(from: 6, to: values.count, by: 6)))
    }
  }

  @Test(arguments: [0.005, 0.01, 0.015], [30, 40, 60, 100])
  func `spikes do not hide a step of 10 %`(scatter: Double, before: Int) {
    var missed = 0
    for seed in 0..<40 {
      var generator = SeededGenerator(seed: UInt64(1_000 * seed + before))
      let values = (0..<before + 20).map { night in
        let isSpike = generator.nextUniform() < 0.05
        let spike = isSpike ? 0.1 + 0.3 * generator.nextUniform() : 0
        return (1 + scatter * generator.nextNormal() + spike) * (night < before ? 1 : 1.1)
      }
      if !Self.cuts(values).contains(where: { abs($0 - before) <= 3 }) { missed += 1 }
    }
    // Of some, a quarter of the few nights before are spikes by chance.
    #expect(missed <= (before == 30 ? 1 : 0))
  }

  @Test func `few nights without a change are one level`() {
    var told = 0
    for seed in 0..<2_000 {
      var generator = SeededGenerator(seed: UInt64(7_000 + seed))
      let values = (0..<8 + seed % 13).map { _ in 1 + 0.01 * generator.nextNormal() }
      if !Self.cuts(values).isEmpty { told += 1 }
    }
    print("few nights: \(told) of 2000 cut")
    #expect(told <= 20)
  }
}
