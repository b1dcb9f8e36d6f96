import Foundation
import LabModel
import LabStatistics
import Testing

@testable import LabAnalysis

/// False alarms and delays of the two stages together, on nights of known truth.
@Suite struct NightCalibrationTests {
  /// What came of many series of one shape.
  struct Tally {
    var series = 0
    var months = 0.0
    var suspicions = 0
    var comparisons = 0
    var falseCode = 0
    var falseMachine = 0
    var delays: [Int?] = []

    mutating func add(_ replay: NightlyReplay, hasStep: Bool) {
      series += 1
      months += Double(replay.judged) / 30
      suspicions += replay.suspicions
      comparisons += replay.comparisons
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
    #expect(tally.found >= 0.85)
  }

  @Test func `finds 5 % within three nights in 9 of 10 series`() {
    let delays = Self.tallies.values.flatMap(\.delays)
    let found = delays.count { ($0 ?? .max) < 3 }
    #expect(delays.count == 200)
    #expect(10 * found >= 9 * delays.count)
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
