import Foundation
import LabTestSupport
import Rendering
import Testing

@testable import Bisection
@testable import Comparison
@testable import Explanation
@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring

/// What a bisection says of why the culprit is slower, on a laboratory without a machine.
@Suite(.temporaryDirectory) struct CulpritExplanationTests {
  private var root: String { TemporaryDirectory.path }

  private static let why =
    "waiting in clock_nanosleep (new), clock_nanosleep 0 → 1: +8.0 of +"

  /// Sixteen versions, of which the tenth and later ones sleep for 8 ms.
  private func makeVersions() throws {
    for version in 0..<16 {
      let text = version < 9 ? "40 ms" : "48 ms, sleeps 8 ms"
      try FakeProgram.write(text, to: "nightly/v\(version)")
    }
  }

  private func bisect(
    _ rights: @escaping (String) throws(HostError) -> TracingRights = TracingRights.timelinesOnly,
    resuming id: String? = nil,
    explains: Bool = true,
    metric: String? = nil,
    in context: WorkflowContext = .fake()
  ) async throws -> BisectSummary {
    var options = BisectOptions(
      launching: MeasureOptions(command: ["app"], states: ["warm"], launches: 1, directory: root),
      artifacts: "\(root)/nightly",
      metric: metric,
      explains: explains,
      words: []
    )
    guard let id else {
      let request = try await BisectRequest(options, in: context)
      return try await BisectWorkflow(request, in: context, rights: rights).run { _ in }
    }
    options.artifacts = nil
    let request = try BisectRequest(resuming: id, options, in: context)
    return try await BisectWorkflow(request, in: context, rights: rights).run { _ in }
  }

  private func text(_ summary: BisectSummary, isVerbose: Bool = false) -> String {
    BisectText(summary, style: TextStyle(width: 200), isVerbose: isVerbose).rendered()
  }

  private func json(_ summary: BisectSummary) throws -> [String: Any] {
    let text = BisectJSON(summary).rendered()
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private func report(_ summary: BisectSummary) throws -> String {
    let location = LogLocation(.bisection, storeDirectory: "\(root)/.launchlab")
    return try String(contentsOfFile: location.report(of: summary.start.id), encoding: .utf8)
  }

  private func events(_ summary: BisectSummary) throws -> [BisectEvent] {
    try BisectRecord(path: summary.log).events
  }

  @Test func `the text, the report and JSON say why the culprit is slower`() async throws {
    try makeVersions()
    let summary = try await bisect()

    #expect(summary.exitCode == .done)
    let lines = text(summary).split(separator: "\n")
    #expect(lines.dropFirst().first?.hasPrefix("why: \(Self.why)") == true, "\(lines)")

    let report = try report(summary)
    #expect(
      report.contains("\n**Why**: waiting in `clock_nanosleep` (new), clock\\_nanosleep 0 → 1")
    )
    #expect(report.contains("\n## Why\n\n### v9 is "))
    #expect(report.contains("| waiting in `clock_nanosleep` (new)"))
    #expect(report.contains("[Flame graph of the difference](explanation.svg)"))
    let directory = (summary.log as NSString).deletingLastPathComponent
    let picture = try String(contentsOfFile: "\(directory)/explanation.svg", encoding: .utf8)
    #expect(picture.hasPrefix("<svg"))
    // A report that is written elsewhere has the whole path.
    #expect(BisectMarkdown(summary).rendered().contains("`\(directory)/explanation.svg`"))

    let json = try json(summary)
    #expect((json["why"] as? String)?.hasPrefix(Self.why) == true)
    let explanation = try #require(json["explanation"] as? [String: Any])
    #expect(explanation["schema"] as? String == "launchlab.explain/1")
    let reasons = try #require(explanation["reasons"] as? [[String: Any]])
    #expect(reasons.first?["call"] as? String == "clock_nanosleep")
    let names = (explanation["arms"] as? [[String: Any]])?.map { $0["name"] as? String }
    #expect(names == ["v8", "v9"])
  }

  @Test func `a replay says the same, also where only the log is left`() async throws {
    try makeVersions()
    let summary = try await bisect()
    let replayed = try BisectReplay(path: summary.log).summary()
    #expect(replayed.answer == summary.answer)
    #expect(replayed.explanation == summary.explanation)

    let copy = "\(root)/elsewhere.jsonl"
    try FileManager.default.copyItem(atPath: summary.log, toPath: copy)
    let alone = try BisectReplay(path: copy).summary()
    #expect(text(alone).contains("why: \(Self.why)"))
    #expect(BisectMarkdown(alone).rendered().contains("| waiting in `clock_nanosleep` (new)"))
    #expect(try json(alone)["explanation"] is NSNull)
  }

  @Test func `what is not asked for is not traced`() async throws {
    try makeVersions()
    var traced = 0
    let context = WorkflowContext.fake { plan in
      traced += plan.arms.count { $0.kind == .timeline }
      return FakeLaboratory(launching: plan)
    }
    let without = try await bisect(explains: false, in: context)
    #expect(traced == 0)
    #expect(without.explanation == nil)
    #expect(!text(without, isVerbose: true).contains("why:"))
    #expect(try !report(without).contains("Why"))
    #expect(try json(without)["explanation"] is NSNull)
    // Asked for later, it is found out from the same builds.
    let later = try await bisect(resuming: "last", in: context)
    #expect(traced == 2)
    #expect(text(later).contains("why: \(Self.why)"))
    let again = try await bisect(resuming: "last", in: context)
    #expect(traced == 2)
    #expect(again.explanation == later.explanation)
  }

