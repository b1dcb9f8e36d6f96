import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

/// How `stages --parse` reads a text.
struct StageTextOptionGroup: ParsableArguments {
  @Option(
    help: .init("Read stages from a log; - is stdin.", valueName: "file"),
    completion: .file()
  )
  var parse: String?

  @Flag(help: "Fail on lines that no loader prints and on incomplete blocks.")
  var strict = false

  @Option(
    help: .init("Version of the glibc that wrote the log, such as 2.36.", valueName: "version")
  )
  var glibc: String?

  @Option(help: .init("Frequency of the cycles in the log, in hertz.", valueName: "hertz"))
  var cyclesPerSecond: Double?

  @Option(
    help: .init(
      "Regular expression that finds stages, with the groups stage, value and unit; repeatable.",
      valueName: "regex"
    )
  )
  var pattern: [String] = []

  /// The options given that mean nothing without a text to read.
  var optionsOfParse: [String] {
    [
      strict ? "--strict" : nil, glibc == nil ? nil : "--glibc",
      cyclesPerSecond == nil ? nil : "--cycles-per-second",
    ].compactMap(\.self)
  }

  /// Reads the text, and shows what it says of stages; ends with its exit code.
  func read(_ path: String, json: String?, on console: Console) throws {
    let workflow = try StageTextWorkflow(
      path: path,
      isStrict: strict,
      glibc: glibc,
      cyclesPerSecond: cyclesPerSecond,
      patterns: pattern
    )
    let result = try workflow.run()
    if json != "-" {
      let text = StageTextText(result, includesDiagnostics: false)
      try console.write(text.rendered(style: console.resultStyle))
    }
    console.show(result.diagnostics)
    if let json { try ResultFile(json).write { try StageTextJSON(result).write(to: $0) } }
    let code = workflow.exitCode(of: result)
    if code != .done { throw ExitCode(code.rawValue) }
  }
}
