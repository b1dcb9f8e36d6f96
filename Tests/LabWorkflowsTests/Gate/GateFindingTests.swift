import Foundation
import LabTestSupport
import LaunchCore
import Rendering
import Testing

@testable import Gate

struct GateFindingTests {
  private static func object(
    _ name: String,
    initializers: [String] = [],
    tasks: [String] = [],
    relocations: Int = 100,
    mapped: Int64 = 1 << 20,
    needed: [String] = [],
    hardening: Set<String> = ["relro"]
  ) -> LaunchedObject {
    var object = LaunchedObject(path: "/build/\(name)")
    object.initializers = initializers.map {
      .init(
        section: "init_array",
        address: 1,
        name: $0,
        source: .init(file: "/build/\($0).cc", line: 7)
      )
    }
    object.tasks = tasks.map { .init(name: $0, phase: "main") }
    object.relocations = ["relative": relocations]
    object.mapped = mapped
    object.needed = needed
    object.hardening = hardening
    return object
  }

  private func findings(
    _ base: [LaunchedObject],
    _ head: [LaunchedObject],
    rules: GateRules = GateRules(),
    approvals: [GateApproval] = [],
    unread: (base: [String: String], head: [String: String]) = ([:], [:])
  ) -> [GateFinding] {
    ObjectComparison(
      target: "app",
      base: built(base, unread: unread.base),
      head: built(head, unread: unread.head),
      judge: GateJudge(rules: rules, approvals: approvals, day: "2026-11-25")
    ).findings.filter { $0.verdict != .passed }
  }

  private func built(_ objects: [LaunchedObject], unread: [String: String]) -> BuiltObjects {
    let launched = LaunchedObjects(
      program: objects[0],
      libraries: Array(objects.dropFirst()),
      unread: unread
    )
    return BuiltObjects(launched, in: "/build")
  }

  @Test func `what one build cannot read is undecided, and not new or gone in the other`() {
    let unread = ["/build/liba.so": "it is damaged"]
    let gone = findings([Self.app, Self.library], [Self.app], unread: ([:], unread))
    #expect(gone.map(\.verdict) == [.undecided])
    #expect(gone[0].details == ["liba.so of head: it is damaged"])
    let new = findings([Self.app], [Self.app, Self.library], unread: (unread, [:]))
    #expect(new.map(\.verdict) == [.undecided])
  }

  @Test func `the initializer of a file is called after it, whatever the compiler calls it`() {
    func app(_ name: String, _ source: LaunchedObject.SourceLine?) -> [LaunchedObject] {
      var app = LaunchedObject(path: "/build/app")
      app.initializers = [.init(section: "init_array", address: 1, name: name, source: source)]
      return [app]
    }
    let line = LaunchedObject.SourceLine(file: "/build/src/fonts.cc", line: 3)
    #expect(findings(app("_GLOBAL__sub_I_a", line), app("_GLOBAL__sub_I_b", line)) == [])
    #expect(findings(app("_GLOBAL__sub_I_a", nil), app("_GLOBAL__sub_I_b", nil)) == [])
    let found = findings(app("start", nil), app("_GLOBAL__sub_I_b", line))
    #expect(found.first?.item == "_GLOBAL__sub_I_fonts.cc in program")
  }

  @Test func `functions without names are counted`() {
    func library(_ names: [String?]) -> [LaunchedObject] {
      var library = LaunchedObject(path: "/build/liba.so")
      library.initializers = names.map { .init(section: "init_array", address: 1, name: $0) }
      return [Self.app, library]
    }
    #expect(findings(library([nil, nil]), library([nil, nil])) == [])
    // One that every C library brings along has been left out by its name.
    #expect(findings(library(["one"]), library([nil, nil])) == [])
    let found = findings(library([nil]), library([nil, nil]))
    #expect(found.map(\.verdict) == [.needsApproval])
    #expect(found[0].base == "1" && found[0].head == "2")
  }

  @Test func `two libraries of one name are two, by their paths`() {
    let (one, two) = (Self.object("a/plug.so"), Self.object("b/plug.so"))
    let found = findings([Self.app, one], [Self.app, one, two])
    #expect(found.first?.item == "b/plug.so")
  }

  private static let app = object("app", initializers: ["start"], needed: ["liba.so"])
  private static let library = object("liba.so", initializers: ["one"])

  @Test func `the same files differ in nothing`() {
    #expect(findings([Self.app, Self.library], [Self.app, Self.library]) == [])
  }

  @Test func `a new library is told with who needs it, and its initializers with it`() {
    var app = Self.app
    app.needed.append("libnew.so")
    let new = Self.object("libnew.so", initializers: ["two"], relocations: 0, mapped: 0)
    let found = findings([Self.app, Self.library], [app, Self.library, new])
    #expect(found.map(\.rule) == ["libraries"])
    #expect(found[0].item == "libnew.so" && found[0].verdict == .needsApproval)
    #expect(found[0].details[0] == "needed by program")
    #expect(found[0].details[1].hasPrefix("1 initializer, "))
  }

