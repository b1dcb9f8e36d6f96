import Foundation
import Testing

/// False alarms and delays of the two stages together, on nights of known truth.
@Suite struct NightCalibrationTests {
  /// What came of many series of one shape.
  struct Tally {
    var series = 0
    var months = 0.0
    var suspicions = 0
    var comparisons = 0
    var unsettled = 0
    var falseCode = 0
    var falseMachine = 0
    var delays: [Int?] = []

    mutating func add(_ replay: NightlyReplay, hasStep: Bool) {
      series += 1
      months += Double(replay.judged) / 30
      suspicions += replay.suspicions
      comparisons += replay.comparisons
      unsettled += replay.unsettled
      falseCode += replay.falseCode
      falseMachine += replay.falseMachine
      if hasStep { delays.append(replay.delay) }
    }

    var found: Double {
      Double(delays.count { ($0 ?? .max) < 3 }) / Double(max(1, delays.count))
    }

    var line: String {
      func perMonth(_ count: Int) -> String { String(format: "%6.3f", Double(count) / months) }
      let known = delays.compactMap(\.self).sorted()
      let delay = known.isEmpty ? "-" : "\(known[known.count / 2])"
      return "series \(series) months \(String(format: "%.0f", months))"
        + " | suspicions/month \(perMonth(suspicions))"
        + " | unsettled nights/month \(perMonth(unsettled))"
        + " | false code/month \(perMonth(falseCode)) machine \(perMonth(falseMachine))"
        + " | within 3 nights \(String(format: "%3.0f", 100 * found)) % median delay \(delay)"
        + " never \(delays.count { $0 == nil })"
    }
  }

  static func tally(_ noise: NightNoise, series: Int, seed: UInt64) -> Tally {
    var tally = Tally()
    for number in 0..<series {
      let own = seed &* 1_000_003 &+ UInt64(number) &* 7_919
      let night = 40 + number % 20
      let values = noise.nights(night + 6, step: 0.05, at: night, seed: own)
      let replay = NightlyReplay(values, step: (night, 1.05), seed: own &+ 1)
      tally.add(replay, hasStep: true)
    }
    return tally
  }

  /// Of each shape, gone through once for all tests.
  static let tallies = Dictionary(
    uniqueKeysWithValues: NightNoise.allCases.map { noise in
      (noise, tally(noise, series: 40, seed: 1_109))
    }
  )

  @Test(arguments: NightNoise.allCases)
  func `alarms rarely without a change and finds most steps of 5 %`(noise: NightNoise) throws {
    let tally = try #require(Self.tallies[noise])
    print("\(noise.rawValue): \(tally.line)")
    #expect(Double(tally.falseCode + tally.falseMachine) / tally.months <= 0.05)
    #expect(tally.found >= 0.9)
  }

  @Test func `finds 5 % within three nights in 9 of 10 series`() {
    let delays = Self.tallies.values.flatMap(\.delays)
    let found = delays.count { ($0 ?? .max) < 3 }
    #expect(delays.count == 400)
    #expect(20 * found >= 19 * delays.count)
  }

  /// What became of confirmed steps: how many nights after the step their alerts ended.
  static func ends(
    _ noise: NightNoise,
    step: Double,
    repair: Int = .max,
    comparesEnds: Bool
  ) -> [Int?] {
    (0..<30).compactMap { number in
      let seed = 2_203 &* 1_000_003 &+ UInt64(number) &* 7_919 &+ UInt64(step * 1_000)
      var values = noise.nights(85, step: step, at: 40, seed: seed)
      for night in values.indices where night >= repair { values[night] /= 1 + step }
      let replay = NightlyReplay(
        values,
        step: (40, 1 + step),
        repair: repair,
        comparesEnds: comparesEnds,
        seed: seed &+ 1
      )
      return replay.delay == nil ? nil : .some(replay.end)
    }
  }

  @Test(arguments: [true, false])
  func `a regression that nobody fixed does not end`(comparesEnds: Bool) {
    var confirmed = 0
    var ended = 0
    for noise in NightNoise.allCases {
      for step in [0.03, 0.05] {
        let ends = Self.ends(noise, step: step, comparesEnds: comparesEnds)
        confirmed += ends.count
        ended += ends.count { $0 != nil }
        print(
          "\(noise) +\(step) unfixed: \(ends.count) confirmed, \(ends.count { $0 != nil }) ended"
        )
      }
    }
    #expect(confirmed >= 200)
    #expect(50 * ended <= confirmed)
  }

  @Test(arguments: [true, false])
  func `a regression that was fixed ends, sooner with a proof`(comparesEnds: Bool) {
    var delays: [Int] = []
    for noise in [NightNoise.gauss, .spiky, .ar1] {
      let ends = Self.ends(noise, step: 0.05, repair: 60, comparesEnds: comparesEnds)
      delays += ends.map { ($0 ?? 99) - 20 }
      print("\(noise) fixed after 20 nights, ended after \(ends.map { ($0 ?? 99) - 20 }.sorted())")
    }
    delays.sort()
    #expect(delays.count >= 60)
    #expect(delays[delays.count / 2] <= (comparesEnds ? 4 : 14))
    #expect(delays[delays.count * (comparesEnds ? 8 : 7) / 10] <= (comparesEnds ? 6 : 25))
  }

  /// The first night of the new level and its ratio, by the name of the file.
  struct Truth: Decodable {
    let share: Double
    let night: Int?

    enum CodingKeys: String, CodingKey {
      case share = "step_rel"
      case night = "change_index"
    }
  }

  @Test func `is right about the series of the fixtures`() throws {
    let folder = Bundle.module.bundleURL.appending(components: "Fixtures", "synthetic_launch")
    let data = try Data(contentsOf: folder.appending(component: "truth.json"))
    let truths = try JSONDecoder().decode([String: Truth].self, from: data)
    var tally = Tally()
    for (name, truth) in truths.sorted(by: { $0.key < $1.key })
    where truth.share == 0 || truth.share == 0.05 {
      let text = try String(contentsOf: folder.appending(component: name), encoding: .utf8)
      let values = text.split(separator: "\n").dropFirst().compactMap { line in
        line.split(separator: ",").last.flatMap { Double($0) }
      }
      let step = truth.night.map { (night: $0, ratio: 1 + truth.share) }
      let last = step.map { $0.night + 6 } ?? values.count
      tally.add(NightlyReplay(Array(values[..<last]), step: step, seed: 77), hasStep: step != nil)
    }
    print("fixtures: \(tally.line)")
    #expect(tally.series == 20)
    #expect(Double(tally.falseCode + tally.falseMachine) / tally.months <= 0.05)
    #expect(tally.found >= 0.8)
  }
}
