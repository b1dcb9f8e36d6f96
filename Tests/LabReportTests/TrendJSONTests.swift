import Foundation
import LabTestSupport
import Rendering
import Testing

@testable import History

@Suite struct TrendJSONTests {
  private func json(_ summary: TrendSummary) -> String {
    let text = TrendJSON([summary]).rendered()
    return text
  }

  @Test func `writes everything of a first night`() throws {
    try expectSnapshot(json(SampleTrend.first), named: "first", suite: "TrendJSON")
  }

  @Test func `names the scenario's own file in commands`() throws {
    var summary = SampleTrend.red
    summary.scenarioFile = "my shop.yml"
    let commands = json(summary).split(separator: "\n").filter { $0.contains("--revisions") }
    #expect(!commands.isEmpty && commands.allSatisfy { $0.contains(" 'my shop.yml' --target ") })
  }

  @Test(arguments: TrendReportTests.cases)
  func `is one object with a series each`(_ example: TrendReportTests.Case) throws {
    let text = json(example.summary)
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(value?["schema"] as? String == "launchlab.trend/1")
    let scenarios = value?["scenarios"] as? [[String: Any]]
    #expect((scenarios?.first?["series"] as? [Any])?.count == example.summary.series.count)
    #expect((scenarios?.first?["alerts"] as? [Any])?.count == example.summary.alerts.count)
  }
}
