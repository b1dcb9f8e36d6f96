import Foundation
import LabTestSupport
import Rendering
import Testing

@testable import LaunchCore
@testable import Stages

@Suite struct StagesJSONTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var launches: [LaunchStages]
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "tool", launches: [SampleStages.tool]),
    Case(name: "static", launches: [SampleStages.still]),
    Case(name: "unready", launches: [SampleStages.unready]),
    Case(name: "printed", launches: [SampleStages.printed]),
  ]

  private func text(_ launches: [LaunchStages]) -> String {
    let summaries = [SampleStages.summary(launches, plain: 7_800)]
    return StagesJSON(command: ["./start.sh", "it's"], launches: launches, summaries: summaries)
      .rendered()
  }

  @Test(arguments: cases)
  func `writes stages`(_ example: Case) throws {
    try SampleStages.expectSnapshot(
      text(example.launches),
      named: example.name,
      suite: "StagesJSON"
    )
  }

  @Test func `gives the fields that the contract names`() throws {
    let data = Data(text([SampleStages.node()]).utf8)
    let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(root["schema"] as? String == "launchlab.stages/1")
    let block = try #require((root["blocks"] as? [[String: Any]])?.first)
    #expect(block["format"] as? String == "launchlab.probe")
    #expect(block["pid"] as? Int == 4_001)
    let stages = try #require(block["stages"] as? [[String: Any]])
    let parts = stages.filter { $0["kind"] as? String == "part" }
    let total = try #require(block["total_ns"] as? Int64)
    #expect(parts.reduce(0) { $0 + ($1["ns"] as? Int64 ?? 0) } == total)
    let images = try #require(block["images"] as? [[String: Any]])
    #expect(images.first?["name"] as? String == "/usr/local/bin/node")
    #expect(
      images.compactMap { $0["ns"] as? Int64 }
        == images.compactMap { $0["ns"] as? Int64 }.sorted(by: >)
    )
    let counters = try #require(block["counters"] as? [String: Int])
    #expect(counters["initializers"] == 829)
    let summary = try #require((root["summaries"] as? [[String: Any]])?.first)
    let first = try #require((summary["stages"] as? [[String: Any]])?.first)
    #expect(first["name"] as? String == "exec")
    for field in ["median_ns", "share", "children", "ci95", "n", "kind", "flags", "source"] {
      #expect(first[field] != nil, "\(field)")
    }
  }

  @Test(arguments: ["node", "tool", "unready"])
  func `shows a section of a report`(name: String) throws {
    let launches = [
      "node": SampleStages.nodes, "tool": [SampleStages.tool], "unready": [SampleStages.unready],
    ]
    let summary = SampleStages.summary(try #require(launches[name]), plain: 43_000)
    let text = StagesMarkdown(summary, title: "\(name) | warm").rendered()
    try SampleStages.expectSnapshot(text, named: name, suite: "StagesMarkdown")
  }
}
