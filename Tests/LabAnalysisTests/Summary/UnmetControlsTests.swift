import Testing

@testable import LaunchCore
@testable import Measuring
@testable import Rendering

@Suite struct UnmetControlsTests {
  private static let noProcessor = "only 0, 1 are on; choose among them"

  private static let receipts = [
    ControlReceipt(name: "cpus", wanted: "3", status: .unavailable, reason: noProcessor),
    ControlReceipt(name: "shield", wanted: "all but 3", status: .unavailable, reason: noProcessor),
    ControlReceipt(name: "swap", wanted: "off", status: .applied, reason: "one area stays on"),
    ControlReceipt(name: "thp", wanted: "never", status: .applied),
    ControlReceipt(name: "steal", status: .applied, reason: "no throttle counters"),
    ControlReceipt(name: "boost", status: .unavailable, reason: "nobody asked"),
    ControlReceipt(name: "containment", wanted: "cgroup", status: .unavailable, reason: "none"),
  ]

  @Test func `tells of all that was asked for and is not had, in one warning`() {
    let plan = ControlPlan(
      cpus: [3],
      hugePages: .never,
      swap: .off,
      steal: DisturbanceLimits()
    )
    #expect(
      UnmetControls(plan, receipts: Self.receipts).warning?.problem
        == "controls not applied: cpus, shield, swap (in part); cpus: \(Self.noProcessor); "
        + "swap: one area stays on"
    )
    let governor = ControlPlan(governor: "performance")
    let refused = ControlReceipt(name: "governor", status: .failed, reason: "permission denied")
    #expect(
      UnmetControls(governor, receipts: [refused]).warning?.problem
        == "control not applied: governor: permission denied"
    )
    #expect(UnmetControls(governor, receipts: Self.receipts).warning == nil)
  }

  @Test func `tells of it before all other warnings`() {
    var builder = RunBuilder(controls: ControlPlan(cpus: [3]))
    builder.add([1_000, 5_000])
    builder.run.controls = Self.receipts
    let warnings = builder.summary.warnings
    #expect(warnings.count > 1)
    #expect(warnings.first?.id == UnmetControls.id)
    let brief = DiagnosticText(warnings, style: TextStyle()).brief(atMost: 3, allWith: "-v")
    #expect(brief.hasPrefix("warning: controls not applied: cpus, shield\n"), "\(brief)")
  }

  @Test func `a plan says what is not available`() {
    let wishes = ControlWishes(
      ControlPlan(padsEnvironment: false, governor: "performance"),
      obstacles: [.governor: "no cpufreq driver"]
    )
    #expect(
      wishes.lines(style: TextStyle()).dropFirst() == [
        "  governor: performance on every processor",
        "      not available here: no cpufreq driver",
      ]
    )
  }
}
