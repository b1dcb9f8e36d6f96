import LabModel

extension Diagnostic {
  /// A report could not be written, which is no reason to hide the result.
  static func reportNotWritten(to path: String, because error: any Error, option: String) -> Self {
    let problem = (error as? any LabError)?.diagnostics.first?.problem ?? "\(error)"
    return Self(
      .warning,
      id: "report-not-written",
      problem: "the report cannot be written: \(problem)",
      place: path,
      remedy: "name a place that may be written to with \(option)"
    )
  }
}
