import LabTestSupport
import Testing

@testable import LabChecks
@testable import LaunchCore
@testable import Rendering

@Suite struct RestoreReportTests {
  @Test func `shows what became of each change`() throws {
    let style = TextStyle(width: 140)
    try expectRecord(RestoreText(Self.sample, style: style).rendered(), named: "changes")
  }

  @Test func `shows the same on a narrow terminal`() throws {
    let style = TextStyle(width: 60)
    try expectRecord(RestoreText(Self.sample, style: style).rendered(), named: "narrow")
  }

  @Test func `says that there is nothing to restore`() {
    #expect(
      RestoreText(Recovery(), style: TextStyle()).rendered()
        == "nothing to restore\n"
    )
  }

  @Test func `writes the same as JSON`() throws {
    let text = RestoreJSON(Self.sample).rendered()
    try expectRecord(text, named: "json")
  }

  @Test func `warns of what is not as before`() throws {
    #expect(Self.sample.exitCode == .couldNotMeasure)
    let style = TextStyle()
    let text = DiagnosticText(Self.sample.diagnostics, style: style).rendered()
    try expectRecord(text, named: "diagnostics")
  }

  private func expectRecord(_ text: String, named name: String) throws {
    try expectSnapshot(
      text,
      named: name,
      suite: "RestoreReport",
      filePath: #filePath.replacing("/LabReportTests/Controls/", with: "/LabReportTests/")
    )
  }

  private static let lab = "launchlab run redis.yml (pid 4711)"

  private static let sample = Recovery([
    UndoneChange(
      kind: .cgroup,
      place: "/sys/fs/cgroup/launchlab-4711-8372-1",
      status: .restored,
      lab: lab
    ),
    UndoneChange(
      control: .services,
      kind: .unit,
      place: "cron.service",
      status: .failed,
      reason: "it is inactive after it was started: Access denied",
      remedy: "systemctl start cron.service",
      lab: lab
    ),
    UndoneChange(
      control: .swap,
      kind: .value,
      place: "/proc/sys/vm/swappiness",
      before: "60",
      found: "10",
      status: .foreign,
      remedy: "echo '60' > /proc/sys/vm/swappiness",
      lab: lab
    ),
    UndoneChange(
      control: .thp,
      kind: .value,
      place: "/sys/kernel/mm/transparent_hugepage/enabled",
      before: "madvise",
      status: .restored,
      lab: lab
    ),
    UndoneChange(
      control: .governor,
      kind: .value,
      place: "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
      before: "schedutil",
      status: .expired
    ),
    UndoneChange(kind: .directory, place: "/tmp/launchlab-4711-8372", status: .unchanged),
  ])
}
