import Foundation
import Testing

@testable import LabChecks
@testable import LaunchCore
@testable import Measuring
@testable import Rendering

@Suite struct SelfTestReportTests {
  private func json(_ summary: SelfTestSummary) -> String {
    let text = SelfTestJSON(summary).rendered()
    return text
  }

  private func host(_ text: String) throws -> HostStability {
    try SelfTestDocument.host(Data(text.utf8), name: "a.json")
  }

  @Test func `shows what the host detects`() throws {
    let text = SelfTestText(SampleSelfTest.summary(), style: TextStyle()).rendered()
    try SampleSelfTest.expectSnapshot(text, named: "text")
  }

  @Test func `says that a host which deceives cannot be trusted`() throws {
    let text = SelfTestText(SampleSelfTest.summary(slowdown: 1.1), style: TextStyle()).rendered()
    try SampleSelfTest.expectSnapshot(text, named: "deceptive")
  }

  @Test func `shows what there is of a run with too few pairs`() throws {
    let text = SelfTestText(SampleSelfTest.summary(blocks: 4), style: TextStyle()).rendered()
    try SampleSelfTest.expectSnapshot(text, named: "few")
  }

  @Test func `writes JSON`() throws {
    try SampleSelfTest.expectSnapshot(json(SampleSelfTest.summary()), named: "json")
  }

  @Test func `reads its JSON back`() throws {
    let summary = SampleSelfTest.summary()
    let host = try host(json(summary))
    #expect(host.noise == summary.noise)
    #expect(host.command == summary.command)
    #expect(host.cpuModel == "Example CPU")
    #expect(host.fingerprint == "3fa21b90c4d1e8a7")
  }

  @Test(arguments: ["", "nonsense", "{\"schema\": "])
  func `refuses what is no JSON`(text: String) {
    #expect(throws: SelfTestDocument.Problem.notJSON) { try host(text) }
  }

  @Test func `refuses JSON of another kind`() {
    #expect(throws: SelfTestDocument.Problem.otherKind(schema: "launchlab.run/1")) {
      try host(#"{"schema": "launchlab.run/1"}"#)
    }
    #expect(throws: SelfTestDocument.Problem.otherKind(schema: nil)) { try host("[1]") }
    #expect(throws: SelfTestDocument.Problem.otherKind(schema: nil)) { try host(#"{"a": 1}"#) }
  }

  struct Damage: Sendable, CustomTestStringConvertible {
    let pattern: String
    let replacement: String
    let reason: String

    var testDescription: String { reason }
  }

  @Test(arguments: [
    Damage(
      pattern: "\"cv\":",
      replacement: "\"cw\":",
      reason: "noise[0].cv is missing"
    ),
    Damage(
      pattern: "\"pairs\": 30",
      replacement: "\"pairs\": \"many\"",
      reason: "noise[0].pairs is of another kind"
    ),
    Damage(
      pattern: "\"state\": \"warm\"",
      replacement: "\"state\": \"lukewarm\"",
      reason: "noise[0].state is of another kind"
    ),
    Damage(
      pattern: "\"fingerprint\":",
      replacement: "\"finger\":",
      reason: "host.fingerprint is missing"
    ),
    Damage(pattern: "\"noise\":", replacement: "\"n\": [], \"loise\":", reason: "noise is missing"),
    Damage(
      pattern: "\"noise\":",
      replacement: "\"noise\": [], \"other\":",
      reason: "no state was measured"
    ),
  ])
  func `names what is wrong with a damaged file`(damage: Damage) {
    let text = json(SampleSelfTest.summary(states: [.warm]))
      .replacingOccurrences(of: damage.pattern, with: damage.replacement)
    #expect(throws: SelfTestDocument.Problem.damaged(reason: damage.reason)) { try host(text) }
  }

  // MARK: - Ranking

  private var rankings: [StabilityRanking] {
    let quiet = SampleSelfTest.summary(states: [.warm])
    let loud = SampleSelfTest.summary(cpuModel: "Loud CPU")
    let hosts = [("loud.json", loud), ("quiet.json", quiet)].map { name, summary in
      HostStability(
        name: name,
        cpuModel: summary.run.run.host.cpuModel,
        fingerprint: "\(name.prefix(1))00d",
        command: summary.command,
        noise: summary.noise
      )
    }
    var cold = hosts[0]
    cold.name = "cold.json"
    cold.noise.removeAll { $0.state == .warm }
    var other = cold
    other.command = ["node"]
    var strange = hosts[1]
    strange.name = "strange.json"
    strange.command = ["node"]
    return StabilityRanking.rankings(of: hosts + [other, strange])
  }

  @Test func `shows hosts by their stability`() throws {
    let text = StabilityText(rankings, style: TextStyle()).rendered()
    try SampleSelfTest.expectSnapshot(text, named: "ranking")
  }

  @Test func `writes the ranking as JSON`() throws {
    let text = StabilityJSON(rankings).rendered()
    try SampleSelfTest.expectSnapshot(text, named: "ranking-json")
  }
}
