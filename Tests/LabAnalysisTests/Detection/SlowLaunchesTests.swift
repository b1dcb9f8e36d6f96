import Foundation
import LaunchStatistics
import Testing

@testable import History
@testable import LaunchCore

/// More slow launches, while the typical launch is as it was.
@Suite struct SlowLaunchesTests {
  private static let rule = RegressionRule(metrics: [.launch, .slowShare])

  /// Twenty launches around 400 ms, of which some take half as long again.
  private static func launches(slow: Int = 0, night: Int = 0) -> [Double] {
    (0..<20).map { 400e6 * (1 + 0.01 * Double(($0 + night) % 5)) * ($0 < slow ? 1.5 : 1) }
  }

  /// As many nights with one slow launch in every fifth, and some with these numbers of slow ones.
  private static func nights(then slow: [Int], control: [Int]? = nil) -> NightlyHistory {
    var nights = NightlyHistory(rule: rule)
    for index in 0..<30 + slow.count {
      let late = index - 30
      let app = launches(slow: late < 0 ? (index % 5 == 0 ? 1 : 0) : slow[late], night: index)
      let control = control.map { launches(slow: late < 0 ? 0 : $0[late], night: index) }
      nights.add(
        launches: [NightlyHistory.target: app]
          .merging(control.map { [Arm.controlTarget: $0] } ?? [:]) { $1 }
      )
    }
    return nights
  }

  private func judgement(_ nights: NightlyHistory) throws -> SeriesJudgement {
    try #require(
      nights.verdicts.judgements.first { $0.chain.key == NightlyHistory.key("app", .slowShare) }
    )
  }

  @Test func `suspects more slow launches the same night`() throws {
    let judgement = try judgement(Self.nights(then: [5]))
    #expect(judgement.tonight?.median == 25)
    #expect(judgement.isSuspicious)
    #expect(judgement.suspicion?.direction == .worse)
    #expect(judgement.discovery == nil)
    #expect(judgement.baseline.map { abs($0.median - 1) < 0.2 } == true)
    #expect(judgement.criteria.first { $0.id == CriterionID.slowTonight }?.isMet == true)
    #expect(try !self.judgement(Self.nights(then: [1])).isSuspicious)
    #expect(try !self.judgement(Self.nights(then: [0])).isSuspicious)
  }

  @Test func `takes three nights together`() throws {
    #expect(try !judgement(Self.nights(then: [1, 1])).isSuspicious)
    let judgement = try judgement(Self.nights(then: [2, 1, 2]))
    #expect(judgement.suspicion?.isTwoOfThree == true)
    #expect(judgement.isSuspicious)
  }

  @Test func `counts launches that never came`() throws {
    var nights = Self.nights(then: [])
    nights.add(launches: [
      "app": Self.launches().dropLast(4) + Array(repeating: SeriesPoint.never, count: 4)
    ])
    let judgement = try judgement(nights)
    #expect(judgement.tonight?.median == 20)
    #expect(judgement.isSuspicious)
  }

  @Test func `is the code where the same night's comparison finds it`() throws {
    var nights = Self.nights(then: [5])
    let requests = nights.conclude(.regression)
    #expect(requests.map(\.series) == [[NightlyHistory.key("app", .slowShare)]])
    let alert = try #require(nights.alerts.first)
    #expect(alert.state == .confirmed)
    #expect(alert.cause == .code)
    #expect(alert.isRed)
    let sentence = AlertSentence(alert, nights: nights.nights)
    #expect(sentence.subject == "app warm")
    #expect(sentence.change == "has more slow launches: 25 % instead of 1 %")
  }

  @Test func `is no code where the comparison finds none`() throws {
    var nights = Self.nights(then: [5])
    nights.conclude(.same)
    #expect(nights.alerts.map(\.state) == [.refuted])
    var open = Self.nights(then: [5])
    open.conclude { _ in .impossible(reason: "the build is gone") }
    #expect(open.alerts.map(\.state) == [.suspected])
    for _ in 0..<3 {
      open.add(launches: ["app": Self.launches()])
      open.conclude { _ in .impossible(reason: "the build is gone") }
    }
    #expect(open.alerts.map(\.state) == [.refuted])
  }

  @Test func `is the machine where the control has more slow launches as well`() throws {
    var nights = Self.nights(then: [5, 5], control: [5, 4])
    nights.conclude { _ in .impossible(reason: "the build is gone") }
    let alert = try #require(nights.alerts.first)
    #expect(alert.state == .confirmed)
    #expect(alert.cause == .machine)
    var calm = Self.nights(then: [5, 5], control: [0, 0])
    calm.conclude { _ in .impossible(reason: "the build is gone") }
    #expect(calm.alerts.map(\.state) == [.suspected])
  }

  @Test func `leaves the suspicions of other series as they were`() throws {
    func history(_ slow: Bool) -> NightlyHistory {
      var nights = NightlyHistory(rule: Self.rule)
      for index in 0..<31 {
        nights.add(launches: slow ? ["app": Self.launches(slow: index == 30 ? 8 : 0)] : [:])
        let key = NightlyHistory.key("app", .launch)
        if nights.values[key] == nil { nights.order.append(key) }
        let median = index == 30 ? 413 : 400 + [0, 8, -8, 4, -4][index % 5] as Double
        nights.values[key, default: []].append((index, median * 1e6))
      }
      return nights
    }
    func launch(_ nights: NightlyHistory) throws -> SeriesJudgement {
      try #require(nights.verdicts.judgements.first { $0.chain.key.metric == .launch })
    }
    #expect(try launch(history(true)).criteria == launch(history(false)).criteria)
  }

  // MARK: - Budgets

  private func budget(_ slow: [Int], trees: (Int) -> String) throws -> BudgetCheck {
    var nights = NightlyHistory(rule: RegressionRule(metrics: [.launch]))
    nights.scenario.budgets = [
      Budget(
        target: "app",
        state: .warm,
        metric: .slowShare,
        maximum: 10,
        over: Nanoseconds(500_000_000)
      )
    ]
    for (index, slow) in slow.enumerated() {
      nights.add(launches: ["app": Self.launches(slow: slow)], tree: trees(index))
    }
    return try #require(
      BudgetCheck.checks(
        of: nights.scenario,
        trends: nights.verdicts.trends,
        nights: nights.nights
      ).first
    )
  }

  @Test func `keeps and breaks a budget over nights together`() throws {
    let one = { (_: Int) in "one" }
    #expect(try budget([0], trees: one).outcome == .undecided)
    let kept = try budget(Array(repeating: 0, count: 6) + [1], trees: one)
    #expect(kept.outcome == .kept)
    #expect(kept.median.map { abs($0 - 100 / 140) < 1e-9 } == true)
    #expect(try budget([2, 2, 2, 2, 2, 2, 2], trees: one).outcome == .undecided)
    #expect(try budget([4, 4, 4, 4, 4, 4, 4], trees: one).outcome == .broken)
    #expect(try budget([8], trees: one).outcome == .broken)
  }

  @Test func `keeps no budget by older builds, and breaks none`() throws {
    let own = { (night: Int) in "tree-\(night)" }
    #expect(try budget([0, 0, 0, 0, 0, 0, 0], trees: own).outcome == .kept)
    #expect(try budget([0, 0, 0, 0, 0, 0, 3], trees: own).outcome == .undecided)
    #expect(try budget([6, 6, 6, 6, 6, 6, 0], trees: own).outcome == .undecided)
  }
}

