import Foundation
import LabModel
import LabScenarios
import LabTestSupport
import Testing

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
    let diagnostics = problems(of: expected.text)
    let only = try #require(diagnostics.first)
    #expect(diagnostics.count == 1)
    #expect(only.place == "s.yml:\(expected.place)")
    #expect(only.problem == expected.problem)
    #expect(only.remedy == expected.remedy)
  }

  @Test(arguments: targetKeys)
  func `tells a mistake in a target with place and remedy`(_ expected: Case) throws {
    let text = "scenario: s\ntargets:\n  a:\n    command: [a]\n    \(expected.text)\n"
    let diagnostics = problems(of: text)
    let only = try #require(diagnostics.first)
    #expect(diagnostics.count == 1)
    #expect(only.place == "s.yml:\(expected.place)")
    #expect(only.problem == expected.problem)
    #expect(only.remedy == expected.remedy)
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

  private func problems(of text: String) -> [Diagnostic] {
    do throws(ScenarioError) {
      _ = try ScenarioFile.load(text: text, path: "s.yml")
      return []
    } catch {
      return error.diagnostics
    }
  }
}

// MARK: - Cases

extension ScenarioProblemTests {
  static let structure = [
    Case("", "1:1", "the file is empty", "write a first scenario with `launchlab init`"),
    Case(
      "# only a comment\n",
      "1:1",
      "the file is empty",
      "write a first scenario with `launchlab init`"
    ),
    Case(
      "hello",
      "1:1",
      "the scenario is \"hello\", not a map with the keys scenario, targets, states, launches, "
        + "baseline, source, controls, stages, regression, budgets",
      "give a map with the keys scenario, targets, states, launches, baseline, source, controls, "
        + "stages, regression, budgets"
    ),
    Case(
      "scenario: s\ntargts: {a: {command: [a]}}",
      "2:1",
      "unknown key \"targts\"",
      "write `targets`"
    ),
    Case(
      "targets: {a: {command: [a]}}",
      "1:1",
      "the scenario lacks the key \"scenario\"",
      "add `scenario:` with a name"
    ),
    Case(
      "scenario: s\ntargets: {}",
      "2:10",
      "\"targets\" is an empty map",
      "give at least one entry, or remove the key"
    ),
    Case(
      "scenario: s\ntargets: {a b: {command: [a]}}",
      "2:11",
      "\"a b\" is not a name",
      "use at most 100 of the characters A-Z, a-z, 0-9, `.`, `_` and `-`"
    ),
    Case(
      "scenario: s\ntargets: {empty: {command: [a]}}",
      "2:11",
      "a target is called \"empty\", like the floor",
      "choose another name"
    ),
    Case(
      "scenario: s\nscenario: t\ntargets: {a: {command: [a]}}",
      "2:1",
      "duplicate key \"scenario\", first given in line 1",
      "keep one of them"
    ),
    Case(
      "scenario: s\ntargets: {a: {command: [a], 'tty': true, tty: false}}",
      "2:42",
      "duplicate key \"tty\", first given in line 2",
      "keep one of them"
    ),
    Case(
      "scenario: s\ntargets: {a: {command: [a], [x]: y}}",
      "2:29",
      "a key is a list or a map",
      "write a word as the key"
    ),
  ]

  static let values = [
    launches("0", "\"0\" is not a whole number from 1 to 1000000", choose),
    launches("1000000000", "\"1000000000\" is not a whole number from 1 to 1000000", choose),
    launches(
      "99999999999999999999",
      "\"99999999999999999999\" is not a whole number from 1 to 1000000",
      choose
    ),
    launches("-1", "\"-1\" is not a whole number from 1 to 1000000", digits),
    launches("010", "\"010\" is not a whole number from 1 to 1000000", digits),
    launches("0x10", "\"0x10\" is not a whole number from 1 to 1000000", digits),
    launches("1_000", "\"1_000\" is not a whole number from 1 to 1000000", digits),
    launches("22:22", "\"22:22\" is not a whole number from 1 to 1000000", digits),
    launches("20.0", "\"20.0\" is not a whole number from 1 to 1000000", digits),
    launches("'20'", "\"20\" is a text, not a number", "write 20 without quotes"),
    launches(
      "{min: 20, max: 200, precision: 1%}",
      "\"launches: {min, max, precision}\" is not supported yet",
      "remove it, or use a version of launchlab that has it"
    ),
    launches(
      "~",
      "\"launches\" has no value",
      "give a whole number from 1 to 1000000, or remove the key"
    ),
    Case(
      base + "states: [warm, warm]",
      "3:16",
      "the state \"warm\" is given twice",
      "keep one of them"
    ),
    Case(
      base + "states: [worm]",
      "3:10",
      "\"worm\" is not one of reboot-cold, reinstall-cold, first-run, warm",
      "write `warm`"
    ),
    Case(
      base + "states: []",
      "3:9",
      "\"states\" is an empty list",
      "give at least one element, or remove the key"
    ),
    Case(
      base + "states: warm",
      "3:9",
      "\"states\" is \"warm\", not a list",
      "write a list: [warm]"
    ),
    Case(
      base + "baseline: {empty: yes}",
      "3:19",
      "\"yes\" is not true or false",
      "write true"
    ),
    Case(
      base + "baseline: {empty: 'true'}",
      "3:19",
      "\"true\" is not true or false",
      "write true"
    ),
    Case(
      base + "controls: {network: none}",
      "3:1",
      "\"controls\" is not supported yet",
      "remove it, or use a version of launchlab that has it"
    ),
    Case(
      base + "source: {repository: missing, build: make}",
      "3:22",
      "the repository \"missing\" is not a directory",
      "give the path of a git work tree"
    ),
    Case(
      base + "source: {repository: ., build: ' '}",
      "3:32",
      "the build command is empty",
      "write the command, or `true` if there is nothing to build"
    ),
  ]

