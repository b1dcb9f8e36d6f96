import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchStore

@Suite(.temporaryDirectory) struct VerdictWorkflowTests {
  private func store() throws -> Store {
    try Store(path: "\(TemporaryDirectory.path)/store.sqlite", mode: .readWrite)
  }

  /// Stores nights of one target by their medians, in milliseconds, and gives the last one.
  private func nights(
    _ medians: [Double],
    from first: Int = 0,
    of scenario: String,
    in store: Store
  ) throws -> RunRecord {
    let arm = Arm(target: "tool", state: .warm)
    let runs = medians.enumerated().map { number, median in
      let day = first + number
      let tool = Target(name: "tool", command: ["/bin/true"], directory: "/")
      var run = RunRecord.sample(
        .sample(scenario, [tool], launches: 20),
        id: "202611\(10 + day)T020000Z-\(scenario == "one" ? "0001" : "0002")",
        at: Date(timeIntervalSince1970: 1_795_226_400 + 86_400 * Double(day)),
        arms: [arm],
        fingerprint: "c0ffee"
      )
      run.finishedAt = run.startedAt + 60
      let row = MetricRow.sample(run: run.id, arm: arm, n: 20, median: median * 1e6)
      return FinishedRun(run: run, launches: [], summaries: [row])
    }
    try store.add(runs)
    return try #require(runs.last?.run)
  }

  private static let steady = [
    40, 40.2, 39.9, 40.1, 40, 39.8, 40.2, 40.1, 39.9, 40, 40.1, 39.9,
  ]

  private func conclude(
    _ run: RunRecord,
    in store: Store,
    answer: @escaping () throws -> ProofOutcome.Answer = { .impossible(reason: "there is none") }
  ) async throws {
    var failure: (any Error)?
    _ = try await VerdictWorkflow(store: store, run: run)
      .conclude(at: run.startedAt.addingTimeInterval(100)) { request, _ in
        do {
          return ProofOutcome(request: request, answer: try answer())
        } catch {
          failure = error
          return ProofOutcome(request: request, answer: .sameBuild)
        }
      }
    if let failure { throw failure }
  }

  @Test func `alerts of two scenarios in one store have numbers of their own`() async throws {
    let store = try store()
    for name in ["one", "two"] {
      let run = try nights(Self.steady + [48], of: name, in: store)
      try await conclude(run, in: store)
    }
    #expect(try store.alerts(scenario: "one").map(\.id) == ["R-1"])
    #expect(try store.alerts(scenario: "two").map(\.id) == ["R-2"])
  }

  @Test func `a number that is taken while builds are compared is not taken again`() async throws {
    let store = try store()
    let first = try nights(Self.steady + [48], of: "one", in: store)
    let second = try nights(Self.steady + [48], of: "two", in: store)
    try await conclude(second, in: store)
    let taken = try #require(try store.alerts(scenario: "two").first)

    // The night of the other scenario takes R-2 while this one launches.
    try await conclude(first, in: store) {
      var other = taken
      other.number = 2
      try store.save([other])
      return .impossible(reason: "there is none")
    }

    #expect(try store.alerts(scenario: "one").map(\.id) == ["R-3"])
  }

  @Test func `what is acknowledged while builds are compared stays so`() async throws {
    let store = try store()
    try await conclude(try nights(Self.steady + [48], of: "one", in: store), in: store)
    #expect(try store.alert(1).state == .suspected)
    let next = try nights([48.1], from: Self.steady.count + 1, of: "one", in: store)

    var isAcknowledged = false
    try await conclude(next, in: store) {
      // A second comparison with an older build follows the first one.
      if !isAcknowledged {
        _ = try AcknowledgeWorkflow(store: store.path, in: .fake(at: next.startedAt))
          .acknowledge("R-1", reason: "new fonts")
      }
      isAcknowledged = true
      return .sameBuild
    }

    #expect(isAcknowledged)
    let alerts = try store.alerts(scenario: "one")
    #expect(alerts.map(\.state) == [.acknowledged])
    #expect(alerts.first?.events.map(\.reason).last == "new fonts")
  }
}