  @Test func `what is gone is told and not limited`() {
    let found = findings([Self.app, Self.library], [Self.app])
    #expect(found.map(\.item) == ["liba.so", "one in liba.so"])
    #expect(found.allSatisfy { $0.change == "gone" && $0.verdict == .remark })
  }

  @Test func `an initializer is new, or has moved`() {
    let head = Self.object("liba.so", initializers: ["one", "two"])
    let found = findings([Self.app, Self.library], [Self.app, head])
    #expect(found.map(\.item) == ["two in liba.so"])
    #expect(found[0].source == .init(file: "two.cc", line: 7))
    let moved = findings(
      [Self.app, Self.library],
      [
        Self.object("app", initializers: ["start", "one"], needed: ["liba.so"]),
        Self.object("liba.so"),
      ]
    )
    #expect(moved.map(\.change) == ["moved"])
    #expect(moved[0].base == "liba.so" && moved[0].head == "program")
  }

  @Test func `tasks are new, or gone`() {
    let head = Self.object("app", initializers: ["start"], tasks: ["load"], needed: ["liba.so"])
    let found = findings([Self.app, Self.library], [head, Self.library])
    #expect(found.map(\.rule) == ["tasks"] && found[0].item == "load in program")
    #expect(findings([head, Self.library], [Self.app, Self.library]).map(\.change) == ["gone"])
  }

  @Test func `figures fail beyond their limits, and not by what linkers round`() {
    func app(_ relocations: Int, _ mapped: Int64) -> [LaunchedObject] {
      [Self.object("app", relocations: relocations, mapped: mapped)]
    }
    let found = findings(app(1_000, 10 << 20), app(1_500, 12 << 20))
    #expect(found.map(\.rule) == ["relocations", "mapped"])
    #expect(found.allSatisfy { $0.verdict == .failed })
    #expect(found[0].change == "+50 %" && found[0].details == ["program, relative: 1000 → 1500"])
    #expect(findings(app(100, 1 << 20), app(149, (1 << 20) + (255 << 10))) == [])
    #expect(findings(app(10_000, 100 << 20), app(10_400, 104 << 20)) == [])
  }

  @Test func `hardening that is lost is a remark`() {
    let head = Self.object(
      "app",
      initializers: ["start"],
      needed: ["liba.so"],
      hardening: ["exec-stack"]
    )
    let found = findings([Self.app, Self.library], [head, Self.library])
    #expect(found.map(\.item) == ["relro of program", "exec-stack of program"])
    #expect(found.allSatisfy { $0.verdict == .remark && $0.verdict.exitCode == .done })
  }

  @Test func `rules forbid, ignore, or ask for an approval that has not ended`() {
    let head = [Self.app, Self.library, Self.object("libnew.so", relocations: 0, mapped: 0)]
    var rules = GateRules()
    rules.libraries = .forbid
    var approval = GateApproval(kind: .library, name: "libnew.so", reason: "r", by: "Ann")
    func verdicts() -> [GateFinding.Verdict] {
      findings([Self.app, Self.library], head, rules: rules, approvals: [approval]).map(\.verdict)
    }
    #expect(verdicts() == [.failed])
    rules.libraries = .ignore
    #expect(verdicts() == [])
    rules.libraries = .review
    #expect(verdicts() == [.approved])
    approval.until = "2026-11-25"
    #expect(verdicts() == [.approved])
    approval.until = "2026-11-24"
    #expect(verdicts() == [.needsApproval])
    let found = findings([Self.app, Self.library], head, approvals: [approval])
    #expect(found[0].details.contains("its approval by Ann expired on 2026-11-24"))
  }

  @Test func `approvals that nothing needs are told`() {
    let approvals = ["liba.so", "libgone.so"].map {
      GateApproval(kind: .library, name: $0, reason: "r", by: "Ann")
    }
    let judge = GateJudge(rules: GateRules(), approvals: approvals, day: "2026-11-25")
    let idle = judge.idle(among: [.init(kind: .library, name: "liba.so")])
    #expect(idle.map(\.approval.name) == ["libgone.so"])
  }