  static let yaml = [
    Case(
      base + "states:\n\t- warm",
      "4:1",
      "not valid YAML: while scanning for the next token, found character that cannot start any "
        + "token in \"\\t- warm\"",
      "indent with spaces, because YAML forbids tabs"
    ),
    Case(
      base + "states: [warm\n",
      "4:1",
      "not valid YAML: while parsing a flow sequence in line 3, did not find expected ',' or ']'",
      "correct the indentation, quotes or brackets here or in the lines above"
    ),
    Case(
      base + "---\nscenario: t",
      "3:1",
      "the file holds a second document",
      "put each scenario into a file of its own"
    ),
    Case(
      base + "states: *cold",
      "3:9",
      "not valid YAML: found undefined alias",
      "define the anchor before its use"
    ),
    Case(
      "&a scenario: s\n*a : t",
      "2:4",
      "an alias stands in a key",
      "write the key out"
    ),
    Case(
      "scenario: s\ntargets: {a: {command: [\"a\\0\"]}}",
      "2:25",
      "\"a\\0\" contains a NUL character",
      "remove it, because no argument, variable or path can hold one"
    ),
    Case(
      base + "states: [!!binary warm]",
      "3:10",
      "the tag \"!!binary\" is not understood here",
      "remove the tag"
    ),
  ]

  static let targetKeys = [
    Case(
      "timeout: 10",
      "5:14",
      "\"10\" is a duration without a unit",
      "write the unit, such as 10s or 10ms"
    ),
    Case(
      "timeout: 0s",
      "5:14",
      "the timeout \"0s\" leaves no time to start",
      "allow more time, such as 10s"
    ),
    Case("timeout: 25h", "5:14", "the duration \"25h\" is longer than a day", "use at most 24h"),
    Case(
      "timeout: soon",
      "5:14",
      "\"soon\" is not a duration",
      "write a number and one of the units us, ms, s, m, h, such as 500ms"
    ),
    Case(
      "ready: {tcp: 7379}",
      "5:18",
      "\"7379\" is not a host and a port",
      "write 127.0.0.1:7379"
    ),
    Case(
      "ready: {tcp: 'localhost:0'}",
      "5:18",
      "\"localhost:0\" has no port from 1 to 65535",
      "write the port after the colon, such as 127.0.0.1:7379"
    ),
    Case(
      "ready: {tcp: '::1:80'}",
      "5:18",
      "\"::1:80\" has several colons",
      "put an IPv6 address in brackets, such as \"[::1]:80\""
    ),
    Case(
      "ready: {http: https://localhost}",
      "5:19",
      "\"https://localhost\" is not an http:// URL",
      "use an http:// address of the target, because TLS is not spoken here"
    ),
    Case(
      "ready: {stdout: a, stderr: b}",
      "5:24",
      "\"ready\" has 2 keys instead of one",
      "keep one of: stdout, stderr, tcp, unix, http, file"
    ),
    Case(
      "ready: mark",
      "5:12",
      "\"ready: mark\" is not supported yet",
      "use another condition, such as notify"
    ),
    Case("ready: {stdout: ''}", "5:21", "the pattern is empty", "write what the line contains"),
    Case(
      "stop: {signal: TREM}",
      "5:20",
      "\"TREM\" is not a signal that ends a program",
      "write `TERM`"
    ),
    Case(
      "stop: {signal: 19}",
      "5:20",
      "\"19\" is not a signal that ends a program",
      "use one of: HUP, INT, QUIT, ABRT, KILL, USR1, USR2, PIPE, ALRM, TERM, WINCH, PWR"
    ),
    Case("env: {A: }", "5:14", "\"A\" has no value", "give a text, or remove the key"),
    Case(
      "env: {A=B: x}",
      "5:11",
      "\"A=B\" cannot be the name of a variable",
      "use letters, digits and `_`"
    ),
    Case("tty: on", "5:10", "\"on\" is not true or false", "write true"),
    Case(
      "stdin: missing",
      "5:12",
      "the file \"missing\" does not exist",
      "correct the path, which is looked for at \(workingDirectory)/missing"
    ),
    Case(
      "home: ~/x",
      "5:11",
      "the path \"~/x\" begins with a tilde, which is not expanded",
      "write the directory out, such as /home/me/data"
    ),
    Case(
      "install: [missing]",
      "5:15",
      "the directory \"missing\" does not exist",
      "correct the path, which is looked for at \(workingDirectory)/missing"
    ),
    Case(
      "state: [cache]",
      "5:12",
      "\"state\" has no effect without the state first-run",
      "add first-run to `states:`, or remove the key"
    ),
    Case(
      "counters: [page_faults]",
      "5:16",
      "\"page_faults\" is not one of page-faults, minor-faults, major-faults, context-switches, "
        + "cpu-migrations, task-clock, cpu-clock, instructions, cycles, branches, branch-misses, "
        + "cache-misses, cache-references",
      "write `page-faults`"
    ),
    Case(
      "counters: [cycles, cycles]",
      "5:24",
      "the counter \"cycles\" is given twice",
      "keep one of them"
    ),
    Case(
      "<<: {tty: true}",
      "5:5",
      "unknown key \"<<\"",
      "repeat the keys, because merging is not done here"
    ),
  ]

  private static let base = "scenario: s\ntargets: {a: {command: [a]}}\n"
  private static let choose = "choose a number from 1 to 1000000"
  private static let digits = "write decimal digits only, such as 20"
  private static let workingDirectory = FileManager.default.currentDirectoryPath

  private static func launches(_ value: String, _ problem: String, _ remedy: String) -> Case {
    Case(base + "launches: \(value)", "3:11", problem, remedy)
  }
}
