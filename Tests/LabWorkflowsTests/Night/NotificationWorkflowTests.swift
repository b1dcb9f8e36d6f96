import Foundation
import LabTestSupport
import Testing

@testable import Gate
@testable import History
@testable import LaunchCore
@testable import LaunchHost
@testable import LaunchStore
@testable import Measuring

@Suite(.temporaryDirectory) struct NotificationWorkflowTests {
  private var directory: String { TemporaryDirectory.path }

  private func context(_ variables: [String: String] = [:]) -> WorkflowContext {
    var context = WorkflowContext.fake()
    context.environment = ["PATH": "\(directory):/usr/bin:/bin"].merging(variables) { own, _ in own
    }
    return context
  }

  private func script(_ name: String, _ text: String) throws {
    let path = "\(directory)/\(name)"
    try "#!/bin/sh\n\(text)\n".write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  private func file(_ name: String) -> String {
    (try? String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)) ?? ""
  }

  private func deliver(
    _ alerts: [Alert],
    to notifiers: [Notifier],
    in store: Store,
    variables: [String: String] = [:],
    missed: [MissedNight] = []
  ) async -> [Diagnostic] {
    let scenario = SampleNight.scenario(notifiers, directory: directory)
    return await NotificationWorkflow(
      scenario: scenario,
      store: store,
      in: context(variables)
    ).deliver(
      alerts,
      summary: SampleNight.summary(of: scenario, missed: missed),
      at: SampleNight.evening
    )
  }

  private func stored(_ alerts: [Alert]) throws -> Store {
    let store = try SampleNight.store(in: directory, SampleNight.scenario())
    try store.save(alerts)
    return store
  }

