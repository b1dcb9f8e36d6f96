import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Measuring
@testable import Rendering

@Suite struct RunTextTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var summary: RunSummary
    var style: TextStyle
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "complete-120", summary: SampleRun.complete, style: TextStyle(width: 120)),
    Case(name: "quickstart-120", summary: SampleRun.quickstart, style: TextStyle(width: 120)),
    Case(name: "complete-80", summary: SampleRun.complete, style: TextStyle(width: 80)),
    Case(name: "troubled-80", summary: SampleRun.troubled, style: TextStyle(width: 80)),
    Case(
      name: "troubled-colour",
      summary: SampleRun.troubled,
      style: TextStyle(usesColor: true, width: 80)
    ),
    Case(name: "pipe", summary: SampleRun.troubled, style: TextStyle(width: .max)),
    Case(name: "disturbed-120", summary: SampleRun.disturbed, style: TextStyle(width: 120)),
    Case(name: "single", summary: SampleRun.single, style: TextStyle(width: 120)),
    Case(
      name: "nothing-ready",
      summary: SampleRun.summary([SampleRun.failed]),
      style: TextStyle(width: 100)
    ),
  ]

  @Test(arguments: cases)
  func `shows a run`(_ example: Case) throws {
    let text = RunText(example.summary, style: example.style).rendered()
    try expectSnapshot(text, named: example.name, suite: "RunText")
  }

  private static func adaptive(_ status: RunRecord.Status) -> RunSummary {
    var summary = SampleRun.complete
    summary.run.status = status
    summary.run.plan.scenario.adaptive = AdaptiveLaunches(most: 200, precision: 0.01)
    summary.run.plan.scenario.launches = 5
    summary.run.plan.blockCount = 200
    return summary
  }

  @Test func `shows a run that had enough before the most launches as complete`() throws {
    let style = TextStyle(width: .max)
    let text = RunText(Self.adaptive(.complete), style: style).rendered()
    #expect(!text.contains("launches are stored"))
    #expect(text.contains(" of at most 200 blocks of "))
    let markdown = RunMarkdown(Self.adaptive(.complete)).rendered()
    #expect(!markdown.contains("launches are stored"))
    #expect(markdown.contains(" of at most 200 blocks of "))
  }

  @Test func `does not promise the most launches to a run that was cut off`() {
    let text = RunText(Self.adaptive(.interrupted), style: TextStyle(width: .max)).rendered()
    #expect(text.contains(/interrupted: [0-9]+ of at most [0-9]+ launches are stored/))
  }

  @Test func `leaves the warnings out when they go elsewhere`() {
    let style = TextStyle(width: .max)
    let result = RunText(SampleRun.troubled, style: style, includesWarnings: false).rendered()
    let warnings = DiagnosticText(SampleRun.warnings, style: style).rendered()
    #expect(RunText(SampleRun.troubled, style: style).rendered() == "\(result)\n\(warnings)")
  }

  @Test func `colour changes nothing but colour`() {
    let plain = RunText(SampleRun.troubled, style: TextStyle(width: 90)).rendered()
    let coloured = RunText(SampleRun.troubled, style: TextStyle(usesColor: true, width: 90))
      .rendered()
    #expect(coloured != plain)
    #expect(coloured.replacing(/\u{1B}\[[0-9;]*m/, with: "") == plain)
  }

  @Test(arguments: [80, 100, 120])
  func `keeps to the width of the terminal`(width: Int) {
    let text = RunText(SampleRun.complete, style: TextStyle(width: width)).rendered()
    let widest = text.split(separator: "\n").map(\.count).max() ?? 0
    #expect(widest <= width)
  }

  @Test func `shows no control character of a name`() {
    let text = RunText(SampleRun.troubled, style: TextStyle(width: 200)).rendered()
    #expect(!text.contains("\u{1B}"))
    #expect(text.contains(#"\u{1B}"#))
  }
}
