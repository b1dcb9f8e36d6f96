import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore
@testable import Measuring
@testable import Rendering

@Suite struct HistoryTests {
  static let runs = [
    RunListing(
      id: "20261121T043000Z-3fa2",
      scenario: "quickstart",
      startedAt: SampleRun.startedAt,
      finishedAt: SampleRun.startedAt.addingTimeInterval(95),
      status: .complete,
      seed: 4711,
      arms: SampleRun.complete.run.plan.arms,
      plannedLaunches: 111,
      launches: 111,
      blocks: 12,
      fingerprint: "3fa21b90c4d1e8a7",
      outcome: RunOutcome(verdict: "red", exitCode: 1)
    ),
    RunListing(
      id: "20261120T043000Z-91bc",
      scenario: "größe",
      startedAt: SampleRun.startedAt - 86_400,
      status: .unfinished,
      seed: 7,
      arms: [Arm(target: "größe", state: .warm)],
      plannedLaunches: 40,
      launches: 17,
      blocks: 17,
      fingerprint: "3fa21b90c4d1e8a7",
      commit: "e83c5163316f89bfbde7d9ab23ca2e25604af290"
    ),
    RunListing(
      id: "20261119T043000Z-0001",
      scenario: "redis",
      startedAt: SampleRun.startedAt - 172_800,
      finishedAt: SampleRun.startedAt - 172_790,
      status: .failed,
      seed: 7,
      arms: [Arm(target: "redis", state: .rebootCold)],
      plannedLaunches: 40,
      launches: 3,
      blocks: 3,
      fingerprint: "77aa00c4d1e8a7",
      outcome: RunOutcome(exitCode: 128)
    ),
  ]

  @Test func `counts the launches of a run that had enough early`() {
    var run = Self.runs[0]
    run.launches = 40
    let text = HistoryText([run], style: TextStyle(width: 120)).rendered()
    #expect(text.contains(" 40 "))
    #expect(!text.contains("40/111"))
  }

  struct Case: CustomTestStringConvertible {
    var name: String
    var runs: [RunListing]
    var style: TextStyle
    var testDescription: String { name }
  }

  @Test(arguments: [
    Case(name: "wide", runs: runs, style: TextStyle(width: 120)),
    Case(name: "narrow", runs: runs, style: TextStyle(width: 80)),
    Case(name: "colour", runs: runs, style: TextStyle(usesColor: true, width: 120)),
    Case(name: "empty", runs: [], style: TextStyle()),
  ])
  func `lists the stored runs`(_ example: Case) throws {
    let text = HistoryText(example.runs, style: example.style).rendered()
    try expectSnapshot(text, named: example.name, suite: "History")
  }

  @Test func `writes the stored runs as JSON`() throws {
    let text = HistoryJSON(Self.runs).rendered()
    try expectSnapshot(text, named: "json", suite: "History")
    _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
  }
}
