import LabTestSupport
import Testing

@testable import Rendering
@testable import Stages

@Suite struct StagesTextTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var summary: StagesSummary
    var command = ["node", "-e", "0"]
    var style = TextStyle(width: 120)
    var showsAll = false
    var testDescription: String { name }
  }

  private static let tool = ["./start.sh", "it's"]

  static let cases = [
    Case(
      name: "node-120",
      summary: SampleStages.summary(SampleStages.nodes, plain: 43_000)
    ),
    Case(
      name: "node-80",
      summary: SampleStages.summary(SampleStages.nodes, plain: 39_000),
      style: TextStyle(width: 80)
    ),
    Case(
      name: "node-colour",
      summary: SampleStages.summary(SampleStages.nodes, plain: 43_000),
      style: TextStyle(usesColor: true, width: 120)
    ),
    Case(name: "divided", summary: SampleStages.summary([SampleStages.divided()])),
    Case(
      name: "tool-ascii",
      summary: SampleStages.summary([SampleStages.tool]),
      command: tool,
      style: TextStyle(width: 100, isASCII: true)
    ),
    Case(
      name: "tool-all",
      summary: SampleStages.summary([SampleStages.tool, SampleStages.tool]),
      command: tool,
      showsAll: true
    ),
    Case(name: "static", summary: SampleStages.summary([SampleStages.still]), command: ["still"]),
    Case(name: "unready", summary: SampleStages.summary([SampleStages.unready]), command: ["tool"]),
    Case(name: "printed", summary: SampleStages.summary([SampleStages.printed]), command: ["tool"]),
  ]

  @Test(arguments: cases)
  func `shows the stages of launches`(_ example: Case) throws {
    let text = StagesText(
      example.summary,
      command: example.command,
      style: example.style,
      showsAll: example.showsAll
    )
    try SampleStages.expectSnapshot(text.rendered(), named: example.name, suite: "StagesText")
  }

  @Test(arguments: [60, 80, 100])
  func `keeps to the width of the terminal`(width: Int) {
    let summary = SampleStages.summary(SampleStages.nodes, plain: 43_000)
    let text = StagesText(
      summary,
      command: ["node"],
      style: TextStyle(width: width),
      showsAll: true
    )
    .rendered()
    let widest = text.split(separator: "\n").map(\.count).max() ?? 0
    #expect(widest <= width)
  }

  @Test func `shows every initializer when asked to`() {
    let summary = SampleStages.summary([SampleStages.node()])
    let text = StagesText(summary, style: TextStyle(width: .max), showsAll: true).rendered()
    #expect(text.split(separator: "\n").count { $0.contains("node+0x") } == 808)
  }

  @Test func `shows no control character of a name`() {
    let text = StagesText(
      SampleStages.summary([SampleStages.tool]),
      style: TextStyle(width: 200)
    ).rendered()
    #expect(!text.contains("\u{1B}"))
    #expect(text.contains(#"read\u{1B}settings"#))
  }

  @Test func `shows an arm of a run in brief`() throws {
    let summary = SampleStages.summary(SampleStages.nodes, plain: 43_000)
    let lines = StagesText(summary, style: TextStyle(width: 100)).brief(title: "node warm")
    try SampleStages.expectSnapshot(
      lines.joined(separator: "\n") + "\n",
      named: "node-brief",
      suite: "StagesText"
    )
  }
}
