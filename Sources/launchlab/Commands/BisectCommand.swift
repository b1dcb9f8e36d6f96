import ArgumentParser
import Bisection
import LaunchCore
import Measuring
import Rendering

extension Launchlab {
  /// Finds the commit that made launches slower.
  struct Bisect: AsyncParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
      commandName: "bisect",
      abstract: "Find the commit in a range that made launches slower.",
      discussion: """
        Builds few commits, launches each next to its neighbours so that machine drift affects \
        all of them alike, and names a commit only if new launches confirm that it differs from \
        its parent. If noise prevents that, it reports how far it got:
          launchlab bisect v1.0..HEAD scenario.yml

        Without a scenario, give the build command and the program, or prebuilt executables:
          launchlab bisect v1.0..HEAD --build make ./app --version
          launchlab bisect --artifacts nightly-builds app --version

        Everything is logged as it happens. An interrupted bisection can be resumed, with higher \
        limits if need be, and any log can be checked:
          launchlab bisect --resume last
          launchlab bisect --resume last --max-launches 16000
          launchlab bisect --replay .launchlab/bisect/ID/log.jsonl

        Exit codes: 0 found and confirmed, 125 inconclusive, 128 could not bisect.
        """
    )

    @Argument(help: .init("Good and bad revision, such as v1.0..HEAD.", valueName: "good..bad"))
    var rangeWord: String?

    @Argument(
      help: .init("Scenario file, as with --scenario.", valueName: "scenario-file"),
      completion: .file(extensions: ["yml", "yaml"])
    )
    var scenarioFile: String?

    @OptionGroup var question: BisectQuestionOptions

    @OptionGroup var work: BisectWorkOptions

    @OptionGroup var launch: TargetOptions

    @OptionGroup var waiting: WaitOptions

    @Option(help: .init("Resume this bisection; \"last\" is the newest one.", valueName: "id"))
    var resume: String?

    @Option(
      help: .init("Recompute every decision of a log and check it.", valueName: "log"),
      completion: .file()
    )
    var replay: String?

    @Option(
      file: """
        SQLite database beside which bisections are kept (default: \
        .launchlab/launchlab.sqlite).
        """
    )
    var store: String?

    @Option(help: .init("Directory of builds that a fleet shares.", visibility: .hidden))
    var sharedBuilds: String?

    @OptionGroup var output: BisectOutput

    static func isArgument(_ word: String, in words: TypedWords) -> Bool {
      if word.namesYAML { return true }
      let ranges = words.arguments.filter { !$0.namesYAML }
      let others = ["--artifacts", "--alert", "--resume", "--replay"]
      return ranges.isEmpty && (isRange(word) || !others.contains(where: words.has))
    }

    private static func isRange(_ word: String) -> Bool {
      word.contains("..") && !["/", "./", "../"].contains(where: word.hasPrefix)
    }

    private var range: String? {
      [rangeWord, scenarioFile].compactMap(\.self).first { !$0.namesYAML }
    }

    private var scenario: String? {
      question.scenario ?? [rangeWord, scenarioFile].compactMap(\.self).first(where: \.namesYAML)
    }

    func validate() throws {
      let words = [rangeWord, scenarioFile].compactMap(\.self)
      if let other = words.drop(while: { $0 != range }).dropFirst().first(where: { !$0.namesYAML })
      {
        throw ValidationError("\(other) is no scenario file")
      }
      if let range, !Self.isRange(range), question.artifacts ?? question.alert ?? resume != nil {
        throw ValidationError("\(range) is no range such as v1.0..HEAD")
      }
      let files = words.filter(\.namesYAML) + [question.scenario].compactMap(\.self)
      if files.count > 1 {
        throw ValidationError("give one scenario, not \(files.joined(separator: " and "))")
      }
      let others =
        [resume.map { _ in "--resume" }, replay.map { _ in "--replay" }].compactMap(\.self)
      if others.count > 1 {
        throw ValidationError("\(others[0]) cannot be used with \(others[1])")
      }
      if let other = others.first {
        let useless = useless(beside: other)
        guard !useless.isEmpty else { return }
        throw ValidationError(
          other == "--resume"
            ? "\(useless.joined(separator: ", ")) cannot be used with --resume: only limits can "
              + "change on resume; start a new bisection"
            : "\(useless[0]) cannot be used with \(other)"
        )
      }
      let source = question.alert == nil ? "--scenario" : "--alert"
      if scenario != nil || question.alert != nil, let useless = givenForCommand.first {
        throw ValidationError("\(useless) cannot be used with \(source); set it in the scenario")
      }
      if question.artifacts != nil, let useless = givenForSource.first {
        throw ValidationError("\(useless) cannot be used with --artifacts, which are not built")
      }
      let isTold = range != nil || question.alert != nil || question.artifacts != nil
      if !isTold {
        throw ValidationError("missing a range such as v1.0..HEAD, --alert or --artifacts")
      }
    }

    /// What was given that only means something without a scenario.
    private var givenForCommand: [String] {
      (question.build == nil ? [] : ["--build"])
        + (question.submodules == nil ? [] : ["--submodules"])
        + (launch.command.isEmpty ? [] : ["a command"])
        + [launch.launch.firstForCommands].compactMap(\.self)
    }

    /// What was given that only means something where commits are built.
    private var givenForSource: [String] {
      (question.build == nil ? [] : ["--build"])
        + (question.submodules == nil ? [] : ["--submodules"])
        + (work.path.isEmpty ? [] : ["--path"])
        + work.givenForBuilds
    }

    /// What was given that a log says instead.
    private func useless(beside mode: String) -> [String] {
      let asked =
        (range == nil ? [] : ["a range"])
        + (question.scenario == nil && scenario != nil ? ["a scenario"] : []) + question.given
        + work.givenForRange + givenForCommand
      guard mode != "--resume" else { return asked }
      return asked + work.givenForLimits + work.givenForBuilds + (store == nil ? [] : ["--store"])
        + (waiting.wait == nil ? [] : ["--wait"]) + (work.noExplain ? ["--no-explain"] : [])
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      if let replay {
        try output.check(CommandFiles().reading(replay, as: "--replay"))
        var summary = try BisectReplay(path: replay).summary()
        await CulpritChanges.add(to: &summary)
        return try output.show(summary, on: console)
      }
      let request =
        if let resume {
          try BisectRequest(resuming: resume, options, in: .live)
        } else {
          try await BisectRequest(options, in: .live)
        }
      try output.check(request.files)
      let progress = BisectProgressDisplay(console: console)
      defer { progress.clear() }
      let summary = try await waiting.patiently(on: console) {
        try await BisectWorkflow(request, in: .live).run { progress.show($0) }
      }
      progress.clear()
      try output.show(summary, on: console)
    }

    var options: BisectOptions {
      BisectOptions(
        range: range,
        scenario: scenario,
        launching: launch.measuring(states: question.state.map { [$0] } ?? [], launches: 1),
        build: question.build,
        submodules: question.submodules,
        artifacts: question.artifacts,
        alert: question.alert,
        target: question.target,
        state: question.state,
        metric: question.metric,
        find: question.find,
        minimumEffect: question.minEffect,
        confidence: question.confidence,
        findsAll: question.all,
        isForced: question.force,
        mostLaunches: work.maxLaunches,
        mostBuilds: work.maxBuilds,
        mostTime: work.maxTime,
        buildTimeout: work.buildTimeout,
        jobs: work.jobs,
        retriesFailures: work.retryFailed,
        explains: !work.noExplain,
        skips: work.skip,
        paths: work.path,
        store: store,
        sharedBuilds: sharedBuilds,
        words: TypedWords(Array(CommandLine.arguments.dropFirst())).words
          .drop { $0 != "bisect" }.dropFirst()
          .flatMap { $0 == scenario && question.scenario == nil ? ["--scenario", $0] : [$0] }
      )
    }
  }
}

