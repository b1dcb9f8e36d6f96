import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite struct CycleClockTests {
  @Test func `takes the middle of three rates`() {
    let clock = CycleClock(rates: [2.0e9, 2.001e9, 2.0005e9], source: "tsc")
    #expect(clock.hertz == 2.0005e9)
    #expect(
      clock.explanation
        == "cycles are counted as 2000.50 MHz, which was measured against tsc"
    )
  }

  @Test func `warns that a virtual machine's rate may change`() {
    let clock = CycleClock(rates: [2e9, 2e9, 2e9], source: "kvm-clock")
    #expect(clock.hertz == 2e9)
    #expect(clock.explanation.hasSuffix("kvm-clock, and is right until this machine is moved"))
  }

  @Test(arguments: [[2.0e9, 2.01e9, 2.0e9], [0, 2e9, 2e9], [0, 0, 0]])
  func `has no rate when measurements disagree`(_ rates: [Double]) {
    let clock = CycleClock(rates: rates, source: "tsc")
    #expect(clock.hertz == nil)
    #expect(
      clock.explanation
        == "cycles are not turned to time: 3 measurements of its rate disagree"
    )
  }

  @Test(arguments: ["hpet", "acpi_pm", "refined-jiffies"])
  func `has no rate when the kernel keeps time by another clock`(_ source: String) throws {
    try withTemporaryDirectory { root in
      let directory = "\(root)/sys/devices/system/clocksource/clocksource0"
      try TestMachine.shell("mkdir -p '\(directory)'", in: root)
      try source.write(
        toFile: "\(directory)/current_clocksource",
        atomically: false,
        encoding: .utf8
      )
      let clock = CycleClock.measured(host: HostTree(root: .init(root)))
      #expect(clock.hertz == nil)
      #expect(clock.explanation.hasPrefix("cycles are not turned to time: "))
    }
  }

  @Test func `gives a rate or a reason on this machine`() {
    let clock = CycleClock.measured()
    #expect((clock.hertz == nil) == clock.explanation.hasPrefix("cycles are not turned to time: "))
    // No processor counts outside of this.
    #expect(clock.hertz.map { (1e8...1e10).contains($0) } ?? true)
  }
}
