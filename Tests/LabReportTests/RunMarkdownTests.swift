import LabTestSupport
import Testing

@testable import Measuring

@Suite struct RunMarkdownTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var summary: RunSummary
    var command: [String]?
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "complete",
      summary: SampleRun.complete,
      command: ["launchlab", "run", "my scenarios/quickstart.yml"]
    ),
    Case(name: "troubled", summary: SampleRun.troubled),
    Case(name: "disturbed", summary: SampleRun.disturbed),
    Case(name: "single", summary: SampleRun.single),
  ]

  @Test(arguments: cases)
  func `reports a run`(_ example: Case) throws {
    let text = RunMarkdown(example.summary, command: example.command).rendered()
    try expectSnapshot(text, named: example.name, suite: "RunMarkdown")
  }

  @Test func `a name cannot break out of its table cell`() {
    let text = RunMarkdown(SampleRun.troubled).rendered()
    let rows = text.split(separator: "\n").filter { $0.contains("größe") && $0.hasPrefix("|") }
    #expect(rows.count == 4)
    #expect(rows.allSatisfy { $0.contains(#"größe\|日本 &lt;b&gt;"#) })
  }
}
