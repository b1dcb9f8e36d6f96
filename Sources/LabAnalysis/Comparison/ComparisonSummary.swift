package import LabModel

/// What is concluded from a run whose targets were launched to be compared.
package struct ComparisonSummary: Hashable, Sendable {
  package var run: RunSummary

  /// By pair, then by state in the order of the plan, then by metric as they were asked for.
  package var arms: [ArmComparison]

  package init(run: RunSummary, arms: [ArmComparison]) {
    self.run = run
    self.arms = arms
  }

  /// The same as every comparison is shown.
  package var findings: [ComparisonFinding] { arms.map(\.finding) }

  /// That of the deciding arm: a regression before inconclusive before an improvement before same.
  package var verdict: Verdict { findings.verdict }

  /// The code that the comparison ends with; that of the run where it is graver.
  package var exitCode: LabExitCode { max(run.exitCode, verdict.exitCode) }
}
