import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchStore
@testable import Rendering

@Suite struct StoredVerdictTests {
  /// Stores nights of one target, one a day, with medians in milliseconds.
  private func addNights(
    of name: String,
    _ medians: [Double],
    metric: Metric = .launch,
    budgets: [Budget]? = nil,
    filmedEvery step: Int? = nil,
    to store: Store
  ) throws -> RunRecord {
    var scenario = SampleNight.scenario()
    scenario.name = name
    scenario.budgets = budgets
    let runs = medians.enumerated().map { day, median in
      let start = SampleNight.evening.addingTimeInterval(Double(day) * 86_400)
      var run = SampleNight.run(1, in: scenario)
      run.id =
        "\(start.formatted(.iso8601.year().month().day().dateSeparator(.omitted)))T020000Z-"
        + "\(name)"
      run.startedAt = start
      run.finishedAt = start + 60
      let isFilmed = step.map { (medians.count - 1 - day) % $0 == 0 } ?? false
      if step != nil { run.plan.arms.append(Arm(target: "server", state: .warm, kind: .film)) }
      let row = MetricRow.sample(
        run: run.id,
        arm: run.plan.arms[0],
        metric,
        n: 20,
        median: median * 1e6,
        interval: (0.99 * median * 1e6)...(1.01 * median * 1e6)
      )
      let films = isFilmed ? [Self.filmed(day, arm: run.plan.arms.count - 1)] : []
      return FinishedRun(run: run, launches: films, summaries: [row])
    }
    try store.add(runs)
    return try #require(runs.last?.run)
  }

  /// A launch whose film has as many milliseconds as the number.
  private static func filmed(_ number: Int, arm: Int) -> LaunchRecord {
    let time = Nanoseconds.milliseconds(Int64(number))
    var result = LaunchResult(outcome: .ready, launch: time)
    result.film = Film(frames: [Film.Frame(time: time, progress: 1, png: [1])])
    return .sample(arm: arm, result)
  }

  private func conclude(_ run: RunRecord, in store: Store) async throws {
    let at = run.startedAt + 60
    let notes = try await VerdictWorkflow(store: store, run: run).conclude(at: at) { proof, _ in
      .init(request: proof, answer: .impossible(reason: "there is no build"))
    }
    #expect(notes.count <= 1)
  }

  private let stepped = [400.0, 401, 399, 400, 402, 398, 400, 401, 399, 400, 480]

  @Test func `an alert that rests on an excluded night is judged without it`() async throws {
    // Given a suspicion that began with the last of eleven nights
    let store = try Store.inMemory()
    let bad = try addNights(of: "aaaa", stepped, to: store)
    try await conclude(bad, in: store)
    let trend = TrendWorkflow(store: store, scenario: "aaaa")
    let before = try trend.summary(of: nil)
    #expect(before.alerts.map(\.onset) == [bad.id])

    // When that night is excluded
    func decide(_ standing: RunDecision.Standing) throws {
      let decision = RunDecision(
        at: bad.startedAt,
        person: "ann",
        standing: standing,
        reason: "a backup ran"
      )
      try store.decide(decision, on: bad.id)
    }
    try decide(.excluded)

    // Then the report does without it, and says so
    let after = try trend.summary(of: nil)
    #expect(after.alerts.isEmpty)
    #expect(after.tonight.run != bad.id)
    #expect(after.notes.map(\.id) == ["alert-of-excluded-run"])
    #expect(after.notes.first?.problem == "R-1 began with run \(bad.id), which is excluded")

    // And two nights at the old level end the suspicion, as they always do
    let good = try #require(try store.summaries(run: after.tonight.run).first)
    for day in 1...2 {
      var next = bad
      next.id = "2027010\(day)T020000Z-aaaa"
      next.startedAt = bad.startedAt + Double(day) * 86_400
      var row = good
      row.run = next.id
      try store.add([FinishedRun(run: next, launches: [], summaries: [row])])
      try await conclude(next, in: store)
    }
    let ended = try store.alerts(scenario: "aaaa")
    #expect(ended.map(\.isOpen) == [false])
    #expect(ended.map(\.onset) == [bad.id], "What is stored comes back with the night.")
    #expect(ended.map(\.lastGood) == before.alerts.map(\.lastGood))
    let missed = try trend.summary(of: nil).missed
    #expect(missed.map(\.reason) == ["run \(bad.id) was excluded: a backup ran"])
  }

  @Test func `a film is shown above that of the last good night`() async throws {
    // Given nights that were filmed, but for the last but one, and a step in the last
    let store = try Store.inMemory()
    let bad = try addNights(of: "aaaa", stepped, filmedEvery: 3, to: store)
    let trend = TrendWorkflow(store: store, scenario: "aaaa")

    // When the night is told of
    let films = try trend.summary(of: nil).films

    // Then the newest film before is that of three nights before
    let day = (bad.startedAt - 3 * 86_400).utcDay
    #expect(films.map(\.title) == ["server warm"])
    #expect(films.first?.rows.map(\.name) == ["tonight", day])
    #expect(films.first?.rows.map(\.film.speedIndex) == [.milliseconds(10), .milliseconds(7)])

    // And where an alert is open, no film of a night since its last good one is shown
    try await conclude(bad, in: store)
    let alert = try #require(try trend.summary(of: nil).alerts.first)
    #expect(try #require(alert.lastGood) < bad.id)
    var later = bad
    later.id = "20270120T020000Z-aaaa"
    later.startedAt = bad.startedAt + 86_400
    try store.add([
      FinishedRun(
        run: later,
        launches: [Self.filmed(11, arm: later.plan.arms.count - 1)],
        summaries: []
      )
    ])
    let shown = try trend.summary(of: later.id).films
    #expect(shown.first?.rows.map(\.name) == ["tonight", day])
  }

  @Test func `putting a night back brings its alert back`() async throws {
    let store = try Store.inMemory()
    let bad = try addNights(of: "aaaa", stepped, to: store)
    try await conclude(bad, in: store)
    let trend = TrendWorkflow(store: store, scenario: "aaaa")
    let before = try trend.summary(of: nil)
    for standing in [RunDecision.Standing.removed, .included] {
      let decision = RunDecision(
        at: bad.startedAt,
        person: "ann",
        standing: standing,
        reason: "x"
      )
      try store.decide(decision, on: bad.id)
    }
    #expect(try trend.summary(of: nil) == before)
  }

  @Test func `a broken budget of a metric that is not judged has an alert too`() async throws {
    let store = try Store.inMemory()
    let budget = Budget(target: "server", state: .warm, metric: .userTime, maximum: 300e6)
    let run = try addNights(of: "aaaa", [400], metric: .userTime, budgets: [budget], to: store)
    try await conclude(run, in: store)
    #expect(try store.alerts(scenario: "aaaa").map(\.kind) == [.budget])
  }
}
