import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Scenarios

/// Every mistake is told with its text, its place and what to write instead.
struct ScenarioProblemTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var place: String
    var problem: String
    var remedy: String

    init(_ text: String, _ place: String, _ problem: String, _ remedy: String) {
      self.text = text
      self.place = place
      self.problem = problem
      self.remedy = remedy
    }

    var testDescription: String { problem }
  }

  @Test(arguments: structure + values + yaml)
  func `tells a mistake with place and remedy`(_ expected: Case) throws {
    try expect(expected, in: expected.text)
  }

  @Test(arguments: targetKeys)
  func `tells a mistake in a target with place and remedy`(_ expected: Case) throws {
    try expect(
      expected,
      in: "scenario: s\ntargets:\n  a:\n    command: [a]\n    \(expected.text)\n"
    )
  }

  @Test(arguments: stateKeys)
  func `tells a mistake in the state directories with place and remedy`(
    _ expected: Case
  ) throws {
    try expect(
      expected,
      in: "scenario: s\ntargets:\n  a:\n    command: [a]\n    \(expected.text)\n"
        + "states: [first-run]\n"
    )
  }

  @Test func `accepts the example of every section`() {
    let text = """
      scenario: redis
      source: {repository: ., build: make -j2}
      targets:
        server:
          command: [src/redis-server, --port, "7379"]
          ready: {tcp: 127.0.0.1:7379}
          stop: {signal: TERM, grace: 2s}
          timeout: 10s
          env: {MALLOC_ARENA_MAX: "1"}
          files: [redis.conf]
      states: [reboot-cold, reinstall-cold, warm]
      launches: {min: 20, max: 200, precision: 1%}
      controls: {cpus: [1], network: none, settle: {cpu_idle: 90%, within: 30s}}
      stages: {collect: [probe], launches: 5}
      baseline: {empty: true}
      regression: {effect: 2%, confidence: 95%}
      budgets: [{target: server, state: warm, metric: launch, max: 60ms}]
      """
    #expect(problems(of: text) == [])
  }

  @Test func `tells all mistakes at once in the order of the file`() throws {
    let text = """
      scenario: my scenario
      sources: {repository: .}
      states: [warm, cold, warm]
      launches: 1e3
      launches: 20
      controls: {cpus: [1], aslr: off, governer: performance}
      targets:
        empty:
          command: perl -e 0
          ready: {tcp: 127.0.0.1:70000, stdout: x}
          timeout: 10
        server:
          comand: [redis-server]
          stop: {signal: TREM, grace: soon}
          counters: [instrutions]
          tty: yes
      """
    let report = problems(of: text).map(\.description).joined(separator: "\n")
    try expectSnapshot(report + "\n", named: "all-at-once", suite: "ScenarioProblemTests")
  }

  private func expect(_ expected: Case, in text: String) throws {
    let diagnostics = problems(of: text)
    let only = try #require(diagnostics.first)
    #expect(diagnostics.count == 1)
    #expect(only.place == "s.yml:\(expected.place)")
    #expect(only.problem == expected.problem)
    #expect(only.remedy == expected.remedy)
  }

  private func problems(of text: String) -> [Diagnostic] {
    do throws(ScenarioError) {
      _ = try ScenarioFile.load(text: text, path: "s.yml")
      return []
    } catch {
      return error.diagnostics
    }
  }
}
