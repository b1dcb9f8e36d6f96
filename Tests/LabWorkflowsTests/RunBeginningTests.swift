import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore
@testable import Measuring

@Suite(.temporaryDirectory) struct RunBeginningTests {
  private func receipt(
    _ name: String,
    _ status: ControlReceipt.Status,
    wanted: String? = "never",
    reason: String? = nil
  ) -> ControlReceipt {
    ControlReceipt(name: name, wanted: wanted, status: status, reason: reason)
  }

  @Test func `a run is not resumed with a control that cannot be had any more`() {
    let difference = ControlReceipt.difference(
      of: [receipt("aslr", .applied), receipt("thp", .failed, reason: "run as root")],
      from: [receipt("thp", .applied), receipt("aslr", .applied)]
    )
    #expect(difference == "the control thp was applied and is failed now (run as root)")
  }

  @Test func `nor with one that could not be had before`() {
    let difference = ControlReceipt.difference(
      of: [receipt("thp", .applied)],
      from: [receipt("thp", .unavailable)]
    )
    #expect(difference == "the control thp was unavailable and is applied now")
  }

  @Test func `what was only observed, and runs of before there were controls, are resumed`() {
    let now = [
      receipt("thp", .failed), receipt("proactive_reclaim", .unavailable, wanted: nil),
    ]
    let stored = [receipt("thp", .failed), receipt("proactive_reclaim", .observed, wanted: nil)]
    #expect(ControlReceipt.difference(of: now, from: stored) == nil)
    #expect(ControlReceipt.difference(of: now, from: []) == nil)
  }

  @Test func `a night after the present keeps others out, until it does not count`() throws {
    let scenario = SampleNight.scenario()
    let store = try SampleNight.store(in: TemporaryDirectory.path, scenario)
    let request = RunRequest(scenario: scenario, store: store.path, commandLine: ["run"])
    let last = SampleNight.run(3, in: scenario)
    try RunBeginning.checkClock(for: request, in: store, now: last.startedAt - 3_600)
    let before = last.startedAt - 10 * 86_400
    let error = try #require(throws: WorkflowError.self) {
      try RunBeginning.checkClock(for: request, in: store, now: before)
    }
    #expect(error == .nightInFuture(run: last.id, startedAt: last.startedAt, now: before))
    #expect(error.exitCode == .couldNotMeasure)
    for day in 1...3 {
      let run = SampleNight.run(day, in: scenario)
      let decision = RunDecision(at: before, person: "ann", standing: .removed, reason: "clock")
      try store.decide(decision, on: run.id)
    }
    try RunBeginning.checkClock(for: request, in: store, now: before)
  }

  @Test func `takes the past from the clock of its context`() throws {
    let now = SampleNight.evening
    let text = now.formatted(.iso8601)
    #expect(try RunRequest.past(text, now: now) == now)
    #expect(throws: WorkflowError.self) { try RunRequest.past(text, now: now - 1) }
  }
}