  @Test func `counts that differ among launches decide only where no launch is within the limit`() {
    let judge = GateJudge(rules: GateRules(), approvals: [], day: "2026-11-25")
    func verdict(_ base: [Double], _ head: [Double]) -> GateFinding.Verdict {
      func count(_ values: [Double]) -> GateCount {
        GateCount(
          median: values[values.count / 2],
          lowest: values[0],
          highest: values[values.count - 1]
        )
      }
      return judge.judged(.files, of: "app", count(base), count(head), details: []).verdict
    }
    #expect(verdict([20], [50]) == .failed)
    #expect(verdict([20], [22]) == .passed)
    #expect(verdict([0], [3]) == .failed)
    #expect(verdict([0], [0]) == .passed)
    // At least 3 files and more than 10 %.
    #expect(verdict([10, 20, 20], [24, 50, 50]) == .failed)
    #expect(verdict([10, 20, 20], [22, 50, 50]) == .undecided)
    #expect(verdict([10, 20, 30], [32, 50, 90]) == .undecided)
    #expect(verdict([10, 20, 30], [35, 50, 90]) == .failed)
    #expect(verdict([10, 20, 30], [10, 21, 90]) == .passed)
    let limits = [20.0, 100].map {
      judge.judged(.files, of: "app", GateCount($0), GateCount($0 + 2), details: []).limit
    }
    #expect(limits == ["< +3", "+10 %"])
  }

  @Test(arguments: [
    ("main..HEAD", "main", "HEAD", false), ("main...HEAD", "main", "HEAD", true),
    ("v1..", "v1", "HEAD", false), ("...topic", "HEAD", "topic", true),
  ])
  func `reads ranges as git does`(
    _ text: String,
    _ base: String,
    _ head: String,
    _ merge: Bool
  ) throws {
    let revisions = try GateWorkflow.revisions(in: text)
    #expect(revisions == (base, head, merge))
  }

  @Test(arguments: ["main", "..", "...", "a..b..c", "--x..y", "a....b"])
  func `refuses what is no range`(_ text: String) {
    #expect(throws: (any Error).self) { try GateWorkflow.revisions(in: text) }
  }
}

struct GateReportTests {
  private var result: GateResult {
    let thing = GateThing(kind: .library, name: "libnew.so")
    let findings = [
      GateFinding(
        rule: "libraries",
        target: "app",
        item: "libnew.so",
        thing: thing,
        change: "new",
        limit: "review",
        verdict: .needsApproval,
        details: ["needed by program"]
      ),
      GateFinding(
        rule: "launch",
        target: "app",
        state: .warm,
        item: "launch, warm",
        figures: .init(base: 2e6, head: 2.1e6),
        base: "2.0 ms",
        head: "2.1 ms",
        change: "+5 %",
        limit: "+10 %",
        verdict: .passed
      ),
    ]
    return GateResult(
      base: .init(id: "aaaaaaaaaaaa", subject: "Base | one"),
      head: .init(id: "bbbbbbbbbbbb", subject: "Head"),
      scenario: "ci/scenario.yml",
      scenarioPath: "app/ci/scenario.yml",
      prefix: "app/",
      findings: findings,
      problems: ["instructions are not counted"],
      idle: []
    )
  }

