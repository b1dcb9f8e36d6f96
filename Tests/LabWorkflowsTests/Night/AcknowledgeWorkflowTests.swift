import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchStore
@testable import Measuring

@Suite(.temporaryDirectory) struct AcknowledgeWorkflowTests {
  private var path: String { "\(TemporaryDirectory.path)/store.sqlite" }

  private func store(_ alerts: [Alert]) throws -> Store {
    let store = try SampleNight.store(in: TemporaryDirectory.path, SampleNight.scenario())
    try store.save(alerts)
    return store
  }

  private func acknowledge(_ id: String, _ reason: String) throws -> Alert {
    try AcknowledgeWorkflow(store: path, in: .fake()).acknowledge(id, reason: reason)
  }

  private func refusal(of id: String, _ reason: String = "because") -> Diagnostic? {
    do {
      _ = try acknowledge(id, reason)
      return nil
    } catch {
      return (error as? any LabError)?.diagnostics.first
    }
  }

  @Test(arguments: [Alert.State.suspected, .confirmed])
  func `keeps who says so and why`(state: Alert.State) throws {
    let before = SampleNight.alert(7, events: [SampleNight.event(state, cause: .code)])
    let store = try store([before])
    let alert = try acknowledge("r-7", "  new\nfonts ")
    #expect(try store.alert(7) == alert)
    #expect(alert.state == .acknowledged)
    #expect(!alert.isRed)
    #expect(alert.cause == .code)
    #expect(alert.events.dropLast() == before.events[...])
    #expect(
      alert.events.last
        == AlertEvent(
          at: SampleNight.evening,
          person: WorkflowContext.fake().person,
          state: .acknowledged,
          cause: .code,
          reason: "new fonts"
        )
    )
  }

  @Test func `a dismissed alert has ended, and what a person said can be taken back`() throws {
    let confirmed = SampleNight.event(.confirmed, cause: .code)
    var byNight = confirmed
    byNight.run = "20261103T020000Z-3fa2"
    let store = try store([SampleNight.alert(7, events: [byNight])])
    let workflow = try AcknowledgeWorkflow(store: path, in: .fake())
    let dismissed = try workflow.dismiss("R-7", reason: "a backup ran")
    #expect(dismissed.state == .refuted)
    #expect(!dismissed.isOpen)
    #expect(dismissed.events.last?.reason == "a backup ran")
    #expect(throws: WorkflowError.self) { try workflow.dismiss("R-7", reason: "again") }
    let back = try workflow.reopen("R-7", reason: "it was no backup")
    #expect(back.state == .confirmed)
    #expect(back.cause == .code)
    #expect(back.isRed)
    _ = try workflow.acknowledge("R-7", reason: "fonts")
    let again = try workflow.reopen("R-7", reason: "no fonts")
    #expect(again.isRed)
    #expect(try store.alert(7) == again)
    #expect(again.events.count == 5)
    #expect(throws: WorkflowError.notDecided(id: "R-7", state: .confirmed)) {
      try workflow.reopen("R-7", reason: "twice")
    }
  }

  @Test func `refuses what is already acknowledged`() throws {
    _ = try store([SampleNight.alert(events: [SampleNight.event(.confirmed)])])
    _ = try acknowledge("R-1", "new fonts")
    let problem = try #require(refusal(of: "R-1"))
    #expect(
      problem.problem
        == "R-1 is already acknowledged, since 2026-11-21T02:00:00Z by \(WorkflowContext.fake().person): new fonts"
    )
    #expect(problem.remedy == "see what became of it with `launchlab why R-1`")
  }

  @Test(arguments: [Alert.State.fixed, .recovered, .refuted])
  func `refuses what has ended`(state: Alert.State) throws {
    _ = try store([SampleNight.alert(events: [SampleNight.event(state)])])
    let problem = try #require(refusal(of: "1"))
    #expect(problem.problem.hasPrefix("R-1 is not open: it is \(state.rawValue), since "))
  }

  @Test func `lists the open ones where there is no such alert`() throws {
    _ = try store([
      SampleNight.alert(1, events: [SampleNight.event(.recovered)]),
      SampleNight.alert(2, events: [SampleNight.event(.confirmed)]),
      SampleNight.alert(3, events: [SampleNight.event(.suspected)]),
    ])
    let problem = try #require(refusal(of: "R-9"))
    #expect(problem.problem == "there is no alert \"R-9\"")
    #expect(problem.remedy == "give one of the open ones: R-2, R-3")
  }

  @Test func `wants an id and a reason`() throws {
    _ = try store([SampleNight.alert(events: [SampleNight.event(.confirmed)])])
    #expect(refusal(of: "seventeen")?.remedy == "see the alerts with `launchlab report`")
    #expect(refusal(of: "R-1", " \n ")?.problem == "missing --reason")
    #expect(refusal(of: "R-1", String(repeating: "x", count: 501))?.id == "bad-option")
  }

  @Test func `finds the store that has the alert, and asks where two have it`() throws {
    let files = FileManager.default
    for (name, number) in [("one", 1), ("two", 2), ("three", 2)] {
      let directory = "\(TemporaryDirectory.path)/\(name)/.launchlab"
      try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
      let store = try SampleNight.store(
        in: directory,
        named: "launchlab.sqlite",
        SampleNight.scenario()
      )
      try store.save([SampleNight.alert(number, events: [SampleNight.event(.confirmed)])])
    }
    let workflow = try AcknowledgeWorkflow(store: nil, in: .fake())
    let alert = try workflow.acknowledge("R-1", reason: "because")
    #expect(alert.state == .acknowledged)
    #expect(throws: WorkflowError.self) {
      try workflow.acknowledge("R-2", reason: "because")
    }
  }
}
