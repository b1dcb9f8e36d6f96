import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

/// Where the answer of `bisect` goes.
struct BisectOutput: ParsableArguments {
  @Option(
    help: .init("Write the result as JSON; - is stdout.", valueName: "file"),
    completion: .file()
  )
  var json: String?

  @Option(
    help: .init("Write a Markdown report; - is stdout.", valueName: "file"),
    completion: .file()
  )
  var markdown: String?

  @Option(
    help: .init(
      "Write the steps in the format of `git bisect log`; - is stdout.",
      valueName: "file"
    ),
    completion: .file()
  )
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

  /// The names of the options that were given and that a simulation has nothing for.
  var givenForAnswers: [String] {
    (markdown == nil ? [] : ["--markdown"]) + (gitLog == nil ? [] : ["--git-log"])
      + (verbose ? ["--verbose"] : [])
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
