import Foundation
import Testing

@testable import History
@testable import LaunchCore
@testable import Rendering

@Suite struct ReplayReportTests {
  private static let change = ReplayedChange(
    series: SampleAlerts.key,
    run: "20261114T020000Z-0a1b",
    at: SampleAlerts.instant(14),
    direction: .worse,
    before: 41_203_000,
    after: 46_312_400
  )

  private static var missed: ReplayedChange {
    var missed = change
    missed.run = "20261120T020000Z-0a1b"
    missed.at = SampleAlerts.instant(20)
    missed.direction = .better
    missed.after = 40_000_000
    return missed
  }

  private static func alert(_ day: Int, change: String?, delay: Int?) -> ReplayedAlert {
    ReplayedAlert(
      series: SampleAlerts.key,
      run: "202611\(day)T020000Z-0a1b",
      at: SampleAlerts.instant(day),
      direction: .worse,
      change: change,
      delay: delay
    )
  }

  static let summary = ReplaySummary(
    scenario: "redis",
    since: SampleAlerts.instant(10),
    nights: 90,
    series: 2,
    seriesMonths: 6,
    changes: [change, missed],
    rules: [
      RuleReplay(
        effect: 0.02,
        alerts: [alert(15, change: change.run, delay: 1)],
        missed: [missed],
        falseAlarms: 0,
        delay: 1
      ),
      RuleReplay(
        effect: 0.05,
        alerts: [
          alert(11, change: nil, delay: nil), alert(14, change: change.run, delay: 0),
        ],
        missed: [missed],
        falseAlarms: 0.166_7,
        delay: 0
      ),
      RuleReplay(effect: 0.1, alerts: [], missed: [], falseAlarms: 0, delay: nil),
    ]
  )

  @Test func `shows limits side by side`() throws {
    let text = ReplayText(Self.summary, style: TextStyle(width: 100)).rendered()
    try SampleAlerts.expectSnapshot(text, named: "text", suite: "Replay")
  }

  @Test func `writes a replay as JSON`() throws {
    let text = ReplayJSON(Self.summary).rendered()
    try SampleAlerts.expectSnapshot(text, named: "json", suite: "Replay")
    _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  @Test func `says that there is nothing to judge`() {
    let empty = ReplaySummary(scenario: "redis", since: nil)
    let text = ReplayText(empty, style: TextStyle()).rendered()
    #expect(text == "redis: no night to judge\n")
  }
}
