import ArgumentParser
import Bisection
import History
import LaunchCore
import Measuring
import Rendering

extension Option where Value == String? {
  /// The path of a file.
  init(file help: String, extensions: [String] = []) {
    self.init(
      help: ArgumentHelp(help, valueName: "file"),
      completion: .file(extensions: extensions)
    )
  }
}

/// The scenario as an option, for commands that also take it as an argument.
struct ScenarioOption: ParsableArguments {
  @Option(
    name: .customLong("scenario"),
    help: .init("Scenario file; the same as the argument.", valueName: "file"),
    completion: .file(extensions: ["yml", "yaml"])
  )
  var file: String?

  /// The only scenario that is named.
  func only(_ argument: String?) throws -> String? {
    if let argument, let file {
      throw ValidationError("give one scenario, not \(argument) and \(file)")
    }
    return argument ?? file
  }
}

/// Where the result of `run` and `measure` goes.
struct OutputOptions: ParsableArguments {
  @Option(file: "SQLite database that keeps the launches (default: .launchlab/launchlab.sqlite).")
  var store: String?

  @Option(file: "Write the result as JSON; - is stdout.") var json: String?

  @Option(file: "Write the result as Markdown; - is stdout.") var markdown: String?

  @Option(file: "Write the result in hyperfine's JSON format.") var exportHyperfine: String?

  @Option(
    file: "Also film three launches per state until settled, and write the film strip as SVG.",
    extensions: ["svg"]
  )
  var film: String?

  @Flag(
    name: .shortAndLong,
    help: "Also show memory and CPU time, the evidence for states, the controls, and all warnings."
  )
  var verbose = false

  @Flag(name: .shortAndLong, help: "Print only the result, without progress and warnings.")
  var quiet = false

  func validate() throws {
    if verbose, quiet { throw ValidationError("--verbose cannot be used with --quiet") }
  }

  /// Executes a run, shows its progress and its result, and ends with its exit code.
  func execute(
    _ request: RunRequest,
    isDryRun: Bool,
    provesSuspicions: Bool = true,
    on console: Console
  ) async throws {
    var request = request
    if let film {
      guard let filmed = request.filmed(into: film) else {
        throw ValidationError("--film needs a target with `ready: settled` (--ready settled)")
      }
      request = filmed
    }
    try request.files.writing(json, as: "--json").writing(markdown, as: "--markdown")
      .writing(exportHyperfine, as: "--export-hyperfine").writing(film, as: "--film").check()
    if isDryRun {
      let forecast = Forecast(request)
      let runCheck = RunCheck(request, plan: forecast.plan, in: .live)
      let text = PlanText(
        forecast.plan,
        estimate: forecast.estimate,
        obstacles: runCheck.obstacles,
        style: console.resultStyle
      )
      try console.write(text.rendered())
      let check = await runCheck.result()
      console.show(check.diagnostics)
      if check.exitCode != .done { throw ExitCode(check.exitCode.rawValue) }
      return
    }
    let progress = quiet ? nil : ProgressDisplay(console: console)
    defer { progress?.clear() }
    let bisection = BisectNight(request, in: .live)
    let result = try await NightWorkflow(
      request,
      provesSuspicions: provesSuspicions,
      in: .live.telling { progress?.show($0) },
      bisect: { await bisection.notes(on: $0, after: $1) }
    ).run()
    progress?.clear()
    try show(result, of: request, on: console)
    if result.exitCode != .done { throw ExitCode(result.exitCode.rawValue) }
  }

  /// Shows the text first, so that a file that cannot be written does not hide the result; the verdict
  /// comes last.
  private func show(
    _ result: NightResult,
    of request: RunRequest,
    on console: Console
  ) throws {
    let summary = result.summary
    let style = console.resultStyle
    let hasText = ![json, markdown, exportHyperfine, film].contains("-")
    if hasText {
      let text = RunText(summary, style: style, isVerbose: verbose, includesWarnings: false)
      try console.write(text.rendered())
    }
    if verbose {
      console.show(summary.warnings)
    } else {
      console.showBriefly(
        summary.warnings.filter { !quiet || $0.severity == .error },
        allWith: "-v, or `\(request.showCommand)`"
      )
    }
    if hasText, let trend = result.trend {
      let text = TrendText(trend, style: style)
      try console.write("\n" + text.rendered())
    }
    if let film, let films = result.films {
      try ResultFile(film).write { try $0(films.rendered()) }
    }
    if let markdown {
      let text = RunMarkdown(summary, command: request.commandLine)
      try ResultFile(markdown).write { try $0(text.rendered()) }
    }
    if let exportHyperfine {
      try ResultFile(exportHyperfine).write(HyperfineJSON(summary))
    }
    if let json {
      try ResultFile(json).write(RunJSON(summary, trend: result.trend))
    }
  }
}
