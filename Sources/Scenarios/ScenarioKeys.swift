import LaunchCore

/// Every key of a scenario file: the one truth that reader, schema and reference follow.
enum ScenarioKeys {
  static let defaultLaunches = 20
  static let defaultStates: [LaunchState] = [.reinstallCold, .warm]
  static let launchRange = 1...1_000_000

  static let scenario = Form<Scenario>.section(
    top,
    of: Scenario(
      name: "",
      targets: [],
      states: defaultStates,
      launches: defaultLaunches,
      directory: "",
      controls: ControlPlan(),
      regression: .ofFiles,
      artifactLimit: 2 << 30
    ),
    first: ["source", "states"]
  ).then { scenario, _, reading in
    var scenario = scenario
    scenario.directory = reading.directory
    return scenario
  }

  static let top: [Field<Scenario>] = [
    Field("scenario", .name, \.name, isRequired: true) {
      "The name under which its runs are stored and compared."
    },
    Field("targets", targets, \.targets, isRequired: true) {
      "The programs to launch, in random order in the same run."
    },
    Field("states", states, \.states) {
      "What is in memory before a launch. Each target is launched in each state. "
        + "Default: [\(defaultStates.map(\.rawValue).joined(separator: ", "))]."
    },
    Field(
      "launches",
      launches,
      summary:
        "Launches of each target in each state; a map for as many as a precision asks for. "
        + "Default: \(defaultLaunches)."
    ) { ($0.launches, $0.adaptive) = $1 },
    Field("cold", .share(1...100), \.coldShare) {
      "The share of a program's own files, by size, that must be out of the page cache before a "
        + "cold launch, or it is not counted. Default: 95%."
    },
    Field(
      "baseline",
      .section(baseline, of: Baseline()),
      summary:
        "What is launched in the same blocks for comparison."
    ) { ($0.includesEmptyBaseline, $0.control) = ($1.isEmpty, $1.control) },
    Field("source", sourceSection, \.source) {
      "What is built first. Relative paths in command, files, install and directory then lead into "
        + "the built tree."
    },
    Field(
      "controls",
      controlsSection,
      summary:
        "How the machine is controlled and watched. Each run records what took effect."
    ) { $0.controls = $1.plan },
    Field("display", displaySection, \.display) {
      "The display that programs with windows are shown on. Default: headless X11, where a target "
        + "waits for a window."
    },
    Field("stages", stagesSection, \.stages) {
      "How launches are split into stages, in separate launches."
    },
    Field("regression", .section(regression, of: .ofFiles), \.regression) {
      "Which differences from earlier nights matter, and how a suspicion is settled."
    },
    Field("budgets", budgets, \.budgets) {
      "Limits for the median of a night."
    },
    Field("notify", notifiers, \.notifiers) {
      "Who is notified of each change of an alert; what cannot be sent is tried again the next "
        + "night."
    },
    Field("releases", releases, \.releases) {
      "Further nights to compare with: a date, the id of a run, or the first digits of a commit."
    },
    Field("artifacts", size, \.artifactLimit) {
      "How much space kept builds and programs of former nights may take. Default: 2GiB."
    },
    Field("bisect", bisection, \.bisection) {
      "auto: the same night searches for the commit of a confirmed regression, within an hour. It "
        + "needs a source. Default: off."
    },
    Field("explain", explanation, \.explanation) {
      "Which slower launches are traced to say why. Default: bisect."
    },
    Field("gate", .section(gate, of: GateRules()), \.gate) {
      "What `launchlab gate` lets into a launch, and by how much figures may grow."
    },
  ]

  static let display: [Field<DisplayPlan>] = [
    Field("x11", session, summary: displaySummary("an X server", "Xvfb", "DISPLAY")) {
      ($0.server, $0.isSession) = (.x11, $1)
    },
    Field(
      "wayland",
      session,
      summary: displaySummary("a Wayland compositor", "weston", "WAYLAND_DISPLAY")
    ) { ($0.server, $0.isSession) = (.wayland, $1) },
    Field(
      "size",
      screenSize,
      summary: "The size of a headless screen in pixels. Default: 1920x1080."
    ) { ($0.width, $0.height) = $1 },
  ]

  private static func displaySummary(
    _ server: String,
    _ program: String,
    _ variable: String
  ) -> String {
    "headless (\(server) of the run's own, \(program)) or session (the one that \(variable) names)."
  }

  static let source: [Field<Source>] = [
    Field("repository", .path, \.repository, isRequired: true) {
      "A git repository, or a directory inside one."
    },
    Field("build", build, \.build, isRequired: true) {
      "The build command, run by sh in the same directory of a worktree of its own."
    },
    Field("env", .list(of: .text), \.environment) {
      "Further variables that the build depends on. What the command names, such as $CF, and what "
        + "compilers and build tools read, such as CC and CFLAGS, count without being listed."
    },
    Field("submodules", .word, \.submodules) {
      "A submodule that cannot be fetched: required (the build fails), try (a warning; the build "
        + "command decides), off (no submodule is checked out). Default: try."
    },
    Field("commit_url", commitURL, \.commitURL) {
      "Where commits can be read, such as https://github.com/jqlang/jq/commit/{commit}, for links "
        + "in reports."
    },
  ]

