import LabTestSupport
import Testing

@testable import Comparison
@testable import LaunchCore

@Suite struct StoredRunsTests {
  @Test(arguments: [
    "last", "last~1", "last~12", "2026", "20261121", "20261121T0430", "20261121T043000Z-3fa2",
  ])
  func `knows the name of a run`(text: String) { #expect(StoredRuns.isName(text)) }

  @Test(arguments: [
    "true", "last -n 1", "lastlog", "last~", "last~x", "7", "123", "2to3", "20261121X",
    "20261121T043000Z-3fa2 -x", "python3", "./2026",
  ])
  func `takes anything else for a command`(text: String) { #expect(!StoredRuns.isName(text)) }

  private func row(_ target: String, _ state: LaunchState = .warm) -> MetricRow {
    .sample(run: "r", arm: Arm(target: target, state: state), n: 9, median: 1)
  }

  @Test func `pairs the arms of two runs by target and state`() {
    let found = StoredComparisonWorkflow.matches(
      [row("server"), row("server", .rebootCold), row("cli")],
      [row("cli"), row("server"), row("new")]
    )
    #expect(found.map(\.0.arm.target) == ["server", "cli"])
    #expect(found.map(\.1.arm.target) == ["server", "cli"])
  }

  @Test func `pairs the only target of either run, whatever its name`() {
    let found = StoredComparisonWorkflow.matches([row("perl")], [row("python3")])
    #expect(found.map(\.1.arm.target) == ["python3"])
  }
}
