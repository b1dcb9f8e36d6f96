import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite struct ControlErrorTests {
  @Test func `names every control that is required and cannot be had`() {
    let error = HostError.controlsRefused([
      .thp: "this takes root", .governor: "there is no cpufreq driver",
    ])
    #expect(
      error.text == """
        error: control "governor" is required, but there is no cpufreq driver
          help: fix that, or take "governor" out of the required controls; `launchlab doctor` \
        says what this host can do
        error: control "thp" is required, but this takes root
          help: fix that, or take "thp" out of the required controls; `launchlab doctor` says \
        what this host can do
        """
    )
    #expect(error.exitCode == .couldNotMeasure)
  }

  @Test(arguments: [
    (Change.value(path: "sys/a", before: "x", after: "y"), "echo 'x' > /sys/a"),
    (.unit(name: "a.timer"), "systemctl start a.timer"),
    (.swapArea(path: "swap", priority: -2), "swapon /swap"),
    (.directory(path: "/tmp/launchlab-1-1"), "rm -r /tmp/launchlab-1-1"),
  ])
  func `knows the command that undoes a change by hand`(change: Change, command: String) {
    #expect(change.manualUndo == command)
  }
}
