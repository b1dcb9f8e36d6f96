import Foundation
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite struct SeriesTests {
  /// Stores nights, one day after the other, each with one value of `launch` of the arm `warm`.
  private func store(_ nights: [(id: String, median: Double)]) throws -> Store {
    let store = try Store.inMemory()
    for (day, night) in nights.enumerated() {
      let run = Sample.run(night.id, secondsLater: Double(day) * 86_400)
      try store.addNight(run, [Sample.row(of: run, median: night.median)])
    }
    return store
  }

  @Test func `gives back the stored summary of every night, the oldest first`() throws {
    let store = try store([("b", 2.5), ("a", 0.1 + 0.2)])
    let series = try store.series(scenario: "redis", metrics: [.launch])
    #expect(series.map(\.key) == [Sample.series])
    let points = [("b", 0.0, 2.5), ("a", 86_400, 0.1 + 0.2)].map { id, seconds, median in
      SeriesPoint(
        run: id,
        startedAt: Sample.start.addingTimeInterval(seconds),
        n: 40,
        median: median,
        medianAbsoluteDeviation: 1.5,
        intervalLow: median - 1,
        intervalHigh: median + 1
      )
    }
    #expect(series.map(\.points) == [points])
  }

  @Test(arguments: ["9e307", "-9e307", "9e999", "-1e39"])
  func `a value that nothing measured can have is an error of the store`(value: String) throws {
    let store = try store([("a", 1), ("b", 2)])
    try store.execute("UPDATE summary SET median = \(value), min = -9e999, max = 9e999")
    #expect(throws: StoreError.self) {
      try store.series(scenario: "redis", metrics: [.launch])
    }
    #expect(throws: StoreError.self) { try store.summaries() }
    #expect(throws: StoreError.self) { try store.forEachNightRow { _ in } }
  }

  /// The days of nights of a host that two equal machines share, by who ran them; `-` tells no machine.
  @Test(arguments: [
    (hosts: "----", of: nil, line: "0123"), (hosts: "--aa", of: "a", line: "0123"),
    (hosts: "abab", of: "b", line: "013"), (hosts: "--ab-ab", of: "a", line: "0125"),
    (hosts: "--ab-ab", of: "b", line: "01236"), (hosts: "aaaa", of: "b", line: ""),
    (hosts: "a-a-", of: nil, line: "013"),
  ])
  func `reads what can be in one line with a night of a host`(
    _ hosts: String,
    of host: String?,
    line: String
  ) throws {
    let store = try Store.inMemory()
    for (day, name) in hosts.enumerated() {
      var run = Sample.run("\(day)", secondsLater: Double(day) * 86_400)
      run.host.identity = name == "-" ? nil : String(name)
      try store.addNight(run, [Sample.row(of: run, median: 1)])
    }
    let choice = NightChoice.host(identity: host)
    let points = try store.series(scenario: "redis", metrics: [.launch], of: choice)
      .flatMap(\.points)
    #expect(points.map(\.run).joined() == line)
    let nights = try store.nights(scenario: "redis", choice)
    #expect(nights.map(\.run).joined() == line)
    #expect(try store.nights(scenario: "redis", .newest).map(\.run) == ["\(hosts.count - 1)"])
    #expect(try store.nights(scenario: "redis", .beginning("2")).map(\.run) == ["2"])
  }

  @Test(arguments: RunRecord.Purpose.allCases)
  func `reads runs that are nights only`(purpose: RunRecord.Purpose) throws {
    let store = try store([("night", 1)])
    var other = Sample.run("other", secondsLater: 1)
    other.purpose = purpose
    try store.addNight(other, [Sample.row(of: other, median: 2)])
    let isNight = purpose == .night || purpose == .imported
    let series = try store.series(scenario: "redis", metrics: [.launch])
    #expect(series.flatMap(\.points).map(\.run) == (isNight ? ["night", "other"] : ["night"]))
    #expect(try store.nights(scenario: "redis").map(\.run).contains("other") == isNight)
    #expect(try store.run("other").purpose == purpose)
    #expect(try store.runs().first?.purpose == purpose)
  }

  @Test(arguments: [RunRecord.Status.failed, .interrupted])
  func `leaves out runs that were not completed, which stay nights`(
    status: RunRecord.Status
  ) throws {
    let store = try store([("a", 1)])
    var failed = Sample.run("b", secondsLater: 1)
    failed.status = status
    try store.addNight(failed, [Sample.row(of: failed, median: 2)])
    let series = try store.series(scenario: "redis", metrics: [.launch])
    #expect(series.flatMap(\.points).map(\.run) == ["a"])
    #expect(try store.nights(scenario: "redis").map(\.status) == [.complete, status])
  }

  @Test func `reads the launches of nights for the share of slow ones`() throws {
    // Given a night with launches of each sort, and one of which no launch was ready
    let store = try Store.inMemory()
    func add(_ id: String, _ launches: [LaunchRecord], day: Double) throws {
      var run = Sample.run(id, secondsLater: day * 86_400)
      run.status = .complete
      let rows = [Sample.row(of: run, median: 2.6e6)]
      try store.add([FinishedRun(run: run, launches: launches, summaries: rows)])
    }
    var late = Sample.launch(block: 2, arm: 1)
    late.result = LaunchResult(outcome: .timedOut)
    var cold = Sample.launch(block: 3, arm: 1)
    cold.stateReached = .notReached(reason: "cold")
    var disturbed = Sample.launch(block: 4, arm: 1)
    disturbed.result.disturbances = [Disturbance(kind: .steal, amount: 2, limit: 1)]
    let good = [0, 1].map { Sample.launch(block: $0, arm: 1) }
    try add("a", good + [late, cold, disturbed, Sample.launch(block: 5, arm: 2)], day: 0)
    try add("b", [late], day: 1)

    // When they are read
    let series = try store.series(scenario: "redis", metrics: [.launch, .slowShare])

    // Then launches count as in the summaries, and those that never became ready as well
    #expect(series.map(\.key.metric) == [.launch, .slowShare])
    let point = try #require(series.last?.points.first)
    #expect(series.last?.points.count == 1)
    #expect(point.run == "a")
    #expect(point.n == 3)
    #expect(point.launches == [2_600_000, 2_600_001, SeriesPoint.never])
  }

  @Test func `leaves out other scenarios, metrics and kinds of arms`() throws {
    let store = try store([("a", 1)])
    let run = Sample.run("b", secondsLater: 1)
    try store.addNight(
      run,
      [
        Sample.row(of: run, arm: Sample.arms[2], median: 7),
        Sample.row(of: run, metric: .spawn, median: 8),
      ]
    )
    let other = Sample.run("c", scenario: "nginx", secondsLater: 2)
    try store.addNight(other, [Sample.row(of: other, median: 9)])
    let series = try store.series(scenario: "redis", metrics: [.launch, .peakRSS])
    #expect(series.flatMap(\.points).map(\.median) == [1])
    #expect(try store.series(scenario: "redis", metrics: []).isEmpty)
    #expect(try store.series(scenario: "none", metrics: [.launch]).isEmpty)
  }

  @Test func `orders series as the newest night, then hosts from the newest on`() throws {
    // Given an old night on another host, with an arm and a metric that the newest lacks
    let store = try Store.inMemory()
    var old = Sample.run("old")
    old.host.fingerprint = "0ld"
    old.plan.arms = [Arm(target: "gone", state: .warm), Sample.arms[1], Sample.arms[0]]
    try store.addNight(
      old,
      old.plan.arms.flatMap { arm in
        [Metric.launch, .peakRSS].map { Sample.row(of: old, arm: arm, metric: $0, median: 1) }
      }
    )
    let new = Sample.run("new", secondsLater: 1)
    try store.addNight(new, Sample.arms[..<2].map { Sample.row(of: new, arm: $0, median: 2) })

    // When the series are read, peak_rss first
    let series = try store.series(scenario: "redis", metrics: [.peakRSS, .launch])

    // Then
    let names = series.map(\.key).map {
      "\($0.target) \($0.state.rawValue) \($0.metric.rawValue) \($0.fingerprint)"
    }
    #expect(
      names == [
        "server reboot-cold peak_rss 0ld", "server reboot-cold launch c0ffee",
        "server reboot-cold launch 0ld", "server warm peak_rss 0ld",
        "server warm launch c0ffee", "server warm launch 0ld", "gone warm peak_rss 0ld",
        "gone warm launch 0ld",
      ]
    )
  }
}
