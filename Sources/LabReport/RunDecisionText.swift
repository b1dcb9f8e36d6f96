package import LabModel

/// What was decided about a run, as a terminal shows it.
package struct RunDecisionText {
  private let run: RunListing
  private let decision: RunDecision
  private let alerts: [Alert]
  private let store: String?

  /// - Parameters:
  ///   - run: The run.
  ///   - decision: What was just decided about it.
  ///   - alerts: The open alerts that began with the run, or compare with it.
  ///   - store: The path of the store, where one was named.
  package init(_ run: RunListing, _ decision: RunDecision, alerts: [Alert], store: String?) {
    self.run = run
    self.decision = decision
    self.alerts = alerts
    self.store = store
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let reason = decision.reason.isEmpty ? "" : ": \(decision.reason)"
    var lines = ["run \(run.id) of \(run.scenario) \(phrase)\(reason)"]
    if decision.standing != .included {
      let place = store.map { ["--store", $0] } ?? []
      let command = ["launchlab", "runs", "include", run.id] + place
      lines.append("  nothing is deleted; put it back with `\(ShellQuoting.text(command))`")
    }
    lines += alerts.map { "  \($0.id) depends on this run; later nights re-evaluate it" }
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
