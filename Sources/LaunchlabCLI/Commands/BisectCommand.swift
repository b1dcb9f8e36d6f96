import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Finds the commit that made launches slower.
  struct Bisect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Finds the commit in a range that made launches slower.",
      discussion: """
        Builds few commits, launches each between its neighbours, so that drift of the machine \
        falls on all of them alike, and names a commit only when it differs from its parent in \
        launches of their own. Where the noise forbids that, it says how far it came:
          launchlab bisect v1.0..HEAD --scenario scenario.yml

        Without a scenario, say what is built and launched; or give ready-made executables:
          launchlab bisect v1.0..HEAD --build make -- ./app --version
          launchlab bisect --artifacts nightly-builds -- app --version

        The log is written as it goes: what was cut off goes on, also with more launches, builds or \
        time than before, and any log can be checked:
          launchlab bisect --resume last
          launchlab bisect --resume last --max-launches 8000
          launchlab bisect --replay .launchlab/bisect/ID/log.jsonl

        How sure can it be, and what does it cost? Try it in a simulated world:
          launchlab bisect --simulate n=64,effect=5%,cv=3%,runs=200,seed=1

        Exit code 0 means found and confirmed, 125 that nothing can be named, 128 that it could not \
        be done.
        """
    )

    @Argument(help: "The good and the bad revision, with two dots between them.")
    var range: String?

    @OptionGroup var question: BisectQuestionOptions

    @OptionGroup var work: BisectWorkOptions

    @OptionGroup var launch: TargetOptions

    @OptionGroup var waiting: WaitOptions

    @Option(help: "Go on with the bisection of this <id>; \"last\" means the newest.")
    var resume: String?

    @Option(help: "Compute every decision of this <log> again.", completion: .file())
    var replay: String?

    @Option(help: "Bisect a simulated <world>, such as n=64,effect=5%,cv=3%,runs=200,seed=1.")
    var simulate: String?

    @Option(
      help:
        "Keep or find bisections beside this SQLite <file> (default: .launchlab/launchlab.sqlite).",
      completion: .file()
    )
    var store: String?

    @OptionGroup var output: BisectOutput

    func validate() throws {
      let others =
        [resume.map { _ in "--resume" }, replay.map { _ in "--replay" }]
        .compactMap(\.self) + (simulate == nil ? [] : ["--simulate"])
      if others.count > 1 {
        throw ValidationError("\(others[0]) cannot be given with \(others[1])")
      }
      if let other = others.first {
        let useless = useless(beside: other)
        guard !useless.isEmpty else { return }
        throw ValidationError(
          other == "--resume"
            ? "\(useless.joined(separator: ", ")) cannot be given with --resume: only limits can "
              + "change on resume; start a new bisection"
            : "\(useless[0]) means nothing with \(other), which says it already"
        )
      }
      let source = question.alert == nil ? "--scenario" : "--alert"
      if question.scenario != nil || question.alert != nil, let useless = givenForCommand.first {
        throw ValidationError("\(useless) means nothing with \(source): the scenario says it")
      }
      if question.artifacts != nil, let useless = givenForSource.first {
        throw ValidationError("\(useless) means nothing with --artifacts: they are built already")
      }
      let isTold = range != nil || question.alert != nil || question.artifacts != nil
      if !isTold {
        throw ValidationError("give a range such as v1.0..HEAD, --alert, --artifacts or --simulate")
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

    /// What was given that a log, or a simulated world, says instead.
    private func useless(beside mode: String) -> [String] {
      let asked =
        (range == nil ? [] : ["a range"]) + question.given + work.givenForRange + givenForCommand
      guard mode != "--resume" else { return asked }
      let other =
        asked + work.givenForLimits + work.givenForBuilds + (store == nil ? [] : ["--store"])
        + (waiting.wait == nil ? [] : ["--wait"])
      return mode == "--replay" ? other : other + output.givenForAnswers
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      if let simulate {
        try output.check(CommandFiles())
        return try output.simulate(simulate, on: console)
      }
      if let replay {
        try output.check(CommandFiles().reading(replay, as: "--replay"))
        var summary = try BisectReplay(path: replay).summary()
        await CulpritChanges.add(to: &summary)
        return try output.show(summary, on: console)
      }
      let request =
        if let resume {
          try BisectRequest(resuming: resume, options)
        } else {
          try await BisectRequest(options)
        }
      try output.check(request.files)
      let progress = BisectProgressDisplay(console: console)
      defer { progress.clear() }
      let summary = try await waiting.patiently(on: console) {
        try await BisectWorkflow(request: request).run { progress.show($0) }
      }
      progress.clear()
      try output.show(summary, on: console)
    }

    private var options: BisectOptions {
      BisectOptions(
        range: range,
        scenario: question.scenario,
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
        skips: work.skip,
        paths: work.path,
        store: store,
        words: Array(CommandLine.arguments.drop { $0 != "bisect" }.dropFirst())
      )
    }
  }
}
