import Foundation
import LaunchStatistics
import Testing

@testable import History
@testable import LaunchCore

/// The alerts of imported nights over generated histories, whose changes are known.
@Suite struct ImportedLevelsTests {
  /// A history of `LabStatisticsTests/Fixtures/levels`.
  private struct History: Decodable {
    let shape: String
    let kind: String
    let changes: [Int]
    let values: [Double]
  }

  private static func histories() throws -> [History] {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = tests.appending(path: "LabStatisticsTests/Fixtures/levels/histories.json")
    return try JSONDecoder().decode([History].self, from: Data(contentsOf: path))
  }

  /// Every fourth history, night by night as if each had been imported on its day.
  @Test func `a level that is confirmed by its nights is seldom none`() throws {
    var nights = 0
    var (confirmed, wrong, ended) = (0, 0, 0)
    for (place, history) in try Self.histories().enumerated() where place % 4 == 1 {
      var imported = NightlyHistory()
      imported.isImported = true
      let values = history.values.map { $0 / 100 }
      imported.add(Array(values.prefix(20)))
      imported.addConcluded(Array(values.dropFirst(20)))
      nights += history.values.count
      for alert in imported.alerts where alert.events.contains(where: { $0.state == .confirmed }) {
        let onset = try #require(imported.nights.firstIndex { $0.run == alert.onset })
        let isReal = history.changes.contains { abs($0 - onset) <= 7 }
        confirmed += 1
        if !isReal { wrong += 1 }
        if isReal, history.kind == "steps", !alert.isOpen { ended += 1 }
      }
    }
    let falsePerMonth = 30 * Double(wrong) / Double(nights)
    print("confirmed \(confirmed), wrong \(wrong), \(falsePerMonth) a month, ended \(ended)")
    #expect(nights == 16_800)
    #expect(confirmed >= 50)
    #expect(falsePerMonth <= 0.02)
  }

  private static let quiet = (0..<20).map { 412 + Double(($0 * 7) % 5) }

  @Test func `a worse level is suspected, confirmed after a week, and red until it ends`() throws {
    var nights = NightlyHistory()
    nights.isImported = true
    nights.addConcluded(Self.quiet)
    #expect(nights.alerts.isEmpty)
    nights.addConcluded(Self.quiet.prefix(4).map { $0 * 1.1 })
    let suspected = try #require(nights.alerts.first)
    #expect(suspected.state == .suspected && suspected.direction == .worse)
    #expect(suspected.onset == NightlyHistory.run(20))
    #expect(suspected.lastGood == NightlyHistory.run(19))
    nights.addConcluded(Self.quiet.prefix(4).map { $0 * 1.1 })
    let confirmed = try #require(nights.alerts.first)
    #expect(confirmed.state == .confirmed && confirmed.cause == .unknown && confirmed.isRed)
    #expect(confirmed.events.last?.criteria.last?.id == CriterionID.levelLasts)
    // A month later it is still red.
    nights.addConcluded(Self.quiet.map { $0 * 1.1 } + Self.quiet.map { $0 * 1.1 })
    #expect(nights.alerts.map(\.state) == [.confirmed])
    nights.addConcluded(Self.quiet.prefix(8).map(\.self))
    #expect(nights.alerts.map(\.state) == [.recovered])
  }

  @Test func `a level that somebody called a false alarm is not told again`() throws {
    var nights = NightlyHistory()
    nights.isImported = true
    nights.addConcluded(Self.quiet + Self.quiet.prefix(4).map { $0 * 1.1 })
    #expect(nights.alerts.map(\.state) == [.suspected])
    nights.alerts[0].state = .refuted
    nights.alerts[0].events.append(
      AlertEvent(
        at: NightlyHistory.date(24),
        person: "eve",
        state: .refuted,
        cause: .unknown,
        reason: "another runner"
      )
    )
    nights.addConcluded(Self.quiet.prefix(10).map { $0 * 1.1 })
    #expect(nights.alerts.map(\.state) == [.refuted])
  }
}

extension ImportedLevelsTests {
  /// Nights around a level, with a scatter of half a per cent.
  private static func nights(_ level: Double, _ count: Int) -> [Double] {
    (0..<count).map { night -> Double in
      let scatter = Double((night * 7) % 5 - 2)
      return level * (1 + 0.0025 * scatter)
    }
  }

  private static func imported(_ medians: [Double]) -> NightlyHistory {
    var nights = NightlyHistory()
    nights.isImported = true
    nights.add(Array(medians.dropLast()))
    nights.addConcluded(Array(medians.suffix(1)))
    return nights
  }

  @Test(arguments: [5, 6, 8, 12, 17, 20, 40], [3, 4, 7, 12, 13, 28])
  func `a great step is an alert from its third night on, and confirmed within a week`(
    before: Int,
    after: Int
  ) throws {
    for factor in [1.1, 2, 100] {
      let values = Self.nights(10, before) + Self.nights(10 * factor, after)
      let nights = Self.imported(values)
      #expect(nights.alerts.count == 1)
      let alert = try #require(nights.alerts.first)
      #expect(alert.onset == NightlyHistory.run(before))
      #expect(alert.lastGood == NightlyHistory.run(before - 1))
      #expect(alert.state == (after < 7 ? .suspected : .confirmed))
      #expect(abs(alert.after / alert.before / factor - 1) < 0.01)
    }
  }

  @Test func `a great step of loud nights is confirmed within a week`() {
    for (before, factor) in [(5, 2.0), (12, 10), (40, 100)] {
      var generator = SeededGenerator(seed: UInt64(before))
      func night(_ level: Double) -> Double {
        level * (1 + 0.1 * (1 - 1 / factor) * generator.nextGauss())
      }
      let values = (0..<before).map { _ in night(10) } + (0..<7).map { _ in night(10 * factor) }
      var nights = NightlyHistory()
      nights.isImported = true
      nights.add(Array(values.prefix(before)))
      nights.addConcluded(Array(values[before..<before + 3]))
      #expect(nights.alerts.map(\.state) == [.suspected])
      nights.addConcluded(Array(values[(before + 3)...]))
      #expect(nights.alerts.map(\.state) == [.confirmed])
      #expect(nights.alerts.map(\.onset) == [NightlyHistory.run(before)])
    }
  }

  @Test func `a step stands while the level is worse than before it`() throws {
    let nights = Self.imported(
      Self.nights(10, 12) + Self.nights(1_000, 6) + Self.nights(950, 6)
    )
    let alert = try #require(nights.alerts.first)
    #expect(alert.onset == NightlyHistory.run(12))
    #expect(alert.before == 10e6 && alert.after > 940e6 && alert.state == .confirmed)
    let back = Self.imported(Self.nights(10, 12) + Self.nights(1_000, 6) + Self.nights(10, 6))
    #expect(back.alerts.isEmpty)
  }

  @Test func `an earlier step does not count as the scatter of a later one`() {
    var nights = NightlyHistory()
    nights.isImported = true
    nights.add(Self.nights(100, 15))
    nights.addConcluded(Self.nights(10, 13))
    #expect(nights.alerts.isEmpty)
    nights.addConcluded(Self.nights(20, 7))
    #expect(nights.alerts.map(\.state) == [.confirmed])
    nights.addConcluded(Self.nights(10, 5))
    #expect(nights.alerts.map(\.state) == [.recovered])
  }
}
