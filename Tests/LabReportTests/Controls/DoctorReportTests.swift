import Foundation
import LabTestSupport
import Testing

@testable import LabChecks
@testable import LaunchCore
@testable import Rendering

@Suite struct DoctorReportTests {
  private static let findings = DoctorFindings(
    host: SampleRun.host,
    capabilities: [
      Capability(
        id: "drop-caches",
        title: "dropping the page cache",
        status: .missing,
        finding:
          "/proc/sys/vm/drop_caches cannot be written, so that the state reboot-cold is refused",
        remedy: "run launchlab as root, or use the state reinstall-cold"
      ),
      Capability(
        id: "aslr",
        title: "random addresses",
        status: .degraded,
        finding: "kernel.randomize_va_space is 0, so that all launches share one layout",
        remedy: "use `--control aslr=on`, or `sudo sysctl kernel.randomize_va_space=2`"
      ),
      Capability(
        id: "governor",
        title: "CPU governor",
        status: .missing,
        finding: "there is no cpufreq driver, so that the clock cannot be held still",
        remedy: "nothing can be done in this virtual machine"
      ),
      Capability(
        id: "psi",
        title: "pressure of storage",
        status: .ok,
        finding: "/proc/pressure/io reports how long tasks wait for storage"
      ),
    ],
    noise: [
      HostNoise(
        run: "20261121T043000Z-3fa2",
        measuredAt: SampleRun.startedAt,
        fingerprint: "3fa21b90c4d1e8a7",
        command: ["/bin/sh", "-c", ":"],
        state: .warm,
        pairs: 60,
        median: 812_345.5,
        coefficientOfVariation: 0.041,
        detectable: [
          DetectableEffect(pairs: 20, effect: 0.06), DetectableEffect(pairs: 50, effect: 0.032),
        ],
        comparisons: 41,
        falseAlarms: 1
      )
    ]
  )

  struct Case: CustomTestStringConvertible {
    var name: String
    var style: TextStyle
    var suppressed: Set<String> = []
    var testDescription: String { name }
  }

  @Test(arguments: [
    Case(name: "unlimited", style: TextStyle(width: .max)),
    Case(name: "wide", style: TextStyle(width: 100)),
    Case(name: "narrow", style: TextStyle(width: 60)),
    Case(name: "colour", style: TextStyle(usesColor: true, width: 100)),
    Case(name: "ascii", style: TextStyle(width: 100, isASCII: true)),
    Case(
      name: "suppressed",
      style: TextStyle(width: 100),
      suppressed: ["governor", "virtual-host", "psi"]
    ),
  ])
  func `shows what was found, the gravest first`(_ test: Case) throws {
    var findings = Self.findings
    findings.suppressed = test.suppressed
    let text = DoctorText(findings, style: test.style).rendered()
    try expectDoctor(text, named: test.name)
  }

  @Test func `keeps commands in one piece`() {
    let text = DoctorText(Self.findings, style: TextStyle(width: 60)).rendered()
    #expect(text.contains("`sudo sysctl kernel.randomize_va_space=2`"))
  }

  @Test func `writes what was found as JSON`() throws {
    var findings = Self.findings
    findings.suppressed = ["governor"]
    let text = DoctorJSON(findings).rendered()
    try expectDoctor(text, named: "json")
    _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  private func expectDoctor(
    _ text: String,
    named name: String,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    try expectSnapshot(
      text,
      named: name,
      suite: "Doctor",
      filePath: #filePath.replacing("/LabReportTests/Controls/", with: "/LabReportTests/"),
      sourceLocation: location
    )
  }
}
