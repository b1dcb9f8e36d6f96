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
    Case(name: "static", launches: [SampleStages.still]),
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

  /// One part of the JSON of a launch and its summary per line.
  static let toolParts = """
    "processes": [ { "pid": 700, "parent": null, "program": "/usr/bin/dash", "is_executed": true, \
    "start_ns": 0, "end_ns": 1100000 }
    { "pid": 701, "parent": 700, "program": "/opt/tool/bin/tool", "is_executed": false, \
    "start_ns": 4500000, "end_ns": 4580000 }
    "counters": { "late_events": 1, "libraries": 1, "libraries_loaded_later": 1, "processes": 3, \
    "programs": 4 }, "flags": [], "page_ins": null, "notes": [ "/opt/tool/plugin.so has 2 \
    initializers that are not timed, because it was loaded later", "1 event came after the ready \
    instant; not counted" ] } ], "summaries": [
    "programs": [ { "pid": 700, "program": "/usr/bin/dash", "is_wrapper": true, "stages": [
    { "pid": 701, "program": "/usr/bin/uname", "is_wrapper": false, "stages": [
    { "name": "first screen", "ns": 1200000, "start_ns": 3000000, "share": 0.15, "kind": \
    "detail", "flags": [], "source": "marks", "resolution_ns": 0, "children": [ { "name": "load \
    fonts", "ns": 390000, "start_ns": 3010000, "share": 0.04875, "kind": "detail", "flags": [], \
    "source": "marks", "resolution_ns": 0, "children": [] }
    { "name": "libc.so.6+0x40", "ns": 6000, "start_ns": 1560000, "share": 0.00075, "kind": \
    "part", "flags": [], "source": "probe", "resolution_ns": 0, "place": { "file": \
    "/lib/libc.so.6", "offset": 64, "symbol": null }
    "images": [ { "name": "/lib/libc.so.6", "ns": 6000 }, { "name": "/opt/tool/bin/tool", "ns": \
    2000 } ]
    "summaries": [ { "collector": "probe", "program": "/opt/tool/bin/tool", "launches": 1, \
    "not_ready": 0, "median_ns": 8000000, "ci95": null, "pre_main_ns": 1590000
    { "name": "first screen", "median_ns": 1200000, "share": 0.15, "ci95": null, "n": 1, \
    "start_ns": 3000000, "kind": "detail", "flags": [], "source": "marks", "resolution_ns": 0, \
    "children": [
    { "name": "libc.so.6+0x40", "median_ns": 6000, "share": 0.00075, "ci95": null, "n": 1, \
    "start_ns": 1560000, "kind": "part", "flags": [], "source": "probe", "resolution_ns": 0, \
    "place": { "file": "/lib/libc.so.6", "offset": 64, "symbol": null }
    "cost": { "n": 1, "median_ns": 200000, "ci95": null, "share": 0.02564102564102564 }, \
    "sum_check": { "sum_ns": 8000000, "launch_ns": 8000000, "plain_ns": 7800000, "worst_launch": \
    0, "is_off": false, "is_off_plain": false }, "notes": [
    { "note": "1 event came after the ready instant; not counted", "launches": 1 }
    """

  static let unreadyParts = """
    "format": "launchlab.probe", "pid": 900, "program": "/bin/tool", "total_ns": null, \
    "pre_main_ns": 740000, "stages": [
    { "name": "main_to_ready", "ns": null, "start_ns": 740000, "share": null, "kind": "part", \
    "flags": [ "unfinished" ], "source": "probe", "resolution_ns": 0, "children": [] }
    { "name": "spawn", "ns": 84000, "start_ns": null, "share": null, "kind": "excluded", "flags": \
    [], "source": "probe", "resolution_ns": 0, "children": [] }
    "programs": [], "processes": null, "counters": { "libraries": 1, "processes": 1, "programs": \
    1 }, "flags": [ "unfinished" ], "page_ins": null, "notes": [ "the launch did not become \
    ready, so it has no total" ] } ], "summaries": [
    "summaries": [ { "collector": "probe", "program": "/bin/tool", "launches": 0, "not_ready": 1, \
    "median_ns": null, "ci95": null, "pre_main_ns": 740000
    { "name": "main_to_ready", "median_ns": null, "share": null, "ci95": null, "n": 0, \
    "start_ns": 740000, "kind": "part", "flags": [ "unfinished" ], "source": "probe", \
    "resolution_ns": 0, "children": [] }
    "cost": null, "sum_check": null, "notes": [
    """

  @Test(arguments: [(SampleStages.tool, toolParts), (SampleStages.unready, unreadyParts)])
  func `writes each part of the stages`(_ launch: LaunchStages, parts: String) {
    let json = onOneLine(text([launch]))
    #expect(parts.split(separator: "\n").filter { !json.contains($0) } == [])
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
