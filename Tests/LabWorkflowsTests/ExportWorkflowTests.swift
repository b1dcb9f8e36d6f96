import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchStore
@testable import Measuring

@Suite(.temporaryDirectory) struct ExportWorkflowTests {
  private var path: String { TemporaryDirectory.path + "/lab.sqlite" }

  /// Two nights of `app`, one of `other`, and a trial of `app`, which is the newest run.
  private func fill() throws {
    for (scenario, days) in [("app", [20, 21]), ("other", [21])] {
      let lines = days.map { "2026-11-\($0),\($0),ms\n" }.joined()
      let file = TemporaryDirectory.path + "/\(scenario).csv"
      try ("time,value,unit\n" + lines).write(toFile: file, atomically: true, encoding: .utf8)
      _ = try ImportWorkflow(ImportRequest(files: [file], store: path), in: .fake()).run()
    }
    let store = try Store(path: path, mode: .readWrite)
    var trial = try store.run(store.runIDs(scenario: "app")[1].id)
    let row = try #require(store.summaries(run: trial.id).first)
    trial.id = "trial"
    trial.purpose = .trial
    trial.startedAt += 1
    var summary = row
    summary.run = trial.id
    try store.add([FinishedRun(run: trial, launches: [], summaries: [summary])])
    try store.save([alert(1, "app"), alert(2, "other")])
  }

  private func alert(_ number: Int, _ scenario: String) -> Alert {
    Alert(
      number: number,
      kind: .step,
      series: SeriesKey.sample(scenario, "app", "imported"),
      direction: .worse,
      state: .suspected,
      cause: .unknown,
      onset: "x",
      lastGood: nil,
      before: 1,
      after: 2,
      events: [AlertEvent(at: .distantPast, state: .suspected, cause: .unknown, reason: "so")]
    )
  }

  private func lines(_ request: ExportRequest) throws -> [[String: Any]] {
    var text = ""
    try ExportWorkflow(store: path, in: .fake()).write(request) { text += $0 }
    return try text.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require(object as? [String: Any])
    }
  }

  struct Case: CustomTestStringConvertible {
    var name: String
    var request: ExportRequest
    var medians: [Double]
    var testDescription: String { name }
  }

  @Test(arguments: [
    Case(name: "all", request: ExportRequest(subject: .nights), medians: [20e6, 21e6, 21e6]),
    Case(
      name: "a scenario",
      request: ExportRequest(subject: .nights, scenario: "app"),
      medians: [20e6, 21e6]
    ),
    Case(
      name: "a run that is no night",
      request: ExportRequest(subject: .nights, run: "tri"),
      medians: [21e6]
    ),
  ])
  func `writes the nights that are asked for`(_ example: Case) throws {
    try fill()
    #expect(try lines(example.request).map { $0["median"] as? Double } == example.medians)
  }

  @Test func `writes the alerts of all scenarios, or of one`() throws {
    try fill()
    let all = try lines(ExportRequest(subject: .alerts)).map { $0["alert"] as? String }
    #expect(all == ["R-1", "R-2"])
    let one = try lines(ExportRequest(subject: .alerts, scenario: "other"))
    #expect(one.map { $0["alert"] as? String } == ["R-2"])
  }

  @Test func `writes launches of the newest run, of one scenario or of all`() throws {
    try fill()
    #expect(try lines(ExportRequest()).isEmpty)
    let other = try lines(ExportRequest(scenario: "other"))
    #expect(other.map { $0["launch_ns"] as? Int } == [21_000_000])
    #expect(try lines(ExportRequest(all: true)).count == 3)
    #expect(try lines(ExportRequest(all: true, scenario: "app")).count == 2)
  }

  @Test func `refuses alerts as CSV`() throws {
    try fill()
    #expect(throws: WorkflowError.notTabular(what: "alerts", format: "CSV")) {
      try lines(ExportRequest(subject: .alerts, format: .csv))
    }
  }
}
