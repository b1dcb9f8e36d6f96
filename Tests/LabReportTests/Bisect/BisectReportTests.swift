import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import Rendering

@Suite struct BisectReportTests {
  @Test(arguments: SampleBisect.endings)
  func `answers on the terminal`(_ ending: SampleBisect.Ending) throws {
    let wide = text(ending.summary, TextStyle(width: 100))
    let all = text(ending.summary, TextStyle(width: 100), isVerbose: true)
    let narrow = text(ending.summary, TextStyle(usesColor: true, width: 60), isVerbose: true)
    try expectSnapshot(
      [wide, all, narrow].joined(separator: "\n"),
      named: ending.name,
      suite: "BisectText"
    )
  }

  @Test(arguments: SampleBisect.endings)
  func `writes a report for an issue`(_ ending: SampleBisect.Ending) throws {
    let text = BisectMarkdown(ending.summary).rendered()
    try expectSnapshot(text, named: ending.name, suite: "BisectMarkdown")
  }

  @Test(arguments: SampleBisect.endings)
  func `writes JSON`(_ ending: SampleBisect.Ending) throws {
    try expectSnapshot(json(ending.summary), named: ending.name, suite: "BisectJSON")
  }

  @Test(arguments: SampleBisect.endings)
  func `writes JSON that says what the values say`(_ ending: SampleBisect.Ending) throws {
    let data = Data(json(ending.summary).utf8)
    let value = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(value["schema"] as? String == "launchlab.bisect/1")
    #expect(value["outcome"] as? String == ending.summary.answer.outcome.name)
    #expect(value["builds"] as? Int == ending.summary.builds)
    #expect(value["launches"] as? Int == ending.summary.launches)
    #expect(value["exit_code"] as? Int32 == ending.summary.exitCode.rawValue)
    let skipped = ending.summary.skipped.map { ending.summary.start.revisions[$0].id }
    #expect(value["skipped"] as? [String] == skipped)
    let culprits = try #require(value["culprits"] as? [[String: Any]])
    for (culprit, wanted) in zip(culprits, ending.summary.answer.culprits) {
      let commit = ending.summary.start.revisions[wanted.newest]
      #expect(culprit["commit"] as? String == commit.id)
      #expect(culprit["subject"] as? String == commit.subject)
      let interval = try #require(culprit["ci95"] as? [Double])
      #expect(abs(interval[0] - exp(wanted.effect.lower)) < 1e-12)
    }
  }

  @Test(arguments: SampleBisect.endings)
  func `lets no control character out`(_ ending: SampleBisect.Ending) {
    let texts = [
      text(ending.summary, TextStyle(), isVerbose: true),
      BisectMarkdown(ending.summary).rendered(), json(ending.summary),
      GitBisectLog(ending.summary).rendered(),
    ]
    let found = texts.flatMap(\.unicodeScalars).filter {
      $0 != "\n" && $0.properties.generalCategory == .control
    }
    #expect(found.isEmpty)
  }

  @Test func `tells the controls that launches really had`() {
    var summary = SampleBisect.partial
    summary.start.scenario.controls = ControlPlan(padsEnvironment: true)
    #expect(!BisectMarkdown(summary).rendered().contains("env\\_size: the environment is padded"))
    summary.start.measure = .metric(.launch)
    #expect(BisectMarkdown(summary).rendered().contains("env\\_size: the environment is padded"))
  }

  @Test func `shows names in Markdown as they are`() {
    let text = BisectMarkdown(SampleBisect.hostileNames).rendered()
    #expect(!text.contains("<b>") && !text.contains("<script>") && !text.contains("[x](y)"))
    let table = text.split(separator: "\n").filter { $0.hasPrefix("| culprit |") }
    #expect(table.allSatisfy { $0.replacing("\\|", with: "").count { $0 == "|" } == 9 })
  }

  @Test(arguments: SampleBisect.endings)
  func `begins with the sentence`(_ ending: SampleBisect.Ending) throws {
    let wide = text(ending.summary, TextStyle(width: 2_000))
    let data = Data(json(ending.summary).utf8)
    let value = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    #expect(wide.split(separator: "\n").first.map(String.init) == value?["sentence"] as? String)
  }

  private func text(
    _ summary: BisectSummary,
    _ style: TextStyle,
    isVerbose: Bool = false
  ) -> String {
    BisectText(summary, style: style, isVerbose: isVerbose).rendered()
  }

  private func json(_ summary: BisectSummary) -> String {
    let text = BisectJSON(summary).rendered()
    return text
  }
}
