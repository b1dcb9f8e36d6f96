import Testing

@testable import LaunchCore
@testable import Scenarios

/// How many launches are enough, and what is concluded from many nights.
@Suite struct TrendSectionsTests {
  private func scenario(_ text: String) throws(ScenarioError) -> Scenario {
    let base = "scenario: s\ntargets: {a: {command: [a]}, b: {command: [b]}}\nstates: [warm]\n"
    return try ScenarioFile.load(text: base + text, path: "/data/s.yml")
  }

  private func problems(_ text: String) -> [Diagnostic] {
    do throws(ScenarioError) {
      _ = try scenario(text)
      return []
    } catch {
      return error.diagnostics
    }
  }

  struct Count: Sendable, CustomTestStringConvertible {
    var text: String
    var fewest: Int
    var most: Int
    var precision = 0.01
    var testDescription: String { text }
  }

  @Test(arguments: [
    Count(text: "{min: 10, max: 80, precision: 2.5%}", fewest: 10, most: 80, precision: 0.025),
    Count(text: "{}", fewest: 20, most: 200),
    Count(text: "{max: 10}", fewest: 10, most: 10),
    Count(text: "{min: 300}", fewest: 300, most: 300),
    Count(text: "{precision: 0.5%}", fewest: 20, most: 200, precision: 0.005),
  ])
  func `reads how many launches are enough`(count: Count) throws {
    let scenario = try scenario("launches: \(count.text)")
    #expect(scenario.launches == count.fewest)
    #expect(
      scenario.adaptive == AdaptiveLaunches(most: count.most, precision: count.precision)
    )
    #expect(Planner.plan(scenario, seed: 1).blockCount == count.most)
  }

  @Test func `looks at fixed counts of launches`() throws {
    let plan = Planner.plan(try scenario("launches: {min: 20, max: 200}"), seed: 1)
    #expect(plan.looks == [20, 28, 40, 57, 80, 113, 160, 200])
    #expect(Planner.plan(try scenario("launches: 30"), seed: 1).looks == [30])
  }

  @Test func `reads every key of the sections`() throws {
    let scenario = try scenario(
      """
      baseline: {empty: true, control: [./pinned/old, --quiet]}
      regression: {effect: 2.5%, confidence: 99%, floor: 1.5ms, metrics: [launch, spawn],
        nights: 14, proof: 0, hosts: 3}
      budgets:
        - {target: a, state: warm, metric: launch, max: 60ms}
        - {target: a, state: warm, metric: peak_rss, max: 1.5MiB}
        - {target: b, state: warm, metric: bytes_read, max: 40MB}
        - {target: b, state: warm, metric: major_faults, max: 0}
        - {target: b, state: warm, metric: slow_share, over: 500ms, max: 10%}
      notify:
        - command: [./tell, "the team"]
        - command: [logger]
        - webhook: $SLACK_WEBHOOK
        - webhook: https://hooks.example.org/T0/$TOKEN
        - email: dev@example.org
        - github: summary
      releases: {v2: abcdef0, v1: 2026-10-01, "1.0": 20261121T043000Z-3fa2}
      artifacts: 512MiB
      """
    )
    #expect(scenario.control == .command(["/data/pinned/old", "--quiet"]))
    #expect(
      scenario.regression
        == RegressionRule(
          effect: 0.025,
          confidence: 0.99,
          floor: Nanoseconds(1_500_000),
          metrics: [.launch, .spawn],
          nights: 14,
          proofLaunches: 0,
          proofHosts: 3
        )
    )
    #expect(scenario.budgets?.map(\.maximum) == [60_000_000, 1_572_864, 40_000_000, 0, 10])
    #expect(
      scenario.budgets?.map(\.metric) == [.launch, .peakRSS, .bytesRead, .majorFaults, .slowShare]
    )
    #expect(scenario.budgets?.last?.over == Nanoseconds(500_000_000))
    #expect(
      scenario.notifiers == [
        .command(["/data/tell", "the team"]), .command(["logger"]),
        .webhook("$SLACK_WEBHOOK"), .webhook("https://hooks.example.org/T0/$TOKEN"),
        .email("dev@example.org"), .githubSummary,
      ]
    )
    #expect(
      scenario.releases == [
        Release(name: "v2", anchor: "abcdef0"), Release(name: "v1", anchor: "2026-10-01"),
        Release(name: "1.0", anchor: "20261121T043000Z-3fa2"),
      ]
    )
    #expect(scenario.artifactLimit == 512 << 20)
  }

  @Test func `reads a revision of the source as the control`() throws {
    let source = "source: {repository: /, build: make}\n"
    let named = try scenario(source + "baseline: {control: {revision: v1.0, target: b}}")
    #expect(named.control == .revision("v1.0", target: "b"))
    #expect(!named.includesEmptyBaseline)
    let text = "scenario: s\ntargets: {a: {command: [a]}}\n" + source
    let only = try ScenarioFile.load(
      text: text + "baseline: {control: {revision: v1.0}}",
      path: "/data/s.yml"
    )
    #expect(only.control == .revision("v1.0", target: "a"))
  }

  @Test func `keeps the control out of the built tree`() throws {
    let text = "source: {repository: /, build: make}\nbaseline: {control: [./old]}"
    let moved = try scenario(text).rebased(from: "/", to: "/builds/1")
    #expect(moved.control == .command(["/data/old"]))
  }

  @Test func `judges by the usual rule unless told otherwise`() throws {
    let scenario = try scenario("regression: {}")
    #expect(scenario.regression == RegressionRule(metrics: [.launch, .peakRSS, .slowShare]))
    #expect(scenario.adaptive == nil)
    #expect(scenario.budgets == nil)
    #expect(scenario.artifactLimit == 2 << 30)
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    var text: String
    var column: Int
    var problem: String
    var remedy: String
    var testDescription: String { text }

    init(_ text: String, _ column: Int, _ problem: String, _ remedy: String) {
      self.text = text
      self.column = column
      self.problem = problem
      self.remedy = remedy
    }
  }

  @Test(arguments: launches + regression + budgets + controls + notifiers + others)
  func `tells a mistake with place and remedy`(mistake: Mistake) throws {
    let found = problems(mistake.text)
    let only = try #require(found.first)
    #expect(found.count == 1)
    #expect(only.problem == mistake.problem)
    #expect(only.remedy == mistake.remedy)
    #expect(only.place == "/data/s.yml:4:\(mistake.column)")
  }

  @Test(
    arguments: [
      ("off", nil),
      ("auto", AutomaticBisection()),
      ("{max_time: 20min, jobs: 2}", AutomaticBisection(time: .seconds(1200), jobs: 2)),
    ] as [(String, AutomaticBisection?)]
  )
  func `reads whether regressions are bisected`(
    text: String,
    bisection: AutomaticBisection?
  )
    throws
  {
    let source = "source: {repository: /, build: make}\n"
    #expect(try scenario(source + "bisect: \(text)").bisection == bisection)
  }

  @Test(
    arguments: [
      ("never", AutomaticExplanation(when: .never)),
      ("regression", AutomaticExplanation(when: .regression)),
      (
        "{when: regression, time: 2m}", AutomaticExplanation(when: .regression, time: .seconds(120))
      ),
      ("{time: 5s}", AutomaticExplanation(when: .bisect, time: .seconds(5))),
    ] as [(String, AutomaticExplanation)]
  )
  func `reads which slower launches are explained`(
    text: String,
    explanation: AutomaticExplanation
  ) throws {
    #expect(try scenario("explain: \(text)").explanationRule == explanation)
    #expect(try scenario("").explanationRule == AutomaticExplanation(when: .bisect))
  }

  @Test(arguments: ["always", "{when: night}", "{deep: auto}", "[regression]"])
  func `refuses other explanations`(text: String) {
    #expect(problems("explain: \(text)").count == 1)
  }

  @Test func `bisects nothing without a source`() {
    #expect(problems("bisect: auto").map(\.id) == ["contradiction"])
  }
}
