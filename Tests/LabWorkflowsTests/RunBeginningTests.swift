import LabModel
import Testing

@testable import LabWorkflows

@Suite struct RunBeginningTests {
  private func receipt(
    _ name: String,
    _ status: ControlReceipt.Status,
    wanted: String? = "never",
    reason: String? = nil
  ) -> ControlReceipt {
    ControlReceipt(name: name, wanted: wanted, status: status, reason: reason)
  }

  @Test func `a run is not resumed with a control that cannot be had any more`() {
    let difference = RunBeginning.difference(
      of: [receipt("aslr", .applied), receipt("thp", .failed, reason: "run as root")],
      from: [receipt("thp", .applied), receipt("aslr", .applied)]
    )
    #expect(difference == "the control thp was applied and is failed now (run as root)")
  }

  @Test func `nor with one that could not be had before`() {
    let difference = RunBeginning.difference(
      of: [receipt("thp", .applied)],
      from: [receipt("thp", .unavailable)]
    )
    #expect(difference == "the control thp was unavailable and is applied now")
  }

  @Test func `what was only observed, and runs of before there were controls, are resumed`() {
    let now = [
      receipt("thp", .failed), receipt("proactive_reclaim", .unavailable, wanted: nil),
    ]
    let stored = [receipt("thp", .failed), receipt("proactive_reclaim", .observed, wanted: nil)]
    #expect(RunBeginning.difference(of: now, from: stored) == nil)
    #expect(RunBeginning.difference(of: now, from: []) == nil)
  }
}