  @Test func `tells a command of each finding as JSON, once`() async throws {
    try script("tell", "cat >> findings")
    let alerts = [
      SampleNight.alert(1, events: [SampleNight.event(.confirmed, cause: .code)]),
      SampleNight.alert(2, events: [SampleNight.event(.suspected)]),
    ]
    let store = try stored(alerts)
    for _ in 0..<2 {
      #expect(await deliver(alerts, to: [.command(["tell"])], in: store).isEmpty)
    }
    let lines = file("findings").split(separator: "\n")
    let ids = try lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["id"] as? String
    }
    #expect(ids == ["R-1", "R-2"])
    let deliveries = try store.deliveries(scenario: "redis")
    #expect(deliveries.map(\.notifier) == ["command tell", "command tell"])
    #expect(deliveries.allSatisfy { $0.failure == nil })
  }

  @Test func `keeps what could not be told, and tries it again`() async throws {
    try script("tell", "echo 'no network' >&2; exit 7")
    let alerts = [SampleNight.alert(events: [SampleNight.event(.confirmed, cause: .code)])]
    let store = try stored(alerts)
    let warnings = await deliver(alerts, to: [.command(["tell"])], in: store)
    #expect(warnings.map(\.severity) == [.warning])
    #expect(
      warnings.map(\.problem) == [
        "command tell could not be notified of R-1: it ended with status 7: no network"
      ]
    )
    #expect(
      try store.deliveries(scenario: "redis").map(\.failure) == [
        "it ended with status 7: no network"
      ]
    )
    try script("tell", "cat > findings")
    #expect(await deliver(alerts, to: [.command(["tell"])], in: store).isEmpty)
    #expect(file("findings").contains("R-1"))
    #expect(try store.deliveries(scenario: "redis").map(\.failure).last == .some(nil))
  }

  @Test func `tells others when one fails`() async throws {
    try script("fails", "exit 1")
    try script("sendmail", "cat > message")
    let alerts = [
      SampleNight.alert(1, events: [SampleNight.event(.confirmed, cause: .code)]),
      SampleNight.alert(2, events: [SampleNight.event(.confirmed, cause: .machine)]),
    ]
    let notifiers: [Notifier] = [
      .command(["fails"]), .webhook("$HOOK"), .email("dev@example.org"), .githubSummary,
    ]
    let warnings = await deliver(
      alerts,
      to: notifiers,
      in: try stored(alerts),
      variables: ["GITHUB_STEP_SUMMARY": "\(directory)/summary.md"],
      missed: [MissedNight(day: "2026-11-23", reason: "no run")]
    )
    #expect(
      warnings.map(\.problem) == [
        "command fails could not be notified of R-1: it ended with status 1",
        "command fails could not be notified of R-2: it ended with status 1",
        "webhook $HOOK could not be notified of R-1, R-2: the variable HOOK is not set",
      ]
    )
    #expect(file("message").hasPrefix("To: dev@example.org\nSubject: "))
    #expect(file("message").contains("R-1 ") && file("message").contains("R-2 "))
    #expect(file("summary.md").hasPrefix("## launchlab: redis\n"))
  }

  @Test func `tells everybody when what was told cannot be stored`() async throws {
    try script("tell", "cat >> findings")
    try script("sendmail", "cat > message")
    let alerts = [SampleNight.alert(events: [SampleNight.event(.confirmed, cause: .code)])]
    let path = try stored(alerts).path
    let readOnly = try Store(path: path, mode: .readOnly)
    let notifiers: [Notifier] = [.command(["tell"]), .email("dev@example.org")]
    let warnings = await deliver(alerts, to: notifiers, in: readOnly)
    #expect(warnings.map(\.id) == ["store-read-only"])
    #expect(warnings.map(\.severity) == [.warning])
    #expect(file("findings").contains("R-1"))
    #expect(file("message").contains("R-1"))
  }

  @Test func `warns of any error that keeps what was told from being stored`() {
    struct Odd: Error, CustomStringConvertible { let description = "the disk is odd" }
    let warnings = NotificationWorkflow.unstored(Odd())
    #expect(warnings.map(\.severity) == [.warning])
    #expect(warnings.map(\.problem) == ["notifications cannot be recorded: the disk is odd"])
  }

  @Test func `tells nobody once launchlab is interrupted, and all of them the next night`()
    async throws
  {
    try script("tell", "cat >> findings")
    let alerts = [SampleNight.alert(events: [SampleNight.event(.confirmed, cause: .code)])]
    let store = try stored(alerts)
    let scenario = SampleNight.scenario([.command(["tell"])], directory: directory)
    let context = context()
    try context.interrupt().set()
    let warnings = await NotificationWorkflow(
      scenario: scenario,
      store: store,
      in: context
    ).deliver(alerts, summary: SampleNight.summary(of: scenario), at: SampleNight.evening)
    #expect(
      warnings.map(\.problem) == [
        "command tell could not be notified of R-1: launchlab was interrupted"
      ]
    )
    #expect(file("findings").isEmpty)
    #expect(await deliver(alerts, to: [.command(["tell"])], in: store).isEmpty)
    #expect(file("findings").contains("R-1"))
  }

  @Test func `says in the next notice which nights are missing since the last one`() async throws {
    try script("sendmail", "cat > message")
    let alerts = [SampleNight.alert(events: [SampleNight.event(.confirmed, cause: .code)])]
    let second = SampleNight.evening.addingTimeInterval(2 * 86_400).formatted(.iso8601).prefix(10)
    let third = SampleNight.evening.addingTimeInterval(3 * 86_400).formatted(.iso8601).prefix(10)
    _ = await deliver(
      alerts,
      to: [.email("a@b.c")],
      in: try stored(alerts),
      missed: [
        MissedNight(day: String(second), reason: "no run"),
        MissedNight(day: String(third), reason: "no run"),
      ]
    )
    #expect(file("message").hasSuffix("no result for the night \(third)\n"))
  }

  @Test func `leaves the summary of a job alone where there is no job`() async throws {
    let alerts = [SampleNight.alert(events: [SampleNight.event(.confirmed, cause: .code)])]
    let store = try stored(alerts)
    #expect(await deliver(alerts, to: [.githubSummary], in: store).isEmpty)
    #expect(try store.deliveries(scenario: "redis").isEmpty)
  }

  @Test func `tells everybody of a night without a result`() async throws {
    try script("tell", "cat >> told")
    try script("sendmail", "cat >> mail")
    let notifiers: [Notifier] = [.command(["tell"]), .email("ops@example.com")]
    let scenario = SampleNight.scenario(notifiers, directory: directory)
    var summary = SampleNight.summary(of: scenario)
    summary.tonight.status = .failed
    summary.failure = "server warm exited with status 1"
    let workflow = NotificationWorkflow(
      scenario: scenario,
      store: try stored([]),
      in: context()
    )
    #expect(await workflow.deliverFailure(summary).isEmpty)
    let line = try JSONSerialization.jsonObject(with: Data(file("told").utf8)) as? [String: Any]
    #expect(line?["schema"] as? String == "launchlab.failure/1")
    #expect(line?["run"] as? String == summary.run.id)
    let sentence = "the run has no result: server warm exited with status 1"
    #expect(line?["sentence"] as? String == sentence)
    #expect(file("mail").contains("\n\(sentence)\n"))
  }

  @Test func `tells everybody of what is counted and not allowed, in the first night`() async throws
  {
    try script("tell", "cat >> told")
    let scenario = SampleNight.scenario([.command(["tell"])], directory: directory)
    var summary = SampleNight.summary(of: scenario)
    let finding = GateFinding(
      rule: "libraries",
      target: "server",
      item: "libfoo.so",
      thing: GateThing(kind: .library, name: "libfoo.so"),
      change: "new",
      verdict: .needsApproval
    )
    let workflow = NotificationWorkflow(
      scenario: scenario,
      store: try stored([]),
      in: context()
    )
    let before = summary.nights[1].run
    summary.countedChanges = [CountedChange(run: before, finding: finding, isOpen: true)]
    #expect(await workflow.deliverCounts(summary).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "\(directory)/told"))

    summary.countedChanges = [CountedChange(run: summary.run.id, finding: finding, isOpen: true)]
    #expect(await workflow.deliverCounts(summary).isEmpty)
    let line = try JSONSerialization.jsonObject(with: Data(file("told").utf8)) as? [String: Any]
    #expect(line?["schema"] as? String == "launchlab.counts/1")
    #expect(line?["sentence"] as? String == "server: 1 library more: libfoo.so")
  }

  @Test func `tells nobody of nothing`() async throws {
    try script("tell", "touch told")
    #expect(await deliver([], to: [.command(["tell"])], in: try stored([])).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "\(directory)/told"))
  }

  @Test func `names notifiers without secrets, and each differently`() {
    let notifiers: [Notifier] = [
      .webhook("https://hooks.example.org/T0/secret"), .webhook("https://hooks.example.org/T1/b"),
      .webhook("$HOOK"), .email("a@b.c"), .command(["/bin/tell", "secret"]), .githubSummary,
    ]
    #expect(
      Notifier.named(notifiers).map(\.1) == [
        "webhook hooks.example.org", "webhook hooks.example.org #2", "webhook $HOOK",
        "email a@b.c", "command /bin/tell", "github summary",
      ]
    )
  }
}
