/// Mistakes outside of targets.
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
      "the scenario is \"hello\", not a map",
      "give a map with the keys scenario, targets, states, launches, cold, baseline, source, "
        + "controls, display, stages, regression, budgets, notify, releases, artifacts, bisect, explain, "
        + "gate"
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
      "scenario: s\ntargets: {control: {command: [a]}}",
      "2:11",
      "a target is called \"control\", like the control",
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

  static let values =
    [
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
        "invalid value \"worm\"",
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
    + [
      "https://github.com/jqlang/jq/commit/", "git.example.org/{commit}",
      "https://example.org/a)b/{commit}", "javascript:{commit}",
    ].map { url in
      Case(
        base + "source: {repository: ., build: make, commit_url: '\(url)'}",
        "3:50",
        "\"\(url)\" is not a URL with {commit} where the commit belongs",
        "write it as in https://github.com/jqlang/jq/commit/{commit}"
      )
    }

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

  private static let base = "scenario: s\ntargets: {a: {command: [a]}}\n"
  private static let choose = "choose a number in that range"
  private static let digits = "write decimal digits only, such as 20"

  private static func launches(_ value: String, _ problem: String, _ remedy: String) -> Case {
    Case(base + "launches: \(value)", "3:11", problem, remedy)
  }
}
