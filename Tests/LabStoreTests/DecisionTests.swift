import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore

/// Runs that somebody took out of history.
@Suite struct DecisionTests {
  private static let id = "20261121T043000Z-3fa2"

  private func decision(_ standing: RunDecision.Standing, _ reason: String = "") -> RunDecision {
    RunDecision(at: Sample.start, person: "ann", standing: standing, reason: reason)
  }

  /// A store with two nights that have summaries, noise and an artifact.
  private func store() throws -> Store {
    let store = try Store.inMemory()
    try store.fill(Sample.run(), with: [Sample.fullLaunch(block: 0)])
    try store.fill(Sample.run("other", secondsLater: 60), with: [Sample.launch(block: 0)])
    try store.saveNoise([Sample.noise()])
    for run in [Self.id, "other"] {
      try store.execute("UPDATE run SET status = 'complete' WHERE id = '\(run)'")
    }
    return store
  }

  @Test(arguments: [RunDecision.Standing.excluded, .removed])
  func `leaves a run out of what is concluded from, until it is included`(
    standing: RunDecision.Standing
  ) throws {
    let store = try store()
    let series = try store.series(scenario: "redis", metrics: Metric.allCases)
    try store.decide(decision(standing, "a backup ran"), on: Self.id)

    #expect(try store.nights(scenario: "redis").map(\.run) == ["other"])
    #expect(try store.nights(scenario: "redis", includesLeftOut: true).count == 2)
    let points = try store.series(scenario: "redis", metrics: Metric.allCases).flatMap(\.points)
    #expect(!points.contains { $0.run == Self.id })
    #expect(
      try store.series(scenario: "redis", metrics: Metric.allCases, includesLeftOut: true)
        == series
    )
    var exported: [String] = []
    try store.forEachNightRow { exported.append($0.summary.run) }
    #expect(!exported.contains(Self.id))
    #expect(try store.noise().isEmpty)
    let gone = try #require(try store.leftOutRuns(scenario: "redis").first)
    #expect(gone.run == Self.id)
    #expect(gone.decision == decision(standing, "a backup ran"))

    try store.decide(decision(.included), on: Self.id)
    #expect(try store.leftOutRuns().isEmpty)
    #expect(try store.series(scenario: "redis", metrics: Metric.allCases) == series)
    #expect(try store.noise().count == 1)
    #expect(
      try store.strings("SELECT standing FROM run_decision") == [standing.rawValue, "included"]
    )
  }

  @Test func `lists an excluded run, and a removed one only when that is asked for`() throws {
    let store = try store()
    try store.decide(decision(.excluded, "x"), on: Self.id)
    #expect(try store.runs().map(\.decision) == [nil, decision(.excluded, "x")])
    try store.decide(decision(.removed, "y"), on: Self.id)
    #expect(try store.runs().map(\.id) == ["other"])
    #expect(try store.runIDs().map(\.id) == ["other"])
    #expect(
      try store.runs(includesRemoved: true).map(\.decision) == [nil, decision(.removed, "y")]
    )
    #expect(throws: StoreError.unknownRun(text: "2026")) { try store.run("2026") }
    #expect(try store.run(Self.id).id == Self.id)
    #expect(try store.launches(of: Self.id).count == 1)
  }

  @Test func `has no history where every run is left out`() throws {
    let store = try store()
    try store.decide(decision(.excluded, "x"), on: Self.id)
    try store.decide(decision(.excluded, "x"), on: "other")
    #expect(try store.scenarios().isEmpty)
  }
}
