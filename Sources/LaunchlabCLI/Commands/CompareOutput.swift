import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

/// Where the result of `compare` goes.
struct CompareOutput {
  /// The file for JSON; `-` means stdout, and nil none.
  let json: String?

  /// Shows the text first, so that a file that cannot be written does not hide the result.
  func show(_ answer: ComparisonCommand.Answer, on console: Console) throws {
    let text: ComparisonText
    let document: ComparisonJSON
    let warnings: [Diagnostic]
    switch answer {
    case .interleaved(let summary):
      text = ComparisonText(summary, style: console.resultStyle)
      document = ComparisonJSON(summary)
      warnings = summary.run.warnings
    case .stored(let comparison):
      text = ComparisonText(comparison, style: console.resultStyle)
      document = ComparisonJSON(comparison)
      warnings = comparison.warnings
    }
    if json != "-" { try console.write(text.rendered()) }
    console.show(warnings)
    if let json { try ResultFile(json).write { try document.write(to: $0) } }
  }
}