  static let stages: [Field<StagePlan>] = [
    Field("collect", .list(of: .word, each: "the collector"), \.collectors) {
      "The collectors: auto (the probe, what Python, Node, Java or Go prints of its start, and "
        + "with eBPF what main to ready is spent on), probe (every stage, library and initializer "
        + "of dynamic glibc programs), breakpoints (exec, entry and main of any program), "
        + "statistics (LD_DEBUG=statistics), text (what the program prints), marks (its launch "
        + "marks). Default: [probe]."
    },
    Field("launches", .whole(launchRange), \.launches) {
      "Launches of each collector, per target and state, at most one per block. Default: "
        + "\(StagePlan.defaultLaunches)."
    },
    Field("probe_hidden", .boolean, \.isProbeHidden) {
      "Whether the probe hides LD_AUDIT from the program; programs that it executes are then not "
        + "followed. Default: false."
    },
    Field("env", textVariables, \.environment) {
      "Variables added for the collector text only, such as GODEBUG: inittrace=1."
    },
    Field("patterns", .list(of: pattern), \.patterns) {
      "Regular expressions for the collector text, with the named groups stage, value and unit."
    },
  ]
}

// MARK: - Values

extension ScenarioKeys {
  private static let session = Form<String>.words(["headless", "session"]).map { $0 == "session" }

  private static let screenSize = Form<(Int, Int)>.scalar(
    "a width and a height such as 1920x1080",
    .string("^[0-9]{2,5}x[0-9]{2,5}$"),
    else: "{} is not the size of a screen",
    remedy: "write a width and a height from 64 to 16384, such as 1920x1080"
  ) { text in
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sides.count == 2, sides.allSatisfy({ (64...16_384).contains($0) }) else { return nil }
    return (sides[0], sides[1])
  }

  private static let displaySection = Form<DisplayPlan>.section(display, of: DisplayPlan())
    .then { display, value, reading in
      if value["x11"] != nil, let other = value.entries.first(where: { $0.key == "wayland" }) {
        reading.report(
          "contradiction",
          "a display is of x11 or of wayland, not of both",
          at: other.place,
          remedy: "keep one of them"
        )
      }
      if display.isSession, let size = value.entries.first(where: { $0.key == "size" }) {
        reading.report(
          "contradiction",
          "the size of the session's screen is not launchlab's to set",
          at: size.place,
          remedy: "remove the key, or use a headless display"
        )
      }
      return display
    }
}

extension ScenarioKeys {
  private static let targets = Form<[(entry: Value.Entry, value: Target)]>
    .named(.name, targetSection)
    .then { targets, value, reading in
      let namesakes = [Arm.emptyTarget: "the floor", Arm.controlTarget: "the control"]
      for entry in value.entries {
        guard let namesake = namesakes[entry.key] else { continue }
        reading.report(
          "contradiction",
          "a target is called \(quoted(entry.key)), like \(namesake)",
          at: entry.place,
          remedy: "choose another name"
        )
      }
      reading.targets = value.entries.map(\.key)
      return targets.map { entry, target in
        var target = target
        target.name = entry.key
        return target
      }
    }

  private static let states = Form<[LaunchState]>
    .list(of: .word, each: "the state", id: "duplicate-state")
    .then { states, _, reading in
      reading.states = states
      return states
    }

  private static let sourceSection = Form<Source>.section(
    source,
    of: Source(repository: "", build: "")
  )
  .then { source, value, reading -> Source? in
    guard let written = value["repository"], value["build"] != nil, !source.repository.isEmpty
    else { return nil }
    let path = reading.absolute(source.repository)
    if FileKind(at: path) != .directory {
      reading.report(
        "missing-file",
        "the repository \(written.phrase) is not a directory",
        at: written.place,
        remedy: "give the path of a git work tree"
      )
    }
    var source = source
    // git reports its paths with links followed; paths of the built tree are compared with those.
    source.repository = PathSafety.resolved(path)
    reading.source = source
    return source
  }

  private static let build = Form<String>.text.refusing(
    "the build command is empty",
    remedy: "write the command, or `true` if there is nothing to build",
    id: "empty-value"
  ) { $0.allSatisfy(\.isWhitespace) }

  /// Characters that could end a link in Markdown must be written as percent escapes.
  private static let commitURL = Form<String>.scalar(
    "a URL with \(Source.commitPlaceholder)",
    .string("^[hH][tT][tT][pP][sS]?://[!-~]*\\{commit\\}[!-~]*$"),
    else: "{} is not a URL with \(Source.commitPlaceholder) where the commit belongs",
    remedy: "write it as in https://github.com/jqlang/jq/commit/\(Source.commitPlaceholder)"
  ) { text in
    let sample = text.replacing(Source.commitPlaceholder, with: "0")
    let isURL = sample.wholeMatch(of: /(?i)https?:\/\/[a-z0-9\-._~:\/?#@!$&*+,;=%]+/) != nil
    return isURL && sample != text ? text : nil
  }

  private static let textVariables = Form<[(entry: Value.Entry, value: String)]>.named(.text, .text)
    .map { Dictionary($0.map { ($0.entry.key, $0.value) }) { $1 } }

  private static let stagesSection = ["env", "patterns"].reduce(
    Form<StagePlan>.section(stages, of: StagePlan())
  ) { form, key in
    form.refusing(
      "\(quoted(key)) is for the collector text, which is not asked for",
      remedy: "add text to `collect`, or remove the key",
      at: key
    ) { plan, _, _ in !plan.collectors.contains(.text) }
  }

  /// A pattern that cannot be read would find nothing, every night.
  private static let pattern = Form<String>.text.then { text, value, reading -> String? in
    guard let pattern = reading.compiled(text, at: value.place, TextPattern.init) else {
      return nil
    }
    for group in ["stage", "value", "unit"] where !pattern.groups.contains(group) {
      reading.report(
        "invalid-value",
        "the pattern \(quoted(text)) has no group named \(quoted(group))",
        at: value.place,
        remedy: "write groups such as (?<stage>\\w+): (?<value>[0-9.]+) ?(?<unit>ms|s)"
      )
    }
    return text
  }
}
