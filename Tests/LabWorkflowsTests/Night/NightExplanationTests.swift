import Foundation
import LabTestSupport
import Rendering
import Testing

@testable import Comparison
@testable import Explanation
@testable import History
@testable import LaunchCore
@testable import LaunchHost
@testable import LaunchStore
@testable import Measuring

/// What a night says of why launches are slower, on a laboratory without a machine.
@Suite(.temporaryDirectory) struct NightExplanationTests {
  private static let why =
    "waiting in clock_nanosleep (new), clock_nanosleep 0 → 1: +20.0 of +"

  private func file(_ name: String) -> String { "\(TemporaryDirectory.path)/\(name)" }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: file(name), encoding: .utf8)
  }

  private var store: Store {
    get throws { try Store(path: file(".launchlab/launchlab.sqlite"), mode: .readWrite) }
  }

  private func write(explain: String) throws {
    let text = """
      scenario: app
      targets: {app: {command: [./app]}}
      states: [warm]
      launches: 10
      regression: {metrics: [launch], effect: 5%, proof: 40}
      explain: \(explain)
      notify: [{command: ["\(try FakeProgram.write("\ncat >> \(file("told"))", to: "tell"))"]}]
      """
    try Data(text.utf8).write(to: URL(filePath: file("scenario.yml")))
  }

  private func night(
    _ day: Int,
    rights: @escaping (String) throws(HostError) -> TracingRights = TracingRights.timelinesOnly,
    bisect: NightWorkflow.Bisect? = nil,
    launching laboratory: @escaping (Plan) throws -> any LaunchLaboratory = {
      FakeLaboratory(launching: $0)
    }
  ) async throws -> NightResult {
    let request = try RunRequest(
      scenarioPath: file("scenario.yml"),
      store: nil,
      seed: UInt64(day),
      revision: nil,
      resume: nil,
      reportDirectory: nil
    )
    return try await NightWorkflow(
      request,
      provesSuspicions: true,
      in: .fake(at: SampleNight.evening + 86_400 * Double(day), launching: laboratory),
      rights: rights,
      bisect: bisect
    ).run()
  }

  /// Six quiet nights, and then a program that sleeps.
  private func makeRegression(explain: String) async throws {
    try write(explain: explain)
    try FakeProgram.write("40 ms")
    for day in 0..<6 { #expect(try await night(day).exitCode == .done) }
    try FakeProgram.write("60 ms, sleeps 20 ms")
  }

  private func notes(of result: NightResult) -> [Diagnostic] {
    result.summary.warnings.filter { $0.id == "not-explained" }
  }

  @Test func `a confirmed regression says why wherever it is told`() async throws {
    try await makeRegression(explain: "{when: regression, time: 60s}")

    let red = try await night(6)

    #expect(red.exitCode == .regression)
    #expect(notes(of: red) == [])
    let alert = try #require(try store.alerts(scenario: "app").first)
    let explanation = try #require(alert.explanation)
    #expect(explanation.why.hasPrefix(Self.why), "\(explanation.why)")
    #expect(explanation.run == red.summary.run.id)
    let proof = try #require(alert.proof)
    #expect([explanation.before, explanation.after] == [proof.baseline, proof.candidate])
    #expect(red.trend?.alerts == [alert])

    let report = try text("report/latest.md")
    let head = report.split(separator: "\n").prefix(6)
    #expect(head[4].hasPrefix("- **Why:** waiting in `clock_nanosleep` (new)"), "\(head)")
    #expect(head[5].hasPrefix("- **Next:**"))
    #expect(report.contains("\n### \(proof.candidate) is "))
    #expect(report.contains("| waiting in `clock_nanosleep` (new)"))
    let picture = "\(red.summary.run.id)-R-1-why.svg"
    #expect(report.contains("[Flame graph of the difference](img/\(picture))"))
    #expect(try text("report/img/\(picture)").hasPrefix("<svg"))
    #expect(try text("report/feed.xml").contains("why: \(Self.why)"))
    let launches = "\(red.summary.run.id)-R-1-launches.svg"
    #expect(report.contains("![Launches of the proof](img/\(launches))"))
    let drawn = try text("report/img/\(launches)")
    #expect(drawn.contains("\(proof.baseline): \(proof.pairs) launches</text>"), "\(drawn)")
    #expect(drawn.contains("\(proof.candidate): \(proof.pairs) launches</text>"), "\(drawn)")
    #expect(try text("report/index.html").contains("<summary>Launches of the proof</summary>"))
    #expect(try text("told").contains("\"why\":\"\(Self.why)"))

    let trend = try #require(red.trend)
    let lines = TrendText(trend, style: TextStyle(width: .max)).rendered()
    #expect(lines.contains("\n  why: \(Self.why)"))
    #expect(JUnitReport([trend]).rendered().contains("; why: \(Self.why)"))

    let known = try WhyWorkflow(store: nil, in: .fake()).explanation(of: "R-1")
    let told = AlertText(known.alert, nights: known.nights, style: TextStyle(width: 200))
    #expect(told.rendered().contains("\n  why: \(Self.why)"))
    #expect(told.rendered().contains("\n  \(proof.candidate) is "))
    let json = FindingJSON(known.alert, nights: [], explanation: known.explanation).line
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect((object?["why"] as? String)?.hasPrefix(Self.why) == true)
    let document = object?["explanation"] as? [String: Any]
    #expect(document?["schema"] as? String == "launchlab.explain/1")

    // It is found once, and stays; what was known of a former night does not have it.
    let later = try await night(7, rights: TracingRights.refused)
    #expect(notes(of: later) == [])
    #expect(later.trend?.alerts.first?.explanation == explanation)
    let workflow = TrendWorkflow(store: try store, scenario: "app")
    let before = try workflow.summary(of: red.summary.run.id)
    #expect(before.alerts.first?.explanation == explanation)

    // The launches of its proof are read where they are drawn only.
    #expect(before.distributions.isEmpty)
    let illustrated = try workflow.illustrated(before)
    #expect(Array(illustrated.distributions.keys) == [1])
  }

  @Test(arguments: ["never", "bisect", "{time: 5m}"])
  func `nothing is traced that nobody asked for`(explain: String) async throws {
    try await makeRegression(explain: explain)
    var traced = 0
    let result = try await night(
      6,
      launching: { plan in
        traced += plan.arms.count { $0.kind == .timeline }
        return FakeLaboratory(launching: plan)
      }
    )
    #expect(result.exitCode == .regression)
    #expect(traced == 0)
    #expect(notes(of: result) == [])
    #expect(try store.alert(1).explanation == nil)
    #expect(try !text("report/latest.md").contains("Why"))
  }

  @Test func `where launches cannot be traced one line says so, and the night stays the same`()
    async throws
  {
    try await makeRegression(explain: "regression")
    let result = try await night(6, rights: TracingRights.refused)
    #expect(result.exitCode == .regression)
    let note = try #require(notes(of: result).first)
    #expect(note.severity == .note)
    #expect(note.problem.hasPrefix("R-1 was not explained: "))
    #expect(note.remedy?.contains("CAP_BPF") == true)
    #expect(try store.alert(1).state == .confirmed)
    #expect(try store.runs().first { $0.id == result.summary.run.id }?.outcome?.exitCode == 1)
    #expect(try !text("report/latest.md").contains("Why"))
  }

  @Test(arguments: [HostError.interrupted, .tracing([.refused])])
  func `an explanation that fails on the way changes nothing`(_ failure: HostError) async throws {
    try await makeRegression(explain: "regression")
    let result = try await night(
      6,
      launching: { plan in
        let whole = FakeLaboratory(launching: plan)
        return FakeLaboratory { arm, number in
          guard arm.kind == .timeline, number > 20 else { return try whole.launch(arm) }
          throw failure
        }
      }
    )
    #expect(result.exitCode == .regression)
    #expect(notes(of: result).count == 1)
    #expect(try store.alerts(scenario: "app").map(\.state) == [.confirmed])
    #expect(try text("report/latest.md").contains("🔴"))
  }

  @Test func `a program that is not kept is not explained, and it says what to set`() async throws {
    try await makeRegression(explain: "regression")
    // The proof is over by then.
    let result = try await night(
      6,
      launching: { plan in
        let whole = FakeLaboratory(launching: plan)
        return FakeLaboratory { arm, _ in
          if plan.scenario.targets.count == 2 {
            try? FileManager.default.removeItem(atPath: file(".launchlab/artifacts"))
          }
          return try whole.launch(arm)
        }
      }
    )
    #expect(result.exitCode == .regression)
    let note = try #require(notes(of: result).first)
    #expect(note.problem.hasSuffix("is not kept"), "\(note)")
    #expect(note.remedy?.contains("`artifacts`") == true)
  }

  @Test func `launches that take too long are not traced`() async throws {
    try await makeRegression(explain: "{when: regression, time: 3s}")
    let result = try await night(6)
    #expect(result.exitCode == .regression)
    let note = try #require(notes(of: result).first)
    #expect(note.problem.hasSuffix("it would take less than 10 seconds"))
    #expect(note.remedy?.contains("time: ") == true)
  }

  private func options(store: String? = nil, target: String? = nil) -> ExplainOptions {
    let launching = MeasureOptions(
      command: [],
      states: [],
      launches: 1,
      directory: TemporaryDirectory.path
    )
    return ExplainOptions(
      command: [],
      comparison: CompareOptions(
        words: [],
        launching: launching,
        targets: target.map { [$0] } ?? [],
        seed: 3,
        store: store
      ),
      state: .warm,
      launches: nil,
      time: nil
    )
  }

  private func result(of request: ExplainRequest) async throws -> ExplanationResult {
    try await ExplainWorkflow(request, in: .fake(), rights: TracingRights.timelinesOnly).run()
  }

  @Test func `the programs of an alert and of two nights are launched again`() async throws {
    try await makeRegression(explain: "never")
    let bad = try await night(6).summary.run.id
    let programs = StoredPrograms(options(), in: .fake())

    let request = try await programs.request(ofAlert: "R-1")
    #expect(request.commandLine == ["launchlab", "explain", "--alert", "R-1"])
    #expect(request.alert == "R-1")
    let found = try await result(of: request)
    #expect(try store.alert(1).explanation == nil)
    try programs.keep(found, ofAlert: "R-1")
    let explanation = try #require(try store.alert(1).explanation)
    #expect(explanation.why.hasPrefix(Self.why))

    let nights = try store.nights(scenario: "app").map(\.run)
    #expect(nights.last == bad)
    let again = try await result(of: programs.request(ofRuns: Array(nights.suffix(2))))
    #expect(again.arms.map(\.name) == [explanation.before, explanation.after])
    #expect(again.explanation.reasons.first?.call == "clock_nanosleep")

    func refusal(_ runs: [String], target: String? = nil) async -> String {
      do {
        _ = try await StoredPrograms(options(target: target), in: .fake()).request(ofRuns: runs)
        return "nothing"
      } catch {
        return (error as? any LabError)?.diagnostics.first?.description ?? "\(error)"
      }
    }
    #expect(await refusal([nights[0], nights[1]]).contains("launched the same build of app"))
    let proof = try #require(try store.alert(1).proof?.run)
    #expect(await refusal([nights[0], proof]).contains("is not a night"))
    #expect(await refusal([nights[0], bad], target: "x").contains("one of: app"))
    #expect(await refusal([nights[0], "2020"]).contains("no stored run begins with"))
    try FileManager.default.removeItem(atPath: file(".launchlab/artifacts"))
    let gone = await refusal([nights[0], bad])
    #expect(gone.contains("is not kept") && gone.contains("`artifacts`"), "\(gone)")
  }

  @Test func `what a bisection of the night finds is in its report`() async throws {
    try await makeRegression(explain: "bisect")
    let store = try store
    let result = try await night(
      6,
      bisect: { alerts, run in
        let found = AlertExplanation(
          run: run.id,
          before: "v8",
          after: "v9",
          why: "it sleeps",
          markdown: "it `sleeps`",
          section: "### v9 is slower\n",
          text: "v9 is slower\n"
        )
        let documents = ExplanationDocuments(json: "{}", flameGraph: "<svg/>")
        for alert in alerts {
          #expect((try? store.explain(alert: alert.number, by: found, documents)) != nil)
        }
        return ([], false)
      }
    )
    #expect(result.trend?.alerts.first?.explanation?.why == "it sleeps")
    let report = try text("report/latest.md")
    #expect(report.contains("\n- **Why:** it `sleeps`\n"))
    #expect(try text("report/img/\(result.summary.run.id)-R-1-why.svg") == "<svg/>")
  }
}
