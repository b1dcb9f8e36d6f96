import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

/// Where the result of `run` and `measure` goes.
struct OutputOptions: ParsableArguments {
  @Option(
    help: "Keep the launches in this SQLite <file> (default: .launchlab/launchlab.sqlite).",
    completion: .file()
  )
  var store: String?

  @Option(help: "Write the result as JSON to <file>; - means stdout.", completion: .file())
  var json: String?

  @Option(
    help: "Write the result in hyperfine's JSON format to <file>.",
    completion: .file()
  )
  var exportHyperfine: String?

  /// Executes a run, shows its progress and its result, and ends with its exit code.
  func execute(_ request: RunRequest, isDryRun: Bool, on console: Console) async throws {
    if isDryRun {
      let forecast = Forecast(request)
      let text = PlanText(forecast.plan, estimate: forecast.estimate, style: console.resultStyle)
      return try console.write(text.rendered())
    }
    let progress = ProgressDisplay(console: console)
    defer { progress.clear() }
    let summary = try await RunWorkflow(request: request).run { progress.show($0) }
    progress.clear()
    try show(summary, on: console)
    let code = summary.exitCode
    if code != .done { throw ExitCode(code.rawValue) }
  }

  /// Shows the text first, so that a file that cannot be written does not hide the result.
  private func show(_ summary: RunSummary, on console: Console) throws {
    if json != "-" && exportHyperfine != "-" {
      try console.write(
        RunText(summary, style: console.resultStyle, includesWarnings: false).rendered()
      )
    }
    console.show(summary.warnings)
    if let exportHyperfine {
      try ResultFile(exportHyperfine).write { try HyperfineJSON(summary).write(to: $0) }
    }
    if let json {
      try ResultFile(json).write { try RunJSON(summary).write(to: $0) }
    }
  }
}
