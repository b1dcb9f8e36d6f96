import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import Measuring

/// Runs that are taken out of history, and put back.
@Suite(.temporaryDirectory) struct RunDecisionWorkflowTests {
  private let history: String

  /// Imports ten nights, of which the last is bad.
  init() throws {
    history = "\(TemporaryDirectory.path)/app.csv"
    let values = (1...9).map { "2026-11-0\($0),10.\($0),ms,app" } + ["2026-11-10,99,ms,app"]
    let text = "time,value,unit,target\n\(values.joined(separator: "\n"))\n"
    try Data(text.utf8).write(to: URL(filePath: history))
    try importAgain()
  }

  private func importAgain() throws {
    let request = ImportRequest(files: [history], scenario: "app")
    _ = try ImportWorkflow(request, in: .fake()).run()
  }

  private func decide(
    _ standing: RunDecision.Standing,
    on id: String,
    because reason: String
  ) throws -> RunDecisionWorkflow.Outcome {
    try RunDecisionWorkflow(store: nil, in: .fake()).decide(standing, on: id, reason: reason)
  }

  private var nights: String {
    get throws {
      var text = ""
      let request = ExportRequest(subject: .nights, format: .csv)
      try ExportWorkflow(store: nil, in: .fake()).write(request) { text += $0 }
      return text
    }
  }

  private func runs(includesRemoved: Bool = false) throws -> [RunListing] {
    try HistoryWorkflow(store: nil, in: .fake())
      .runs(limit: 99, scenario: nil, includesRemoved: includesRemoved)
  }

  @Test(arguments: [RunDecision.Standing.excluded, .removed])
  func `takes a bad night out of history, and puts it back`(
    standing: RunDecision.Standing
  ) throws {
    let bad = try #require(try runs().first).id
    let before = try nights
    #expect(before.contains(bad))

    let taken = try decide(standing, on: bad, because: "a backup ran")

    #expect(taken.run.id == bad)
    #expect(taken.decision.standing == standing)
    #expect(taken.decision.at == SampleNight.evening)
    let fewer = try nights
    #expect(!fewer.contains(bad) && fewer.contains("2026-11-09"))
    #expect(try runs().contains { $0.id == bad } == (standing == .excluded))
    let listed = try runs(includesRemoved: true).first { $0.id == bad }
    #expect(listed?.decision?.reason == "a backup ran")
    let report = try #require(
      try ReportWorkflow(ReportRequest(), in: .fake()).reports().first?.summary
    )
    #expect(report.nights.count == 9)
    #expect(report.tonight.run != bad)
    let replay = try ReplayWorkflow(store: nil, in: .fake())
      .summary(scenario: nil, since: nil, effects: [])
    #expect(replay.nights == 9)

    // What was imported once does not come back.
    try importAgain()
    #expect(try nights == fewer)

    let asked = #expect(throws: WorkflowError.self) {
      try ReportWorkflow(ReportRequest(run: bad), in: .fake()).reports()
    }
    #expect(asked?.exitCode == .usage)
    #expect(
      asked?.diagnostics[0].problem
        == "run \(bad) is \(standing.rawValue) from history: a backup ran"
    )

    _ = try decide(.included, on: bad, because: "")
    #expect(try nights == before)
    #expect(try runs().first?.decision == nil)
  }

  struct Mistake: CustomTestStringConvertible, Sendable {
    var standing = RunDecision.Standing.excluded
    var id: String
    var reason = "x"
    var problem: String
    var testDescription: String { "\(standing.rawValue) \(id) \(reason)" }
  }

  @Test(arguments: [
    Mistake(id: "2026110", problem: "9 runs begin with \"2026110\""),
    Mistake(id: "1999", problem: "no stored run begins with \"1999\""),
    Mistake(id: "", problem: "no stored run begins with \"\""),
    Mistake(id: "20261110", reason: " ", problem: "missing --reason"),
    Mistake(standing: .included, id: "20261110", problem: "is already included"),
  ])
  func `refuses what it cannot do, and changes nothing`(mistake: Mistake) throws {
    let error = #expect(throws: WorkflowError.self) {
      try decide(mistake.standing, on: mistake.id, because: mistake.reason)
    }
    #expect(error?.exitCode == .usage)
    let problem = error?.diagnostics[0].problem ?? ""
    #expect(problem.contains(mistake.problem), "\(problem)")
    #expect(try runs().allSatisfy { $0.decision == nil })
  }

  @Test func `says who excluded a run that is excluded again`() throws {
    _ = try decide(.excluded, on: "20261110", because: "noise")
    let error = #expect(throws: WorkflowError.self) {
      try decide(.excluded, on: "20261110", because: "more")
    }
    let problem = error?.diagnostics[0].problem ?? ""
    #expect(problem.contains("is already excluded, since "))
    #expect(problem.hasSuffix(": noise"))
  }
}
