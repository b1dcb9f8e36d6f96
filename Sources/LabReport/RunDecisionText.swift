package import LabModel

/// What was decided about a run, as a terminal shows it.
package struct RunDecisionText {
  private let run: RunListing
  private let decision: RunDecision
  private let alerts: [Alert]

  /// - Parameters:
  ///   - run: The run.
  ///   - decision: What was just decided about it.
  ///   - alerts: The open alerts that began with the run, or compare with it.
  package init(_ run: RunListing, _ decision: RunDecision, alerts: [Alert]) {
    self.run = run
    self.decision = decision
    self.alerts = alerts
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let reason = decision.reason.isEmpty ? "" : ": \(decision.reason)"
    var lines = ["run \(run.id) of \(run.scenario) \(phrase)\(reason)"]
    if decision.standing != .included {
      lines.append("  nothing is deleted; put it back with `launchlab runs include \(run.id)`")
    }
    lines += alerts.map { "  \($0.id) rests on this run: the nights that follow judge it again" }
    return lines.map { $0.printable + "\n" }.joined()
  }

  private var phrase: String {
    switch decision.standing {
    case .included: "counts again"
    case .excluded: "is excluded from history"
    case .removed: "is removed from history and from lists"
    }
  }
}
