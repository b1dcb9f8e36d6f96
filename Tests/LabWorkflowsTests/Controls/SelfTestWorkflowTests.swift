import Foundation
import LabTestSupport
import Testing

@testable import LabChecks
@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring

@Suite(.temporaryDirectory) struct SelfTestWorkflowTests {
  private func request(
    command: [String] = [],
    states: [String] = [],
    store: String? = "/var/tmp/s.sqlite"
  ) throws -> SelfTestRequest {
    let options = MeasureOptions(
      command: command,
      states: states,
      launches: 60,
      environment: ["LANG=C"],
      directory: "/var/tmp"
    )
    return try SelfTestRequest(options: options, store: store, seed: 1, in: .fake())
  }

  @Test func `launches the same program as A and as B`() throws {
    let scenario = try request(command: ["perl", "-e", "0"]).scenario
    #expect(scenario.name == "selftest")
    #expect(scenario.targets.map(\.name) == ["A", "B"])
    var second = scenario.targets[1]
    second.name = "A"
    #expect(second == scenario.targets[0])
    #expect(second.environment == ["LANG": "C"])
  }

  @Test func `takes a usual program and usual states where none are named`() throws {
    let usual = try request()
    #expect(usual.command == ["true"])
    #expect(usual.scenario.states == [.reinstallCold, .warm])
    #expect(usual.leavesOutRefusedStates)
    let named = try request(states: ["warm"])
    #expect(named.scenario.states == [.warm])
    #expect(!named.leavesOutRefusedStates)
  }

  @Test func `refuses to suppress what doctor does not know`() throws {
    let options = MeasureOptions(
      command: [],
      states: ["warm"],
      launches: 1,
      controls: ["suppress=vm"],
      directory: "/var/tmp"
    )
    #expect(throws: WorkflowError.self) {
      try SelfTestRequest(options: options, store: "/var/tmp/s.sqlite", seed: 1, in: .fake())
    }
    var stages = options
    stages.command = ["true"]
    #expect(throws: WorkflowError.self) { try StagesWorkflow(options: stages, in: .fake()) }
  }

  @Test func `keeps the result in the state directory of the user`() throws {
    func path(_ asked: String?, _ environment: [String: String]) throws -> String {
      var context = WorkflowContext.fake()
      context.environment = environment
      return try HostStore.path(asked, in: context)
    }
    let home = ["HOME": "/home/me"]
    #expect(try path(nil, home) == "/home/me/.local/state/launchlab/launchlab.sqlite")
    let state = home.merging(["XDG_STATE_HOME": "/state"]) { $1 }
    #expect(try path(nil, state) == "/state/launchlab/launchlab.sqlite")
    let odd = home.merging(["XDG_STATE_HOME": "state"]) { $1 }
    #expect(try path(nil, odd) == "/home/me/.local/state/launchlab/launchlab.sqlite")
    #expect(try path("/s.sqlite", home) == "/s.sqlite")
    #expect(throws: WorkflowError.self) { try path(nil, [:]) }
  }

  @Test func `tells states that the host refuses from other errors`() {
    let drop = HostError.stateRefused(.rebootCold, .cannotDropCaches(path: "/p"))
    let memory = HostError.stateRefused(
      .reinstallCold,
      .inMemory(file: "/tmp/f", fileSystem: "tmpfs")
    )
    #expect(drop.refusedStates.map(\.state) == [.rebootCold])
    #expect(HostError.several([drop, memory, drop]).refusedStates.count == 2)
    #expect(HostError.several([drop, .interrupted]).refusedStates.isEmpty)
    #expect(HostError.interrupted.refusedStates.isEmpty)
  }
}

@Suite(.temporaryDirectory) struct StabilityWorkflowTests {
  private func problem(_ text: String) -> WorkflowError? {
    let path = "\(TemporaryDirectory.path)/a.json"
    do {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      _ = try StabilityWorkflow(paths: [path]).rankings()
      return nil
    } catch { return error as? WorkflowError }
  }

  struct Case: Sendable {
    let text: String
    let reason: String
  }

  @Test(arguments: [
    Case(text: "hello", reason: "it is no JSON text"),
    Case(text: "{}", reason: "it names no schema"),
    Case(
      text: #"{"schema": "launchlab.run/1"}"#,
      reason: #"its schema is "launchlab.run/1", not "launchlab.selftest/1""#
    ),
    Case(text: #"{"schema": "launchlab.selftest/1"}"#, reason: "run is missing"),
  ])
  func `refuses files of other kinds`(test: Case) {
    let path = "\(TemporaryDirectory.path)/a.json"
    let problem = problem(test.text)
    #expect(problem == .notASelfTest(path: path, reason: test.reason))
    #expect(problem?.exitCode == .usage)
    #expect(
      problem?.diagnostics.map(\.problem) == [
        "\"\(path)\" is not the result of a self-test: \(test.reason)"
      ]
    )
  }

  @Test func `says which file cannot be read`() {
    let path = "\(TemporaryDirectory.path)/none.json"
    let error = #expect(throws: WorkflowError.self) {
      try StabilityWorkflow(paths: [path]).rankings()
    }
    #expect(error?.diagnostics.first?.id == "cannot-read")
  }
}
