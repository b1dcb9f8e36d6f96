package import LabAnalysis
package import LabModel
package import LabReport

/// What a night came to: its launches, and the verdicts against its history.
package struct NightResult: Sendable {
  package var summary: RunSummary

  /// Nil for a run that is no night, and when the history cannot be read.
  package var trend: TrendSummary?

  /// Of the run, the verdicts and the proofs, the one that `LabExitCode` puts first.
  package var exitCode: LabExitCode

  /// How the verdicts are shown.
  package var options: ReportOptions

  package init(
    summary: RunSummary,
    trend: TrendSummary?,
    exitCode: LabExitCode,
    options: ReportOptions = ReportOptions()
  ) {
    self.summary = summary
    self.trend = trend
    self.exitCode = exitCode
    self.options = options
  }
}
