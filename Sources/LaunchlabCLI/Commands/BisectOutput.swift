import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

/// Where the answer of `bisect` goes.
struct BisectOutput: ParsableArguments {
  @Option(help: "Write the answer as JSON to <file>; - means stdout.", completion: .file())
  var json: String?

  @Option(help: "Write a report in Markdown to <file>; - means stdout.", completion: .file())
  var markdown: String?

  @Option(
    help: "Write the steps as `git bisect log` does to <file>; - means stdout.",
    completion: .file()
  )
  var gitLog: String?

  func validate() throws {
    if [json, markdown, gitLog].filter({ $0 == "-" }).count > 1 {
      throw ValidationError("only one of --json, --markdown and --git-log can be written to stdout")
    }
  }

  /// Shows the text first, so that a file that cannot be written does not hide the answer.
  func show(_ summary: BisectSummary, on console: Console) throws {
    if ![json, markdown, gitLog].contains("-") {
      try console.write(BisectText(summary, style: console.resultStyle).rendered())
    }
    console.show(summary.warnings)
    let document = BisectJSON(summary)
    if let json { try ResultFile(json).write { try document.write(to: $0) } }
    if let markdown {
      try ResultFile(markdown).write { try $0(BisectMarkdown(summary).rendered()) }
    }
    if let gitLog { try ResultFile(gitLog).write { try $0(GitBisectLog(summary).rendered()) } }
    if summary.exitCode != .done { throw ExitCode(summary.exitCode.rawValue) }
  }

  func simulate(_ words: String, on console: Console) throws {
    let result = try BisectSimulation(parsing: words).result { done in
      if done % 50 == 0 { console.note("\(done) simulated bisections") }
    }
    if json != "-" {
      try console.write(SimulationText(result, style: console.resultStyle).rendered())
    }
    let document = SimulationJSON(result)
    if let json { try ResultFile(json).write { try document.write(to: $0) } }
  }
}
