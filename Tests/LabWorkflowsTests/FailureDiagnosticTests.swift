import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Measuring

@Suite struct FailureDiagnosticTests {
  @Test func `shows what the target printed, and where it failed`() {
    let output = CapturedOutput(
      stdout: CapturedStream(head: Array("hi\n".utf8), totalBytes: 3),
      stderr: CapturedStream(head: Array("no such\nfile\n".utf8), totalBytes: 13)
    )

    let diagnostic = FailureDiagnostic.make(
      arm: Arm(target: "sh", state: .warm),
      ready: .exit,
      record: record(.exited(code: 3), output),
      times: 3
    )

    #expect(
      diagnostic.description == """
        error: exited with status 3, 3 times in a row, so the run stops
            stdout | hi
            stderr | no such
            stderr | file
          at: target "sh", warm, block 2
          help: run the command by hand, or allow the status: `exit: [0, 3]` in the scenario, or \
        --exit-status 0,3; any is allowed by --ignore-exit-status
        """
    )
  }

  @Test func `shows the end of a long stream`() {
    let stream = CapturedStream(
      head: Array("first\n".utf8),
      tail: Array("last\n".utf8),
      totalBytes: 1_000_000
    )

    let diagnostic = FailureDiagnostic.make(
      arm: Arm(target: "x", state: .warm),
      ready: .exit,
      record: record(.timedOut, CapturedOutput(stdout: stream)),
      times: 3
    )

    #expect(diagnostic.problem.hasSuffix("stdout | last"))
    #expect(diagnostic.remedy?.contains("`tty: true`") == true)
  }

  @Test func `says that nothing was printed`() {
    let diagnostic = FailureDiagnostic.make(
      arm: Arm(target: "x", state: .warm),
      ready: .exit,
      record: record(.signalled(signal: 11), CapturedOutput()),
      times: 3
    )
    #expect(diagnostic.problem.hasSuffix("it printed nothing"))
  }

  @Test func `says with which collector a target fails`() {
    let diagnostic = FailureDiagnostic.make(
      unready: Arm(target: "x", state: .warm, kind: .probe),
      ready: .exit,
      record: record(.exited(code: 1), CapturedOutput())
    )
    #expect(diagnostic.place == "target \"x\", warm, launches with probe, block 2")
    #expect(diagnostic.problem.hasPrefix("exited with status 1, so the launch has no total"))
    #expect(diagnostic.remedy?.contains("`probe_hidden: true`") == true)
  }

  @Test func `says which launch mark was waited for, and how it is made`() {
    let diagnostic = FailureDiagnostic.make(
      arm: Arm(target: "x", state: .warm),
      ready: .mark(name: "first frame"),
      record: record(.timedOut, CapturedOutput()),
      times: 3
    )
    #expect(
      diagnostic.remedy
        == "raise `timeout`, or call `launch_mark(\"first frame\")` of launch_marks.h in the "
        + "program; it did not make the launch mark \"first frame\" in time"
    )
    let exited = FailureDiagnostic.make(
      arm: Arm(target: "x", state: .warm),
      ready: .mark(name: "ready"),
      record: record(.exited(code: 0), CapturedOutput()),
      times: 3
    )
    #expect(exited.remedy?.contains("call `launch_ready()` of launch_marks.h") == true)
  }

  struct Sight: CustomTestStringConvertible {
    var ready: Readiness
    var sight: TreeSight
    var seen: String
    var remedy: String
    var testDescription: String { seen }
  }

  @Test(arguments: [
    Sight(
      ready: .tcp(host: "127.0.0.1", port: 8_080),
      sight: TreeSight(
        processes: ["sh", "app", "app"],
        window: .milliseconds(1_500),
        ports: ["127.0.0.1:8081"],
        sockets: ["/run/app.sock"],
        files: ["/var/log/app.log"]
      ),
      seen: """
        waiting for tcp 127.0.0.1:8080; 3 processes (sh, app) are asleep: no processor time in the \
        last 1.5 s
            listening on tcp 127.0.0.1:8081, unix /run/app.sock
            with these files open: /var/log/app.log
        """,
      remedy: "it listens elsewhere: set `ready: {tcp: \"127.0.0.1:8081\"}`"
    ),
    Sight(
      ready: .exit,
      sight: TreeSight(processes: ["sleep"], window: .seconds(1)),
      seen: "waiting for exit; sleep is asleep: no processor time in the last 1 s",
      remedy: "it does not exit by itself: set `ready`, such as to {stdout: PATTERN}"
    ),
    Sight(
      ready: .notify,
      sight: TreeSight(processes: ["java"], used: .milliseconds(980), window: .seconds(1)),
      seen:
        "waiting for sd_notify READY=1; java is at work: 0.98 s of processor time in the last 1 s",
      remedy: "it is still computing: raise `timeout`"
    ),
    Sight(
      ready: .file(path: "/x"),
      sight: TreeSight(processes: ["cp"], window: .seconds(1), isActive: true),
      seen: "waiting for file /x; cp is waiting for storage, or about to run",
      remedy: "it is still computing: raise `timeout`"
    ),
    Sight(
      ready: .output(stream: .stdout, pattern: "^up"),
      sight: TreeSight(processes: ["app"], window: .seconds(1)),
      seen:
        "waiting for stdout matching \"^up\"; app is asleep: no processor time in the last 1 s",
      remedy:
        "raise `timeout`, or check `ready`; a program that buffers its output needs `tty: true`"
    ),
  ])
  func `says what a target did instead of becoming ready`(example: Sight) {
    var record = record(.timedOut, CapturedOutput())
    record.result.sight = example.sight
    let diagnostic = FailureDiagnostic.make(
      arm: Arm(target: "app", state: .warm),
      ready: example.ready,
      record: record,
      times: 1
    )
    #expect(
      diagnostic.problem == """
        timed out at its first launch, so the run stops
            \(example.seen)
            it printed nothing
        """
    )
    #expect(diagnostic.remedy == example.remedy)
  }

  private func diagnostic(
    _ condition: WindowCondition,
    windows: [SeenWindow]
  ) -> Diagnostic {
    var record = record(.timedOut, CapturedOutput())
    record.result.windows = windows
    return FailureDiagnostic.make(
      arm: Arm(target: "mail", state: .warm),
      ready: .window(condition),
      record: record,
      times: 1
    )
  }

  @Test func `shows the windows that were there instead`() {
    let splash = SeenWindow(
      title: "Mail",
      windowClass: "mail Mail",
      width: 300,
      height: 200,
      isPassing: true,
      isShown: false,
      mapped: .milliseconds(80)
    )
    let plain = SeenWindow(width: 800, height: 600, isPlain: true, mapped: .milliseconds(250))

    let diagnostic = diagnostic(WindowCondition(.frame), windows: [splash, plain])

    #expect(
      diagnostic.problem == """
        timed out at its first launch, so the run stops
            window "Mail" (mail Mail, 300x200, a menu, tooltip or splash): mapped after 80.00 ms, and gone again
            a window (800x600): mapped after 250.0 ms, one color only
            it printed nothing
        """
    )
    #expect(diagnostic.remedy?.contains("one color only: wait for `window`") == true)
  }

  @Test func `says that another process shows the window`() throws {
    let window = SeenWindow(
      process: 41,
      title: "Inbox",
      width: 800,
      height: 600,
      isOwn: false,
      mapped: .milliseconds(90)
    )
    let diagnostic = diagnostic(WindowCondition(.window), windows: [window])
    #expect(diagnostic.problem.contains("(800x600, of another process): mapped after 90.00 ms"))
    let remedy = try #require(diagnostic.remedy)
    #expect(remedy.hasPrefix("process 41, which was there before, shows its window"))
  }

  @Test func `advises by what the window lacks`() {
    let window = SeenWindow(
      width: 800,
      height: 600,
      mapped: .milliseconds(1),
      content: .milliseconds(2)
    )
    let settled = diagnostic(WindowCondition(.settled(quiet: .seconds(1))), windows: [window])
    #expect(settled.remedy?.contains("did not stop changing") == true)
    let titled = diagnostic(WindowCondition(.window, title: "x"), windows: [window])
    #expect(titled.remedy?.contains("check `title`") == true)
    let none = diagnostic(WindowCondition(.window), windows: [])
    #expect(none.problem.contains("it made no window on the display"))
    #expect(none.remedy?.contains("other kind of display") == true)
  }

  private func record(_ outcome: Outcome, _ output: CapturedOutput) -> LaunchRecord {
    .sample(block: 2, LaunchResult(outcome: outcome, output: output))
  }
}
