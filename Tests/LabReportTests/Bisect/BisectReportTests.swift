import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import Rendering

@Suite struct BisectReportTests {
  @Test(arguments: SampleBisect.endings)
  func `answers on the terminal`(_ ending: SampleBisect.Ending) throws {
    let answer = text(ending.summary, TextStyle(width: 100))
    try expectSnapshot(answer, named: ending.name, suite: "BisectText")
  }

  @Test(arguments: SampleBisect.kinds)
  func `shows each build when verbose`(_ ending: SampleBisect.Ending) throws {
    let answer = text(ending.summary, TextStyle(width: 100), isVerbose: true)
    try expectSnapshot(answer, named: "\(ending.name)-verbose", suite: "BisectText")
  }

  @Test(arguments: SampleBisect.endings(named: ["several", "hostile"]))
  func `fits a narrow terminal with colors`(_ ending: SampleBisect.Ending) throws {
    let style = TextStyle(usesColor: true, width: 60)
    let answer = text(ending.summary, style, isVerbose: true)
    try expectSnapshot(answer, named: "\(ending.name)-narrow", suite: "BisectText")
  }

  @Test func `says why no explanation could be traced`() {
    let answer = text(SampleBisect.untraced, TextStyle(width: 100), isVerbose: true)
    #expect(answer.contains("why: not traced here (perf events are refused (permission denied))"))
  }

  @Test(arguments: SampleBisect.kinds)
  func `writes a report for an issue`(_ ending: SampleBisect.Ending) throws {
    let text = BisectMarkdown(ending.summary).rendered()
    try expectSnapshot(text, named: ending.name, suite: "BisectMarkdown")
  }

  @Test(arguments: SampleBisect.endings(named: ["several", "cpu-time-open", "failed"]))
  func `writes JSON`(_ ending: SampleBisect.Ending) throws {
    try expectSnapshot(json(ending.summary), named: ending.name, suite: "BisectJSON")
  }

  /// Lines of endings whose other fields are those of the snapshots.
  static let fields = [
    ("set", #""alert": "R-17""#), ("set", #""by": "user""#), ("set", #""by": "launch""#),
    ("alert-rest", #""alert_share": 0.055913978494623644"#),
    ("explained", #""why": "read_settings (new), openat conf/ 0 → 40: +0.61 of +0.64 ms (95 %)""#),
    ("explained", #""schema": "launchlab.explain/1""#),
    ("merge", #""file_count": 12"#), ("merge", #""count": 23"#),
    ("merge", #""commit": "0ae3eeababababababababababababababababab""#),
    ("merge", #""subject": "Part 9 of | a *branch*""#),
    (
      "merge",
      #""launchlab bisect 01393eababab..0ae3eeababab --build 'make all' -- ./app -v""#
    ),
    ("from-zero", #""measure": "major_faults""#), ("from-zero", #""unit": "1""#),
    ("from-zero", #""good_median": 0"#), ("from-zero", #""bad_median": 2"#),
    ("from-zero", #""ratio": 4"#), ("partial", #""counting": "valgrind""#),
    ("partial", #""kind": "spread""#), ("artifacts", #""artifacts": "/srv/nightly""#),
    ("artifacts", #""authored_at": null"#), ("equal-artifacts", #""commit": "app-11""#),
    ("own-side", #""side": "good""#), ("own-side", #""ratio": 0.9505703422053232"#),
    ("both-sides", #""side": "both""#), ("both-sides", #""launch_noise": null"#),
    ("both-sides", "\"by\": \"build\",\n      \"reason\": null"),
  ]

  @Test(arguments: fields)
  func `writes the fields of rare endings`(name: String, field: String) throws {
    let ending = try #require(SampleBisect.endings(named: [name]).first)
    #expect(json(ending.summary).contains(field))
  }

  @Test func `concludes each ending in JSON`() throws {
    let conclusions = try SampleBisect.endings.map { ending in
      let data = Data(json(ending.summary).utf8)
      let value = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      let outcome = try #require(value["outcome"] as? String)
      let reason = value["reason"] as? String ?? "no reason"
      let code = try #require(value["exit_code"] as? Int)
      let resume = value["resume"] as? String ?? "no resumption"
      return "\(ending.name): \(outcome), \(reason), exit \(code), \(resume)\n"
    }
    try expectSnapshot(conclusions.joined(), named: "conclusions", suite: "BisectJSON")
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

  private func json(_ summary: BisectSummary) -> String { BisectJSON(summary).rendered() }
}
