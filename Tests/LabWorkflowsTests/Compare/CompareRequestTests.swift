import Testing

@testable import Comparison
@testable import LaunchCore
@testable import Measuring
@testable import Scenarios

@Suite struct CompareRequestTests {
  private func options(
    _ words: [String],
    states: [String] = [],
    launches: String? = nil,
    precision: String? = nil,
    maxTime: String? = nil
  ) -> CompareOptions {
    CompareOptions(
      words: words,
      launching: MeasureOptions(
        command: [],
        states: states,
        launches: 0,
        environment: ["LANG=C"],
        directory: "/var/tmp"
      ),
      launches: launches,
      maxTime: maxTime,
      precision: precision,
      seed: 7
    )
  }

  @Test func `compares every command with the first`() throws {
    let request = try CompareRequest(commands: options(["perl -e 0", "perl -e 1", "true"]))
    #expect(request.scenario.targets.map(\.name) == ["A", "B", "C"])
    #expect(request.scenario.targets.map(\.command.last) == ["0", "1", "true"])
    #expect(request.scenario.targets.allSatisfy { $0.environment == ["LANG": "C"] })
    #expect(request.pairs.map(\.baseline) == ["A", "A"])
    #expect(request.pairs.map(\.candidate) == ["B", "C"])
    #expect(request.scenario.states == [.warm])
    #expect(request.scenario.launches == 10)
    // So many exclude a tenth more slow launches.
    var adaptive = Self.untilDecided(within: 30)
    adaptive.fewestInTime = 57
    #expect(request.scenario.adaptive == adaptive)
    #expect(adaptive.timeLimit(after: 56) == .seconds(120))
    #expect(adaptive.timeLimit(after: 57) == .seconds(30))
    #expect(request.purpose == .comparison)
    #expect(request.store == "/var/tmp/.launchlab/launchlab.sqlite")
  }

  @Test func `runs a command beside all launches, or one beside each command's`() throws {
    var options = options(["true", "false"])
    options.launching.prepare = ["a", "b"]
    options.launching.setup = ["c"]
    let targets = try CompareRequest(commands: options).scenario.targets
    #expect(targets.map { $0.prepare?.launch?.last } == ["a", "b"])
    #expect(targets.map { $0.prepare?.run?.last } == ["c", "c"])
    options.launching.conclude = ["a", "b", "c"]
    #expect(throws: ScenarioError.self) { try CompareRequest(commands: options) }
  }

  @Test func `gives commands names of their own`() throws {
    var options = options(["true", "false"])
    options.launching.names = ["old", "new-1"]
    let request = try CompareRequest(commands: options)
    #expect(request.scenario.targets.map(\.name) == ["old", "new-1"])
    #expect(request.pairs == [ComparedPair(name: "new-1", baseline: "old", candidate: "new-1")])
    for names in [["old"], ["old", "old"], ["a", "b", "c"]] {
      options.launching.names = names
      #expect(throws: WorkflowError.self) { try CompareRequest(commands: options) }
    }
    options.launching.names = ["old", "new version"]
    do throws(ScenarioError) {
      _ = try ScenarioFile.load(options: options.launching.launching(["a"], at: 1, of: 2))
      Issue.record("a name with a blank was taken")
    } catch {
      #expect(error.diagnostics.count { $0.place == "--command-name" } == 1)
    }
  }

  private static func untilDecided(within seconds: Int64, most: Int = 1_280) -> AdaptiveLaunches {
    AdaptiveLaunches(most: most, precision: 0, timeLimit: .seconds(seconds))
  }

  @Test func `takes a time to decide in`() throws {
    func limits(_ time: String, launches: String? = nil) throws -> AdaptiveLaunches? {
      let options = options(["true", "false"], launches: launches, maxTime: time)
      return try CompareRequest(commands: options).scenario.adaptive
    }
    #expect(try limits("5s") == Self.untilDecided(within: 5))
    #expect(try limits("2m") == Self.untilDecided(within: 120, most: 5_120))
    let ranged = try limits("2m", launches: "20..200")
    #expect(ranged?.timeLimit == .seconds(120))
    #expect(ranged?.most == 200)
    #expect(throws: WorkflowError.self) { try limits("5s", launches: "50") }
    #expect(throws: (any Error).self) { try limits("soon") }
  }

  @Test func `takes a range of launches`() throws {
    let request = try CompareRequest(
      commands: options(["true", "false"], launches: "20..200", precision: "0.5%")
    )
    #expect(request.scenario.launches == 20)
    #expect(request.scenario.adaptive == AdaptiveLaunches(most: 200, precision: 0.005))
    let plan = Planner.plan(request.scenario, seed: 1)
    #expect(plan.arms.count == 2)
  }

