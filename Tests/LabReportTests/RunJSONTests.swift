import Foundation
import LabTestSupport
import Rendering
import Testing

@testable import LaunchCore
@testable import Measuring

@Suite struct RunJSONTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var summary: RunSummary
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "complete", summary: SampleRun.complete),
    Case(name: "troubled", summary: SampleRun.troubled),
    Case(name: "disturbed", summary: SampleRun.disturbed),
    Case(name: "single", summary: SampleRun.single),
  ]

  @Test func `writes a run`() throws {
    try expectSnapshot(text(SampleRun.single), named: "single", suite: "RunJSON")
  }

  /// One part of the JSON of a run per line.
  static let completeParts = """
    { "name": "server", "command": [ "/usr/bin/redis-server", "--port", "7379" ], "directory": \
    "/home/ada/lab", "ready": "tcp 127.0.0.1:7379", "timeout_ns": 60000000000 }
    "launch": { "unit": "ns", "direction": "lower-is-better", "n": 12, "mean": \
    18813316.666666668, "variance": 2624496557878.788, "stddev": 1620029.801540326, "cv": \
    0.08611080280228771, "median": 18285050, "mad": 178850, "min": 18069800, "max": 23890300, \
    "p90": 18897690, "p95": 21153719.999999996, "ci95": [ 18142180, 18698540 ], "remarks": [], \
    "values": [18291000, 18069800
    "floor_multiple": 728, "counters": {}
    "counters": { "instructions": null, "page-faults": { "unit": "1", "n": 3, "mean": \
    402.3333333333333, "variance": 0.33333333333333337, "stddev": 0.5773502691896258, "cv": \
    0.0014350048115732209, "median": 402, "mad": 0, "min": 402, "max": 403, "p90": 402.8, "p95": \
    402.9, "ci95": null } }, "stages": []
    "instructions": "no hardware events in this virtual machine"
    "pinned": [ { "path": "/lib/x86_64-linux-gnu/libc.so.6", "pages": 467, "by": "mapped by pid 1 \
    and 41 others" } ]
    "resolution_ns": 1020000, "preparation_ns": 21400000, "warm_ups": 0
    """

  static let troubledParts = """
    "outcomes": { "exited": 1, "ready": 10, "signalled": 1 }, "state_reached": { "reached": 9, \
    "not_reached": 3, "not_verified": 0, "reasons": { "perl: 12 of 928 pages resident": 3 } }
    "outcomes": { "exited": 2, "timed-out": 1 }, "state_reached": { "reached": 0, "not_reached": \
    3, "not_verified": 0, "reasons": { "3 major faults": 3 } }
    "metrics_from": null, "metrics": { "launch": null, "peak_rss": null
    "metrics_from": "unreached-launches"
    "not_verified": 12, "reasons": { "mincore needs root": 12 }
    "residency": { "resident_pages": null, "total_pages": null, "pinned": [], "files": [] }
    "flags": { "output-blocked": 2, "replaced": 1 }, "resolution_ns": 1000000
    "warnings": [ { "severity": "warning", "id": "state-not-reached", "problem": "3 of 12 \
    launches were not cold: pages of perl stayed, probably because another process has it \
    mapped", "place": "perl reinstall-cold", "remedy": "stop pid 4711 (perl), then run again" }, \
    { "severity": "note", "id": "virtual-host", "problem": "the host below this kvm guest may \
    still hold the blocks", "place": null, "remedy": "compare cold times on this host only" } ]
    """

  static let disturbedParts = """
    "controls": [ { "name": "governor", "wanted": "performance", "before": "powersave", "after": \
    "performance", "status": "applied", "reason": null }, { "name": "thp", "wanted": "never", \
    "before": "madvise", "after": null, "status": "failed", "reason": \
    "sys/kernel/mm/transparent_hugepage/enabled cannot be written: run as root" }
    { "name": "proactive_reclaim", "wanted": null, "before": null, "after": "DAMON | pageout", \
    "status": "observed", "reason": null } ], "disturbed_share": 0.7083333333333334, \
    "disturbed_limit": 0.25
    "disturbed": { "launches": 4, "unsettled": 1, "repeated": 4, "share": 0.4166666666666667, \
    "limit": 0.25, "by_kind": { "throttling": { "launches": 1, "worst": 2, "limit": 0, "unit": \
    "1" }, "foreign-cpu": { "launches": 3, "worst": 4100000, "limit": 260000, "unit": "ns" } }, \
    "obstacle": "cpu idle 12 % (limit 90 %)" }
    """

  @Test(
    arguments: [
      (SampleRun.complete, completeParts), (SampleRun.troubled, troubledParts),
      (SampleRun.disturbed, disturbedParts),
    ]
  )
  func `writes each part of a run`(_ summary: RunSummary, parts: String) {
    let json = onOneLine(text(summary))
    #expect(parts.split(separator: "\n").filter { !json.contains($0) } == [])
  }

  @Test(arguments: cases)
  func `writes JSON that another parser reads`(_ example: Case) throws {
    let object = try JSONSerialization.jsonObject(with: Data(text(example.summary).utf8))
    let root = try #require(object as? [String: Any])
    #expect(root["schema"] as? String == "launchlab.run/1")
    let arms = try #require(root["arms"] as? [[String: Any]])
    #expect(arms.count == example.summary.arms.count)
  }

  @Test func `gives the fields that the contract names`() throws {
    let object = try JSONSerialization.jsonObject(with: Data(text(SampleRun.complete).utf8))
    let root = try #require(object as? [String: Any])
    let arms = try #require(root["arms"] as? [[String: Any]])
    let metrics = try #require(arms[3]["metrics"] as? [String: Any])
    let launch = try #require(metrics["launch"] as? [String: Any])
    #expect(launch["unit"] as? String == "ns")
    #expect(launch["n"] as? Int == 12)
    #expect((launch["ci95"] as? [Double])?.count == 2)
    #expect(
      (launch["values"] as? [Int64])?.prefix(2) == [28_743_000, 28_395_400]
    )
    #expect(metrics["bytes_read"] is NSNull)
    let missing = try #require(arms[3]["missing"] as? [String: String])
    #expect(missing["bytes_read"] == "/proc/pid/io: permission denied")
    let residency = try #require(arms[3]["residency"] as? [String: Any])
    #expect(residency["resident_pages"] as? Int == 0)
    #expect(residency["total_pages"] as? Int == 928)
  }

  @Test func `tells what disturbed each arm, and what is tolerated`() throws {
    let object = try JSONSerialization.jsonObject(with: Data(text(SampleRun.disturbed).utf8))
    let root = try #require(object as? [String: Any])
    let run = try #require(root["run"] as? [String: Any])
    #expect(run["name"] as? String == "quickstart [suppressed: governor, vm]")
    #expect(run["scenario"] as? String == "quickstart")
    let arms = try #require(root["arms"] as? [[String: Any]])
    #expect(
      arms.map { $0["metrics_from"] as? String } == ["accepted-launches", "disturbed-launches"]
    )
    let disturbed = try #require(arms[0]["disturbed"] as? [String: Any])
    #expect(disturbed["launches"] as? Int == 4)
    #expect(disturbed["unsettled"] as? Int == 1)
    #expect(disturbed["limit"] as? Double == 0.25)
    let kinds = try #require(disturbed["by_kind"] as? [String: [String: Any]])
    #expect(kinds["foreign-cpu"]?["worst"] as? Int == 4_100_000)
    #expect(kinds["throttling"]?["unit"] as? String == "1")
  }

  @Test func `hands out many values in small pieces`() throws {
    var arm = SampleRun.arm(.warm)
    arm.metrics = [SampleRun.metric(.launch, (0..<100_000).map { 2_600_000 + $0 })]
    var largest = 0
    var size = 0
    RunJSON(SampleRun.summary([arm])).write { piece in
      largest = max(largest, piece.utf8.count)
      size += piece.utf8.count
    }
    #expect(size > 900_000)
    #expect(largest < 70_000)
  }

  @Test func `keeps every digit of a seed`() {
    var summary = SampleRun.single
    summary.run.plan.seed = .max
    #expect(text(summary).contains(#""seed": 18446744073709551615"#))
  }

  private func text(_ summary: RunSummary) -> String {
    let text = RunJSON(summary).rendered()
    return text
  }
}
