import Foundation

@testable import History
@testable import LaunchCore
@testable import LaunchStore

/// A scenario with a history and one alert.
enum SampleNight {
  static let evening = Date(timeIntervalSince1970: 1_795_226_400)

  static func scenario(_ notifiers: [Notifier] = [], directory: String = "/") -> Scenario {
    Scenario(
      name: "redis",
      targets: [Target(name: "server", command: ["/bin/true"], directory: directory)],
      states: [.warm],
      launches: 20,
      directory: directory,
      notifiers: notifiers
    )
  }

  static func run(_ day: Int, in scenario: Scenario) -> RunRecord {
    let digits = "2026110\(day)".suffix(8)
    return RunRecord(
      id: "\(digits)T020000Z-3fa2",
      startedAt: evening.addingTimeInterval(Double(day) * 86_400),
      finishedAt: evening.addingTimeInterval(Double(day) * 86_400 + 60),
      status: .complete,
      plan: Plan(
        scenario: scenario,
        seed: 1,
        arms: [Arm(target: "server", state: .warm)],
        blockCount: 20
      ),
      host: HostFacts(architecture: "x86_64", kernel: "6.18", fingerprint: "c0ffee"),
      tool: "1"
    )
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
      series: SeriesKey(
        scenario: "redis",
        target: "server",
        state: .warm,
        metric: .launch,
        fingerprint: "c0ffee"
      ),
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
