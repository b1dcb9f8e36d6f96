import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

/// How `stages --parse` reads a text.
struct StageTextOptionGroup: ParsableArguments {
  @Option(
    help: "Read the stages that are printed in this <file>; - means stdin.",
    completion: .file()
  )
  var parse: String?

  @Flag(help: "Refuse what no loader prints, and blocks that are not complete.")
  var strict = false

  @Option(help: "The <version> of the glibc that printed the text, such as 2.36.")
  var glibc: String?

  @Option(help: "The <frequency> of the cycles in the text, in hertz.")
  var cyclesPerSecond: Double?

  @Option(help: "Find stages with this <regex>; its groups are stage, value and unit.")
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
