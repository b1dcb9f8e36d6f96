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

  @Test(arguments: cases)
  func `writes a run`(_ example: Case) throws {
    try expectSnapshot(text(example.summary), named: example.name, suite: "RunJSON")
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