/// Where the answer of `bisect` goes.
struct BisectOutput: ParsableArguments {
  @Option(file: "Write the result as JSON; - is stdout.") var json: String?

  @Option(file: "Write a Markdown report; - is stdout.") var markdown: String?

  @Option(file: "Write the steps in the format of `git bisect log`; - is stdout.")
  var gitLog: String?

  @Flag(
    name: .shortAndLong,
    help: "Also show every build, all stages, and the measuring conditions."
  )
  var verbose = false

  func validate() throws {
    if [json, markdown, gitLog].filter({ $0 == "-" }).count > 1 {
      throw ValidationError("only one of --json, --markdown and --git-log can use stdout")
    }
  }

  /// Compares the files that are written with each other and with those of a bisection.
  func check(_ files: CommandFiles) throws {
    try files.writing(json, as: "--json").writing(markdown, as: "--markdown")
      .writing(gitLog, as: "--git-log").check()
  }

  /// Shows the text first, and tries every file, so that one that cannot be written hides nothing.
  func show(_ summary: BisectSummary, on console: Console) throws {
    if ![json, markdown, gitLog].contains("-") {
      try console.write(
        BisectText(summary, style: console.resultStyle, isVerbose: verbose).rendered()
      )
    }
    console.show(summary.warnings)
    var failures: [any Error] = []
    for (path, write) in documents(of: summary) {
      guard let path else { continue }
      do { try ResultFile(path).write(write) } catch { failures.append(error) }
    }
    for failure in failures.dropFirst() {
      console.show((failure as? any LabError)?.diagnostics ?? [])
    }
    if let failure = failures.first { throw failure }
    if summary.exitCode != .done { throw ExitCode(summary.exitCode.rawValue) }
  }

  private typealias Writing = ((String) throws -> Void) throws -> Void

  private func documents(of summary: BisectSummary) -> [(path: String?, write: Writing)] {
    [
      (json, { try BisectJSON(summary).write(to: $0) }),
      (markdown, { try $0(BisectMarkdown(summary).rendered()) }),
      (gitLog, { try $0(GitBisectLog(summary).rendered()) }),
    ]
  }
}
