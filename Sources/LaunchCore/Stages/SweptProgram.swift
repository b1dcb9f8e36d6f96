/// How one run of a program ended, and what it printed.
package struct ProgramRun: Hashable, Sendable {
  package var outcome: Outcome
  package var stdout: CapturedStream
  package var stderr: CapturedStream

  package init(
    outcome: Outcome,
    stdout: CapturedStream = CapturedStream(),
    stderr: CapturedStream = CapturedStream()
  ) {
    self.outcome = outcome
    self.stdout = stdout
    self.stderr = stderr
  }
}

/// What a sweep found of one program: whether it does the same with the probe as without.
package struct SweptProgram: Hashable, Sendable {
  package var path: String

  /// What it was run with; nil when it was not run.
  package var arguments: [String]?

  package var verdict: Verdict

  /// The first thing that differs; nil where nothing does.
  package var difference: Difference?

  /// Why it was not run, or not with the probe, without a full stop.
  package var reason: String?

  package init(
    path: String,
    arguments: [String]? = nil,
    verdict: Verdict,
    difference: Difference? = nil,
    reason: String? = nil
  ) {
    self.path = path
    self.arguments = arguments
    self.verdict = verdict
    self.difference = difference
    self.reason = reason
  }

  /// The raw value is the name used in JSON.
  package enum Verdict: String, CaseIterable, Sendable {
    case same

    /// It does not do the same in two runs without the probe.
    case differsByItself = "differs_by_itself"

    case differsWithProbe = "differs_with_probe"

    /// The probe does not apply to it, so that it is launched without one.
    case notProbed = "not_probed"

    /// It was not run.
    case leftOut = "left_out"
  }

  /// Where two runs differ first.
  package struct Difference: Hashable, Sendable {
    /// Such as `exit status` or `stderr, line 1`.
    package var place: String

    /// What is there in a run without the probe; nil where there is no such line.
    package var plain: String?

    /// What is there in the other run.
    package var other: String?

    package init(place: String, plain: String?, other: String?) {
      self.place = place
      self.plain = plain
      self.other = other
    }
  }
}
