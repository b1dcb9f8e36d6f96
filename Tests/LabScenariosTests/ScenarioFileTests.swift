import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Scenarios

@Suite(.temporaryDirectory)
struct ScenarioFileTests {
  @Test func `reads every key of a scenario`() throws {
    let directory = TemporaryDirectory.path
    for name in ["app", "home", "template"] {
      try FileManager.default.createDirectory(
        atPath: "\(directory)/\(name)",
        withIntermediateDirectories: false
      )
    }
    for name in ["data.bin", "input.txt"] {
      try Data().write(to: URL(filePath: "\(directory)/\(name)"))
    }
    let text = """
      scenario: every-key
      states: [reboot-cold, reinstall-cold, first-run, warm]
      launches: 7
      baseline: {empty: true}
      targets:
        server:
          command: [./app/server, --port, 7379, "", on]
          ready: {tcp: "[::1]:7379"}
          program: worker
          stop: {signal: SIGINT, grace: 1.5s, when: {stderr: settled}, after: 200ms}
          timeout: 250ms
          env: {NUMBER: 010, FLAG: yes, EMPTY: ""}
          directory: app
          stdin: input.txt
          tty: true
          files: [data.bin]
          install: [app]
          home: home
          state: [cache, {path: state/data, template: template}]
          counters: [page-faults, task-clock]
          prepare: {launch: rm -rf data, block: [./app/seed, --all], run: make data, timeout: 5s}
          cleanup: [rm, data]
      """
    let scenario = try ScenarioFile.load(text: text, path: "\(directory)/scenario.yml")
    let server = Target(
      name: "server",
      command: ["\(directory)/app/server", "--port", "7379", "", "on"],
      writtenProgram: "./app/server",
      program: "worker",
      ready: .tcp(host: "::1", port: 7379),
      stop: StopPolicy(
        signal: 2,
        grace: .milliseconds(1500),
        condition: .output(stream: .stderr, pattern: "settled"),
        after: .milliseconds(200)
      ),
      timeout: .milliseconds(250),
      environment: ["NUMBER": "010", "FLAG": "yes", "EMPTY": ""],
      directory: "\(directory)/app",
      standardInput: "\(directory)/input.txt",
      tty: true,
      files: ["\(directory)/data.bin"],
      install: ["\(directory)/app"],
      home: "\(directory)/home",
      state: [
        StateDirectory(path: "\(directory)/cache"),
        StateDirectory(path: "\(directory)/state/data", template: "\(directory)/template"),
      ],
      counters: ["page-faults", "task-clock"],
      prepare: LaunchCommands(
        launch: ["/bin/sh", "-c", "rm -rf data"],
        block: ["\(directory)/app/seed", "--all"],
        run: ["/bin/sh", "-c", "make data"],
        timeout: .seconds(5)
      ),
      cleanup: LaunchCommands(launch: ["rm", "data"])
    )
    #expect(
      scenario
        == Scenario(
          name: "every-key",
          targets: [server],
          states: [.rebootCold, .reinstallCold, .firstRun, .warm],
          launches: 7,
          includesEmptyBaseline: true,
          directory: directory,
          controls: ControlPlan(),
          regression: .ofFiles,
          artifactLimit: 2 << 30
        )
    )
  }

  @Test func `fills in what is not written`() throws {
    let text = "scenario: small\ntargets: {a: {command: [perl, -e, 0]}}\n"
    let scenario = try ScenarioFile.load(text: text, path: "/data/small.yml")
    let target = Target(name: "a", command: ["perl", "-e", "0"], directory: "/data")
    #expect(
      scenario
        == Scenario(
          name: "small",
          targets: [target],
          states: [.reinstallCold, .warm],
          launches: 20,
          directory: "/data",
          controls: ControlPlan(),
          regression: .ofFiles,
          artifactLimit: 2 << 30
        )
    )
  }

  struct Condition: Sendable {
    var written: String
    var expected: Readiness
  }

  @Test(arguments: [
    Condition(written: "exit", expected: .exit),
    Condition(written: "notify", expected: .notify),
    Condition(written: "mark", expected: .mark(name: "ready")),
    Condition(written: "{mark: first frame}", expected: .mark(name: "first frame")),
    Condition(written: "{stdout: '^ready'}", expected: .output(stream: .stdout, pattern: "^ready")),
    Condition(written: "{stderr: 22:22}", expected: .output(stream: .stderr, pattern: "22:22")),
    Condition(written: "{tcp: localhost:80}", expected: .tcp(host: "localhost", port: 80)),
    Condition(written: "{unix: run/s.sock}", expected: .unix(path: "/data/run/s.sock")),
    Condition(written: "{file: ../done}", expected: .file(path: "/done")),
    Condition(
      written: "{http: 'http://[::1]/a?b=c#d'}",
      expected: .http(host: "::1", port: 80, path: "/a?b=c")
    ),
    Condition(
      written: "{http: 'HTTP://localhost:8080?x'}",
      expected: .http(host: "localhost", port: 8080, path: "/?x")
    ),
  ])
  func `reads a readiness condition`(condition: Condition) throws {
    let text = "scenario: s\ntargets: {a: {command: [a], ready: \(condition.written)}}"
    let scenario = try ScenarioFile.load(text: text, path: "/data/s.yml")
    #expect(scenario.targets.first?.ready == condition.expected)
  }

  @Test func `leads the paths of a built program into the build`() throws {
    let directory = TemporaryDirectory.path
    let text = """
      scenario: built
      source: {repository: ., build: make}
      targets:
        own: {command: [src/server, src/conf], files: [src/conf], install: [lib], state: [cache]}
        other: {command: [/usr/bin/perl, src/test.pl]}
      states: [first-run]
      """
    let scenario = try ScenarioFile.load(text: text, path: "\(directory)/s.yml")
    #expect(scenario.source == Source(repository: directory, build: "make"))
    let moved = scenario.rebased(from: directory, to: "/builds/1")
    let own = try #require(moved.targets.first)
    #expect(own.command == ["/builds/1/src/server", "src/conf"])
    #expect(own.directory == "/builds/1")
    #expect(own.files == ["/builds/1/src/conf"])
    #expect(own.install == ["/builds/1/lib"])
    #expect(own.state == [StateDirectory(path: "\(directory)/cache")])
    #expect(moved.targets.last?.command == ["/usr/bin/perl", "src/test.pl"])
  }

  @Test func `does not take a sibling with the same beginning for the repository`() throws {
    let target = Target(name: "a", command: ["/repo-2/a"], directory: "/repo")
    let scenario = Scenario(
      name: "s",
      targets: [target],
      states: [.warm],
      launches: 1,
      directory: "/"
    )
    let moved = try #require(scenario.rebased(from: "/repo", to: "/b").targets.first)
    #expect(moved.command == ["/repo-2/a"])
    #expect(moved.directory == "/b")
  }

  @Test func `reads aliases of values`() throws {
    let text = """
      scenario: s
      targets:
        a: {command: [a], env: &env {A: x}}
        b: {command: [b], env: *env}
      """
    let scenario = try ScenarioFile.load(text: text, path: "/data/s.yml")
    #expect(scenario.targets.map(\.environment) == [["A": "x"], ["A": "x"]])
  }

  // MARK: - Files that cannot be read

  @Test func `says that a path is a directory`() throws {
    let path = TemporaryDirectory.path
    try expectReason("it is a directory", path: path)
  }

  @Test func `says that there is no file`() throws {
    try expectReason("there is no such file", path: "\(TemporaryDirectory.path)/missing.yml")
  }

  @Test func `does not read an endless file`() throws {
    try expectReason("it is not a regular file", path: "/dev/zero")
  }

  @Test func `refuses a file of more than a mebibyte`() throws {
    let path = "\(TemporaryDirectory.path)/large.yml"
    try Data(repeating: 0x23, count: 1 << 20 + 1).write(to: URL(filePath: path))
    try expectReason("it is larger than 1048576 bytes", path: path)
  }

  @Test func `finds the line that is not text`() throws {
    let path = "\(TemporaryDirectory.path)/latin.yml"
    try Data("scenario: s\n# caf\u{E9}\n".unicodeScalars.map { UInt8($0.value) })
      .write(to: URL(filePath: path))
    let error = try #require(throws: ScenarioError.self) { try ScenarioFile.load(path: path) }
    #expect(error.diagnostics.first?.problem == "the file is not UTF-8 text")
    #expect(error.diagnostics.first?.place == "\(path):2:1")
  }

  @Test func `reads a file with a byte order mark`() throws {
    let path = "\(TemporaryDirectory.path)/mark.yml"
    let text = "\u{FEFF}scenario: s\ntargets: {a: {command: [a]}}\n"
    try Data(text.utf8).write(to: URL(filePath: path))
    #expect(try ScenarioFile.load(path: path).name == "s")
  }

  private func expectReason(_ reason: String, path: String) throws {
    let error = try #require(throws: ScenarioError.self) { try ScenarioFile.load(path: path) }
    #expect(error.exitCode == .usage)
    #expect(
      error.diagnostics.map(\.problem) == ["cannot read the scenario \"\(path)\": \(reason)"]
    )
  }
}
