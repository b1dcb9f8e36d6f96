import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

/// Where the result of `run` and `measure` goes.
struct OutputOptions: ParsableArguments {
  @Option(
    help: .init(
      "SQLite database that keeps the launches (default: .launchlab/launchlab.sqlite).",
      valueName: "file"
    ),
    completion: .file()
  )
  var store: String?

  @Option(
    help: .init("Write the result as JSON; - is stdout.", valueName: "file"),
    completion: .file()
  )
  var json: String?

  @Option(
    help: .init("Write the result in hyperfine's JSON format.", valueName: "file"),
    completion: .file()
  )
  var exportHyperfine: String?

  /// Executes a run, shows its progress and its result, and ends with its exit code.
  func execute(
    _ request: RunRequest,
    isDryRun: Bool,
    provesSuspicions: Bool = true,
    on console: Console
  ) async throws {
    try request.files.writing(json, as: "--json")
      .writing(exportHyperfine, as: "--export-hyperfine").check()
    if isDryRun {
      let forecast = Forecast(request)
      let text = PlanText(forecast.plan, estimate: forecast.estimate, style: console.resultStyle)
      try console.write(text.rendered())
      let check = await RunCheck(request, plan: forecast.plan).result()
      console.show(check.diagnostics)
      if check.exitCode != .done { throw ExitCode(check.exitCode.rawValue) }
      return
    }
    let progress = ProgressDisplay(console: console)
    defer { progress.clear() }
    let night = NightWorkflow(request: request, provesSuspicions: provesSuspicions)
    let result = try await night.run { progress.show($0) }
    progress.clear()
    try show(result, on: console)
    if result.exitCode != .done { throw ExitCode(result.exitCode.rawValue) }
  }

  /// Shows the text first, so that a file that cannot be written does not hide the result.
  private func show(_ result: NightResult, on console: Console) throws {
    let summary = result.summary
    if json != "-" && exportHyperfine != "-" {
      let style = console.resultStyle
      try console.write(RunText(summary, style: style, includesWarnings: false).rendered())
      if let trend = result.trend {
        let text = TrendText(trend, style: style, options: result.options)
        try console.write("\n" + text.rendered())
      }
    }
    console.show(summary.warnings)
    if let exportHyperfine {
      try ResultFile(exportHyperfine).write { try HyperfineJSON(summary).write(to: $0) }
    }
    if let json {
      try ResultFile(json).write { try RunJSON(summary, trend: result.trend).write(to: $0) }
    }
  }
}
