import Foundation
import LabTestSupport

@testable import History
@testable import LaunchCore
@testable import LaunchStore

/// A scenario with a history and one alert.
enum SampleNight {
  static let evening = Date(timeIntervalSince1970: 1_795_226_400)

  static func scenario(_ notifiers: [Notifier] = [], directory: String = "/") -> Scenario {
    let server = Target(name: "server", command: ["/bin/true"], directory: directory)
    var scenario = Scenario.sample("redis", [server], launches: 20, in: directory)
    scenario.notifiers = notifiers
    return scenario
  }

  static func run(_ day: Int, in scenario: Scenario) -> RunRecord {
    let digits = "2026110\(day)".suffix(8)
    let start = evening.addingTimeInterval(Double(day) * 86_400)
    let arms = [Arm(target: "server", state: .warm)]
    var run = RunRecord.sample(
      scenario,
      id: "\(digits)T020000Z-3fa2",
      at: start,
      arms: arms,
      fingerprint: "c0ffee"
    )
    run.finishedAt = start + 60
    return run
  }

  /// A store with the runs of three nights.
  static func store(
    in directory: String,
    named name: String = "store.sqlite",
    _ scenario: Scenario
  ) throws -> Store {
    let store = try Store(path: "\(directory)/\(name)", mode: .readWrite)
    for day in 1...3 {
      try store.begin(run(day, in: scenario))
        .finish(status: .complete, at: run(day, in: scenario).startedAt)
    }
    return store
  }

  static func summary(of scenario: Scenario, missed: [MissedNight] = []) -> TrendSummary {
    let nights = (1...3).map { day in
      let run = run(day, in: scenario)
      return Night(run: run.id, startedAt: run.startedAt, fingerprint: "c0ffee")
    }
    return TrendSummary(
      scenario: scenario,
      tonight: nights[2],
      nights: nights,
      missed: missed,
      series: [],
      run: run(3, in: scenario),
      launches: 20
    )
  }

  static func event(
    _ state: Alert.State,
    day: Double = 3,
    cause: Alert.Cause = .unknown
  ) -> AlertEvent {
    AlertEvent(
      at: evening.addingTimeInterval(day * 86_400 + 30),
      run: nil,
      state: state,
      cause: cause,
      reason: "the reason"
    )
  }

  static func alert(_ number: Int = 1, events: [AlertEvent]) -> Alert {
    Alert(
      number: number,
      kind: .step,
      series: SeriesKey.sample("redis", "server", "c0ffee"),
      direction: .worse,
      state: events.last?.state ?? .suspected,
      cause: events.last?.cause ?? .unknown,
      onset: "20261103T020000Z-3fa2",
      lastGood: "20261102T020000Z-3fa2",
      before: 41_200_000,
      after: 46_300_000,
      events: events
    )
  }
}
