import Foundation
import Testing

@testable import History
@testable import LaunchCore

@Suite struct PendingNoticesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var events: [AlertEvent]

    /// Per event that a delivery was tried of, whether it failed.
    var tried: [(event: Int, hasFailed: Bool)] = []
    var told: [Int]
  }

  private static let event = SampleNight.event

  static let cases = [
    Case(
      testDescription: "a suspicion that could not be settled",
      events: [event(.suspected, 3, .unknown)],
      told: [0]
    ),
    Case(
      testDescription: "a suspicion that was settled the same night",
      events: [event(.suspected, 3, .unknown), event(.confirmed, 3, .code)],
      told: [1]
    ),
    Case(
      testDescription: "a suspicion that was refuted",
      events: [event(.suspected, 3, .unknown), event(.refuted, 3, .unknown)],
      told: []
    ),
    Case(
      testDescription: "another night of the same suspicion",
      events: [event(.suspected, 2, .unknown), event(.suspected, 3, .unknown)],
      tried: [(0, false)],
      told: []
    ),
    Case(
      testDescription: "a suspicion that could not be told, and stays",
      events: [event(.suspected, 1, .unknown), event(.suspected, 3, .unknown)],
      tried: [(0, true)],
      told: [0]
    ),
    Case(
      testDescription: "a cause that was found later",
      events: [event(.confirmed, 2, .unknown), event(.confirmed, 3, .machine)],
      tried: [(0, false)],
      told: [1]
    ),
    Case(
      testDescription: "every way to end",
      events: [
        event(.confirmed, 3, .code), event(.acknowledged, 3, .code), event(.fixed, 3, .code),
        event(.recovered, 3, .code),
      ],
      told: [0, 1, 2, 3]
    ),
    Case(
      testDescription: "what was told",
      events: [event(.confirmed, 3, .code)],
      tried: [(0, true), (0, false)],
      told: []
    ),
    Case(
      testDescription: "what could not be told, however long ago",
      events: [event(.confirmed, -90, .code)],
      tried: [(0, true), (0, true)],
      told: [0]
    ),
    Case(
      testDescription: "what happened before somebody was named",
      events: [event(.confirmed, -90, .code), event(.recovered, 3, .code)],
      told: [1]
    ),
    Case(
      testDescription: "what a person did between two nights",
      events: [event(.confirmed, 1, .code), event(.acknowledged, 2.5, .code)],
      tried: [(0, false)],
      told: [1]
    ),
  ]

  @Test(arguments: cases)
  func `tells each change once`(example: Case) {
    let deliveries = example.tried.map { tried in
      Delivery(
        alert: 1,
        event: tried.event,
        notifier: "n",
        at: SampleNight.evening,
        failure: tried.hasFailed ? "no" : nil
      )
    }
    let pending = PendingNotices(
      deliveries: deliveries,
      since: SampleNight.evening.addingTimeInterval(2 * 86_400)
    )
    let told = pending.events(of: [SampleNight.alert(events: example.events)])
    #expect(told.map(\.event) == example.told)
  }
}
