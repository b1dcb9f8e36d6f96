import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Scenarios

/// Controls on the command line are read by the rules for scenario files.
@Suite struct ControlOptionsTests {
  private func scenario(_ controls: [String]) throws(ScenarioError) -> Scenario {
    try ScenarioFile.load(
      options: MeasureOptions(
        command: ["perl"],
        states: ["warm"],
        launches: 5,
        controls: controls,
        directory: "/data"
      )
    )
  }

  private func problems(_ controls: [String]) -> [Diagnostic] {
    do throws(ScenarioError) {
      _ = try scenario(controls)
      return []
    } catch {
      return error.diagnostics
    }
  }

  @Test func `reads the values as YAML`() throws {
    let controls = try scenario([
      "cpus=[1, 2-3]", "settle={cpu_idle: 90%, within: 10s}", "network=none", "swap=off",
      "steal=on", "services=[cron]", "aslr= off", "require=all",
    ]).controls
    #expect(
      controls
        == ControlPlan(
          cpus: [1, 2, 3],
          randomizesAddresses: false,
          swap: .off,
          network: .none,
          services: ["cron.service"],
          settle: SettleLimits(cpuIdle: 0.9, within: .seconds(10)),
          steal: DisturbanceLimits(),
          required: [.cpus, .aslr, .swap, .network, .services, .settle, .steal]
        )
    )
  }

  @Test func `leaves the machine as it is without options`() throws {
    #expect(try scenario([]).controls == ControlPlan())
  }

  @Test func `adds up lists that are given in pieces`() throws {
    let controls = try scenario([
      "suppress=vm", "suppress=[a, b]", "thp=never", "cpus=1", "require=thp", "require=cpus",
    ]).controls
    #expect(controls?.suppressed == ["vm", "a", "b"])
    #expect(controls?.required == [.thp, .cpus])
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    var options: [String]
    var place: String
    var problem: String
    var remedy: String
    var testDescription: String { options.joined(separator: " ") }

    init(_ options: [String], _ place: String, _ problem: String, _ remedy: String) {
      self.options = options
      self.place = place
      self.problem = problem
      self.remedy = remedy
    }
  }

  @Test(arguments: [
    Mistake(
      ["cpus=1", "network=nine"],
      "--control network=nine",
      "invalid value \"nine\"",
      "write `none`"
    ),
    Mistake(
      ["settle={cpu_idle: 90}"],
      "--control settle={cpu_idle: 90}",
      "\"90\" is not a percentage",
      "write a number up to 100 and the sign, such as 2%"
    ),
    Mistake(["netwrk=none"], "--control netwrk=none", "unknown key \"netwrk\"", "write `network`"),
    Mistake(
      ["network"],
      "--control network",
      "\"network\" is not a key and its value",
      "write KEY=VALUE, such as --control network=none"
    ),
    Mistake(
      ["=none"],
      "--control =none",
      "\"=none\" is not a key and its value",
      "write KEY=VALUE, such as --control network=none"
    ),
    Mistake(
      ["network="],
      "--control network=",
      "\"network\" has no value",
      "give one of host, none, or remove the key"
    ),
    Mistake(
      ["cpus=[1"],
      "--control cpus=[1",
      "not valid YAML: while parsing a flow sequence in line 1, did not find expected ',' or ']'",
      "correct the indentation, quotes or brackets here or in the lines above"
    ),
    Mistake(
      ["network=none", "network=host"],
      "--control network=host",
      "duplicate key \"network\"",
      "keep one of them"
    ),
    Mistake(
      ["suppress=vm", "suppress={a: b}"],
      "--control suppress={a: b}",
      "an element of \"suppress\" is a map, not the id of a finding such as virtual-host",
      "give the id of a finding such as virtual-host"
    ),
    Mistake(
      ["suppress=vm", "suppress=vm"],
      "--control suppress=vm",
      "the id \"vm\" is given twice",
      "keep one of them"
    ),
    Mistake(
      ["require=settle", "thp=never"],
      "--control require=settle",
      "\"require\" names \"settle\", which is not asked for",
      "ask for it with `settle:`, or remove it from `require`"
    ),
    Mistake(
      ["governor=a\n---\nb"],
      "--control governor=a\\n---\\nb",
      "the file holds a second document",
      "put each scenario into a file of its own"
    ),
  ])
  func `names the option that is wrong`(mistake: Mistake) throws {
    let found = problems(mistake.options)
    let only = try #require(found.first)
    #expect(found.count == 1)
    #expect(only.place == mistake.place)
    #expect(only.problem == mistake.problem)
    #expect(only.remedy == mistake.remedy)
  }

  @Test func `tells mistakes in controls together with the others`() {
    let options = MeasureOptions(
      command: ["perl"],
      states: ["worm"],
      launches: 5,
      controls: ["boost=maybe"],
      directory: "/data"
    )
    let error = #expect(throws: ScenarioError.self) { try ScenarioFile.load(options: options) }
    #expect(
      error?.diagnostics.map(\.problem) == [
        "invalid value \"worm\"",
        "\"maybe\" is not on or off",
      ]
    )
    #expect(error?.diagnostics.map(\.place) == ["--state", "--control boost=maybe"])
  }

  @Test func `names the option of a wrong value`() {
    let options = MeasureOptions(
      command: ["perl"],
      states: ["warm"],
      launches: 0,
      ready: "tcp:80",
      timeout: "5",
      stopSignal: "FOO",
      own: "mine",
      directory: "/data"
    )
    let error = #expect(throws: ScenarioError.self) { try ScenarioFile.load(options: options) }
    #expect(
      Set(error?.diagnostics.map(\.place) ?? [])
        == ["--launches", "--ready", "--timeout", "--stop-signal", "--own"]
    )
  }

  // MARK: - Findings that are suppressed beside a file

  private func suppressed(_ ids: [String], controls: String) throws -> Set<String>? {
    let path = "\(TemporaryDirectory.path)/s.yml"
    let text = "scenario: s\ntargets: {a: {command: [a]}}\ncontrols: \(controls)\n"
    try Data(text.utf8).write(to: URL(filePath: path))
    return try ScenarioFile.load(path: path, suppressing: ids).controls?.suppressed
  }

  @Test(.temporaryDirectory) func `suppresses what the file and the options name`() throws {
    let both = try suppressed(["vm", "no-swap"], controls: "{suppress: [vm, load]}")
    #expect(both == ["vm", "no-swap", "load"])
    #expect(try suppressed([], controls: "{}") == [])
  }

  @Test(.temporaryDirectory) func `tells of ids and of the file at once`() throws {
    let error = try #require(throws: ScenarioError.self) {
      try suppressed(["No Swap"], controls: "{thp: x}")
    }
    #expect(error.diagnostics.map(\.id) == ["invalid-value", "invalid-value"])
    #expect(error.diagnostics.last?.place == "--suppress No Swap")
    #expect(error.diagnostics.last?.problem == "\"No Swap\" is not the id of a finding")
  }

  @Test(.temporaryDirectory) func `says what is wrong with an unreadable file as before`() throws {
    let path = "\(TemporaryDirectory.path)/missing.yml"
    let error = try #require(throws: ScenarioError.self) {
      try ScenarioFile.load(path: path, suppressing: ["vm"])
    }
    #expect(error.diagnostics.map(\.id) == ["unreadable-scenario"])
  }

  @Test(arguments: 0..<4)
  func `answers every mutated option with a plan or with the option`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let pieces = ["{", "}", "[", "]", ":", ",", "=", " ", "\n", "\"", "*a", "&a ", "---\n", "\0"]
    var odd: [String] = []
    for _ in 0..<300 {
      var option = Array("settle={cpu_idle: 90%, within: 10s}")
      for _ in 0...generator.next(below: 3) {
        let piece = Array(pieces[generator.next(below: pieces.count)])
        option.insert(contentsOf: piece, at: generator.next(below: option.count + 1))
        option.remove(at: generator.next(below: option.count))
      }
      let found = problems([String(option)])
      let isPlaced = found.allSatisfy { $0.place?.hasPrefix("--control ") == true }
      if !isPlaced { odd.append(String(option)) }
    }
    #expect(odd.isEmpty)
  }
}
