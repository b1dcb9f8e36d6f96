import Foundation
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