  @Test func `a culprit is launched again from the builds of its bisection`() async throws {
    try makeVersions()
    let summary = try await bisect(explains: false)
    let options = ExplainOptions(
      command: [],
      comparison: CompareOptions(
        words: [],
        launching: MeasureOptions(command: [], states: [], launches: 1, directory: root)
      ),
      state: .warm,
      launches: nil,
      time: nil
    )
    let stored = StoredCulprit(options, in: .fake())
    let request = try stored.request(ofBisection: "last")
    #expect(request.commandLine == ["launchlab", "explain", "--bisect", summary.start.id])
    let result = try await ExplainWorkflow(
      request,
      in: .fake(),
      rights: TracingRights.timelinesOnly
    ).run()
    #expect(result.arms.map(\.name) == ["v8", "v9"])
    #expect(result.explanation.reasons.first?.call == "clock_nanosleep")

    func refusal(_ id: String) -> String {
      do {
        _ = try stored.request(ofBisection: id)
        return "nothing"
      } catch {
        return (error as? any LabError)?.diagnostics.first?.description ?? "\(error)"
      }
    }
    #expect(refusal("2020").contains("no bisection"))
    try FileManager.default.removeItem(atPath: "\(root)/nightly/v9")
    let gone = refusal("last")
    #expect(gone.contains("are gone") && gone.contains("put its executables back"), "\(gone)")
    for version in 0..<16 { try FakeProgram.write("40 ms", to: "nightly/v\(version)") }
    let none = try await bisect().start.id
    #expect(refusal(none).contains("has no culprit"))
  }

  @Test func `CPU time is not explained by the time of launches`() async throws {
    try makeVersions()
    let context = WorkflowContext.fake { plan in
      let whole = FakeLaboratory(launching: plan)
      return FakeLaboratory { arm, _ in
        var result = try whole.launch(arm)
        result.figures.userTime = result.launch
        result.figures.systemTime = .zero
        return result
      }
    }
    let summary = try await bisect(metric: "cpu_time", in: context)
    #expect(summary.answer.culprits.count == 1)
    #expect(summary.explanation == nil)
    #expect(summary.explanationFailure == nil)
  }

  @Test func `where launches cannot be traced nothing changes`() async throws {
    try makeVersions()
    let summary = try await bisect(TracingRights.refused)
    #expect(summary.exitCode == .done)
    #expect(summary.answer.culprits.map(\.revisions) == [9...9])
    #expect(!text(summary).contains("why:"))
    let reason = "why: not traced here (the kernel does not load the programs that record events"
    #expect(text(summary, isVerbose: true).contains("\n\(reason)"))
    #expect(summary.warnings.allSatisfy { !$0.problem.contains("the kernel does not load") })
    #expect(try !report(summary).contains("Why"))
    #expect(try !events(summary).contains { if case .explained = $0 { true } else { false } })
  }

  @Test(arguments: [HostError.interrupted, .tracing([.refused])])
  func `a tracer that fails on the way loses nothing`(_ failure: HostError) async throws {
    try makeVersions()
    var reportBefore = ""
    let location = LogLocation(.bisection, storeDirectory: "\(root)/.launchlab")
    let context = WorkflowContext.fake { plan in
      let whole = FakeLaboratory(launching: plan)
      return FakeLaboratory { arm, number in
        guard arm.kind == .timeline, number > 20 else { return try whole.launch(arm) }
        let id = try #require(location.ids.last)
        reportBefore = try String(contentsOfFile: location.report(of: id), encoding: .utf8)
        throw failure
      }
    }
    let cut = try await bisect(in: context)
    #expect(cut.exitCode == .done)
    #expect(cut.explanation == nil)
    #expect(cut.explanationFailure != nil)
    // A process that is killed there leaves the same.
    #expect(reportBefore.contains("v9"))
    #expect(try report(cut) == reportBefore)
    #expect(try events(cut).last.map { if case .ended = $0 { true } else { false } } == true)
    // The machine is nobody's afterwards.
    try WorkflowContext.fake().session(for: ["test"]).end()

    let whole = try await bisect(resuming: "last")
    #expect(whole.answer == cut.answer)
    #expect(text(whole).contains("why: \(Self.why)"))
  }
}

extension TracingRights {
  /// A host that lets nothing be traced.
  static func refused(_ directory: String) throws(HostError) -> Self {
    Self(refused: [.bpf: .refused, .ptrace: .refused], profiles: .refused)
  }

  /// A host that lets events be recorded, but no call stacks be sampled.
  static func timelinesOnly(_ directory: String) throws(HostError) -> Self {
    Self(profiles: .refused)
  }
}

extension TracingFailure {
  static let refused = Self(helper: "timeline", step: .load, errno: 1)
}