  @Test(arguments: ["", "5", "x", "20..", "..20", "20..10", "20..30..40", "-5", "20...40"])
  func `refuses other numbers of launches`(text: String) {
    #expect(throws: WorkflowError.self) { try LaunchCount(text, precision: nil) }
  }

  @Test(arguments: ["1", "%", "0%", "100%", "1e2%", "x%", "-1%", "nan%"])
  func `refuses what is no percentage`(text: String) {
    #expect(throws: WorkflowError.self) { try LaunchCount("20..40", precision: text) }
  }

  @Test func `refuses a precision of a fixed number of launches`() {
    #expect(throws: WorkflowError.self) { try LaunchCount("50", precision: "1%") }
    #expect(throws: WorkflowError.self) {
      try CompareRequest(commands: options(["true", "false"], precision: "1%"))
    }
  }

  @Test func `refuses metrics and states that do not exist`() throws {
    var odd = options(["true", "false"])
    odd.metrics = ["speed"]
    #expect(throws: WorkflowError.self) { try odd.chosenMetrics() }
    #expect(throws: (any Error).self) {
      try CompareRequest(commands: options(["true", "false"], states: ["lukewarm"]))
    }
    odd.metrics = ["peak_rss", "launch", "peak_rss"]
    #expect(try odd.chosenMetrics() == [.peakRSS, .launch])
  }

  @Test func `takes the rule of a scenario where none is typed`() throws {
    var options = options(["true", "false"])
    let regression = RegressionRule(effect: 0.05, confidence: 0.99)
    #expect(try options.rule(in: regression).effectLimit == 0.05)
    options.effect = "3%"
    let rule = try options.rule(in: regression)
    #expect(rule.effectLimit == 0.03)
    #expect(rule.confidence == 0.99)
  }

  // MARK: - Doubled scenarios

  private func target(_ name: String, _ command: String) -> Target {
    Target(name: name, command: [command], directory: "/", counters: ["page-faults"])
  }

  @Test func `doubles every target that both builds have`() {
    let scenario = Scenario(
      name: "redis",
      source: Source(repository: "/r", build: "make"),
      targets: [target("server", "/r/server")],
      states: [.warm],
      launches: 20,
      includesEmptyBaseline: true,
      directory: "/r",
      control: .command(["true"])
    )
    let (doubled, pairs) = scenario.doubled(
      baseline: [target("server", "/a/server"), target("cli", "/a/cli")],
      candidate: [target("server", "/b/server"), target("new", "/b/new")],
      labels: ("1a2b3c4", "5d6e7f8")
    )
    #expect(doubled.targets.map(\.name) == ["server@1a2b3c4", "server@5d6e7f8"])
    #expect(doubled.targets.map(\.command) == [["/a/server"], ["/b/server"]])
    #expect(doubled.targets.allSatisfy { $0.counters.isEmpty })
    #expect(
      pairs == [
        ComparedPair(name: "server", baseline: "server@1a2b3c4", candidate: "server@5d6e7f8")
      ]
    )
    #expect(doubled.source == nil && doubled.control == nil && !doubled.includesEmptyBaseline)
    #expect(Planner.plan(doubled, seed: 1).arms.map(\.kind) == [.plain, .plain])
  }

  // MARK: - Revisions

  struct Range: Sendable {
    let text: String
    let ends: [String]
  }

  @Test(arguments: [
    Range(text: "v1.0..HEAD", ends: ["v1.0", "HEAD"]), Range(text: "a..", ends: ["a", "HEAD"]),
    Range(text: "..b", ends: ["HEAD", "b"]),
  ])
  func `reads two revisions`(range: Range) throws {
    let found = try RevisionsWorkflow.revisions(in: range.text)
    #expect([found.baseline, found.candidate] == range.ends)
  }

  @Test(arguments: ["HEAD", "..", "a...b", "a..b..c", "", "-x..b"])
  func `refuses what is no range of revisions`(text: String) {
    #expect(throws: WorkflowError.self) { try RevisionsWorkflow.revisions(in: text) }
  }

  @Test func `labels commits by digits that tell them apart`() {
    #expect(RevisionsWorkflow.labels("1a2b3c4d5e", "9f2b3c4d5e") == ("1a2b3c4", "9f2b3c4"))
    #expect(RevisionsWorkflow.labels("1a2b3c4d5e", "1a2b3c4d6e") == ("1a2b3c4d5", "1a2b3c4d6"))
  }
}