/// How often the count of slow launches is suspicious, on the noises of `Tests/CALIBRATION.md`.
@Suite struct SlowLaunchesCalibrationTests {
  struct Noise: Sendable, CustomTestStringConvertible {
    var name: String
    var scatter = 0.05
    var outliers = 0.0
    var modes = false
    var bursts = false
    var badNights = false

    /// New suspicions in a month without a change at most, and the least share found in three nights.
    var most: Double
    var found: Double
    var testDescription: String { name }

    func night(
      _ generator: inout SeededGenerator,
      slow: Double = 0
    ) -> [Double] {
      let level = 400e6 * exp(0.015 * generator.nextGauss())
      var times = (0..<20).map { _ in level * exp(scatter * generator.nextGauss()) }
      let isBad = badNights && generator.nextUniform() < 0.05
      for index in times.indices {
        if generator.nextUniform() < outliers { times[index] *= 2 + 2 * generator.nextUniform() }
        if modes, generator.nextUniform() < 0.4 { times[index] *= 1.2 }
        if isBad, generator.nextUniform() < 0.25 { times[index] *= 1.5 }
        if generator.nextUniform() < slow { times[index] *= 1.5 }
      }
      if bursts, generator.nextUniform() < 0.33 {
        let first = Int(generator.next() % 20)
        let count = 3 + Int(generator.next() % 6)
        let factor = 1.2 + 0.8 * generator.nextUniform()
        for index in first..<min(20, first + count) { times[index] *= factor }
      }
      return times
    }
  }

  /// The study that chose the rule found at most 0.26, 0.27 and 0.62 a month, and 99, 98, 72, 48, 86, 11
  /// and 45 %; chance adds up to three standard deviations of 40 series.
  static let noises = [
    Noise(name: "quiet", scatter: 0.02, most: 0.08, found: 0.92),
    Noise(name: "normal", most: 0.08, found: 0.9),
    Noise(name: "3 % outliers", outliers: 0.03, most: 0.5, found: 0.5),
    Noise(name: "8 % outliers", outliers: 0.08, most: 0.5, found: 0.25),
    Noise(name: "modes", modes: true, most: 0.08, found: 0.68),
    Noise(name: "bursts", bursts: true, most: 0.52, found: 0),
    Noise(name: "bad nights", badNights: true, most: 1, found: 0.2),
  ]

  /// Whether each of the nights after the first 31 is suspicious.
  private static func suspicions(
    _ noise: Noise,
    nights: Int,
    slow: Double,
    seed: UInt64
  ) throws -> [Bool] {
    var generator = SeededGenerator(seed: seed)
    var history = NightlyHistory(rule: RegressionRule(metrics: [.slowShare]))
    for night in 0..<31 + nights {
      history.add(launches: ["app": noise.night(&generator, slow: night < 31 ? 0 : slow)])
    }
    let chain = try #require(history.verdicts.judgements.first).chain
    return (31..<31 + nights).map { night in
      SeriesJudgement(chain, at: night, rule: history.scenario.regressionRule).isSuspicious
    }
  }

  @Test(arguments: noises)
  func `suspects seldom without a change, and finds 10 % slow launches`(noise: Noise) throws {
    var alarms = 0
    var found = 0
    for series in 0..<40 {
      let seed = UInt64(4_801 + series)
      let calm = try Self.suspicions(noise, nights: 30, slow: 0, seed: seed)
      alarms += zip([false] + calm, calm).count { !$0 && $1 }
      let changed = try Self.suspicions(noise, nights: 3, slow: 0.1, seed: seed &+ 1_000)
      if changed.contains(true) { found += 1 }
    }
    print("\(noise.name): \(Double(alarms) / 40) suspicions a month, found \(found) of 40")
    #expect(Double(alarms) / 40 <= noise.most)
    #expect(Double(found) / 40 >= noise.found)
  }
}