  @Test func `the verdict is the last line of the text, and what passed is behind -v`() {
    let report = GateReport(result)
    let lines = report.text().split(separator: "\n")
    #expect(lines.last == "aaaaaaaaa..bbbbbbbbb failed: 1 to be approved")
    #expect(lines[0].hasPrefix("needs approval"))
    #expect(
      lines[2]
        == "    launchlab gate approve library:libnew.so --scenario ci/scenario.yml --reason '…'"
    )
    #expect(!report.text().contains("launch, warm"))
    #expect(report.text(isVerbose: true).contains("launch, warm"))
    #expect(result.exitCode == .regression)
  }

  @Test func `the comment begins with the verdict, and folds what passed`() throws {
    let text = GateReport(result).markdown()
    #expect(text.hasPrefix("### 🔴 Launch gate: failed: 1 to be approved\n"))
    let folded = try #require(text.range(of: "<details>"))
    let passed = try #require(text.range(of: "launch, warm"))
    #expect(folded.lowerBound < passed.lowerBound)
    #expect(text.contains("launchlab gate approve library:libnew.so"))
    #expect(text.contains("instructions are not counted"))
  }

  @Test func `a step that could not be done is told, and leaves the gate undecided at best`() {
    var result = result
    result.findings.removeFirst()
    #expect(result.verdict == .passed && result.exitCode == .done)
    result.failures = [
      Diagnostic(.error, id: "e", problem: "the target fails", remedy: "run it by hand")
    ]
    #expect(result.verdict == .undecided && result.exitCode == .couldNotMeasure)
    let report = GateReport(result)
    #expect(report.text().contains("note: not done: the target fails; run it by hand\n"))
    #expect(report.verdict == "failed: 1 not done")
  }

  @Test func `JSON has everything`() throws {
    var text = ""
    JSONText.write(GateReport(result).json(), .indented) { text += $0 }
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(document?["schema"] as? String == "launchlab.gate/1")
    #expect(document?["exit_code"] as? Int == 1)
    let findings = document?["findings"] as? [[String: Any]]
    #expect(findings?.count == 2)
    #expect(findings?.first?["verdict"] as? String == "needs_approval")
    #expect(findings?.last?["state"] as? String == "warm")
  }

  // MARK: - For CI systems

  /// With an initializer whose place is known, and something that could not be done.
  private var whole: GateReport {
    var result = result
    result.findings.insert(
      GateFinding(
        rule: "initializers",
        target: "app",
        item: "load_fonts in program",
        thing: .init(kind: .initializer, name: "load_fonts", library: "program"),
        change: "new",
        limit: "review",
        verdict: .undecided,
        details: ["100 % <sure>"],
        source: .init(file: "src/a, b:c.cc", line: 7)
      ),
      at: 1
    )
    result.failures = [Diagnostic(.error, id: "e", problem: "the target fails", remedy: "look")]
    return GateReport(result)
  }

  private func document(_ format: GateFormat) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(whole.text(as: format).utf8))
  }

  @Test func `SARIF has a result for each problem, at its line below the top of the repository`()
    throws
  {
    let document = try document(.sarif) as? [String: Any]
    #expect(document?["version"] as? String == "2.1.0")
    let run = try #require((document?["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.compactMap { $0["ruleId"] as? String } == ["libraries", "initializers"])
    #expect(results.compactMap { $0["level"] as? String } == ["error", "warning"])
    let message = (results[0]["message"] as? [String: String])?["text"] ?? ""
    #expect(message.hasPrefix("libnew.so: new; needed by program. To approve: launchlab gate "))
    let places = results.compactMap { ($0["locations"] as? [[String: Any]])?.first }
      .compactMap { $0["physicalLocation"] as? [String: Any] }
    let files = places.compactMap { ($0["artifactLocation"] as? [String: String])?["uri"] }
    #expect(files == ["app/ci/scenario.yml", "app/src/a,%20b%3Ac.cc"])
    #expect(places.compactMap { ($0["region"] as? [String: Int])?["startLine"] } == [1, 7])
    let prints = results.compactMap { $0["partialFingerprints"] as? [String: String] }
    #expect(Set(prints).count == 2)
    let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
    #expect(invocation["executionSuccessful"] as? Bool == false)
    #expect((invocation["toolExecutionNotifications"] as? [Any])?.count == 2)
  }

  @Test func `JUnit has a test case for each finding, and one for what was not done`() {
    let text = whole.text(as: .junit)
    #expect(
      text.contains(
        #"<testsuite name="launchlab gate: app" tests="3" failures="1" errors="0" skipped="1">"#
      )
    )
    #expect(text.contains(#"<testcase classname="app.launch" name="launch, warm"/>"#))
    #expect(text.contains("<failure message=\"libnew.so: new; needed by program. To approve: "))
    #expect(text.contains("100 % &lt;sure&gt;"))
    #expect(text.contains(#"<error message="the target fails; look"/>"#))
  }

  @Test func `a code quality report has severities, and places as paths`() throws {
    let problems = try document(.codeQuality) as? [[String: Any]]
    #expect(problems?.compactMap { $0["severity"] as? String } == ["major", "minor"])
    let places = problems?.compactMap { $0["location"] as? [String: Any] } ?? []
    #expect(
      places.compactMap { $0["path"] as? String } == ["app/ci/scenario.yml", "app/src/a, b:c.cc"]
    )
  }

  @Test func `metrics are those of head in base units`() {
    let text = whole.text(as: .metrics)
    #expect(text.contains(#"launchlab_gate_launch_seconds{target="app",state="warm"} 0.0021"#))
    #expect(text.hasSuffix("# EOF\n"))
  }

  @Test func `annotations are for jobs of GitHub, and cannot be broken out of`() throws {
    #expect(GateJob(whole, environment: [:]).annotations == [])
    let lines = GateJob(whole, environment: ["GITHUB_ACTIONS": "true"]).annotations
    #expect(lines.count == 2)
    #expect(
      lines[0].hasPrefix(
        "::error file=app/ci/scenario.yml,line=1,title=launchlab gate::libnew.so: "
      )
    )
    #expect(
      lines[1]
        == "::warning file=app/src/a%2C b%3Ac.cc,line=7,title=launchlab gate::load_fonts in program: "
        + "new; 100 %25 <sure>"
    )
  }

  @Test func `the summary of a job has the comment, and no job none`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "gate-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "summary.md").path
    #expect(GateJob(whole, environment: [:]).addToSummary() == nil)
    #expect(GateJob(whole, environment: ["GITHUB_STEP_SUMMARY": file]).addToSummary() == nil)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == whole.markdown())
    let wrong = GateJob(whole, environment: ["GITHUB_STEP_SUMMARY": directory.path]).addToSummary()
    #expect(wrong?.hasPrefix("the summary of the job has no report: ") == true)
  }
}
