import Foundation
import Testing

@testable import Bisection
@testable import LaunchCore

@Suite struct BisectSummaryTests {
  struct Case: CustomTestStringConvertible {
    var outcome: BisectOutcome
    var isInterrupted = false
    var code: LabExitCode
    var testDescription: String { "\(outcome), interrupted: \(isInterrupted)" }
  }

  static let cases = [
    Case(outcome: .found, code: .done), Case(outcome: .refused(.same), code: .inconclusive),
    Case(outcome: .refused(.notEstablished), code: .inconclusive),
    Case(outcome: .inconclusive(.timeSpent), code: .inconclusive),
    Case(outcome: .inconclusive(.interrupted), code: .interrupted),
    Case(outcome: .failed(end: 0), code: .couldNotMeasure),
    Case(outcome: .failed(end: 0), isInterrupted: true, code: .interrupted),
    Case(outcome: .found, isInterrupted: true, code: .interrupted),
  ]

  @Test(arguments: cases)
  func `ends with the exit code of its outcome`(_ example: Case) {
    let summary = summary(
      BisectAnswer(outcome: example.outcome),
      isInterrupted: example.isInterrupted
    )
    #expect(summary.exitCode == example.code)
  }

  @Test func `prefers the revisions of the culprit to the interval`() {
    let effect = LogInterval(estimate: 0.05, lower: 0.04, upper: 0.06)
    let culprit = BisectCulprit(revisions: 1...1, effect: effect, probability: 0.99, share: 1)
    let found = BisectAnswer(outcome: .found, culprits: [culprit], interval: 0...2)
    #expect(summary(found).interval == 1...1)
    let open = BisectAnswer(outcome: .inconclusive(.timeSpent), interval: 1...2)
    #expect(summary(open).interval == 1...2)
  }

  private func summary(_ answer: BisectAnswer, isInterrupted: Bool = false) -> BisectSummary {
    let start = BisectStart(
      id: "1",
      startedAt: Date(timeIntervalSince1970: 0),
      revisions: ["a", "b", "c"].map { BisectRevision(id: $0, subject: $0, parents: []) },
      range: "a..c",
      scenario: Scenario(name: "demo", targets: [], states: [.warm], launches: 1, directory: "/"),
      measure: .metric(.launch),
      parameters: BisectParameters(),
      fingerprint: "",
      launchlabVersion: "0"
    )
    return BisectSummary(
      start: start,
      answer: answer,
      builds: 0,
      failedBuilds: 0,
      launches: 0,
      seconds: 0,
      log: "log.jsonl",
      isInterrupted: isInterrupted
    )
  }
}
