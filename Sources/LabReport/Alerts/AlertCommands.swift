package import LabModel

/// The commands that a reader of an alert may want next.
package struct AlertCommands: Hashable, Sendable {
  /// Shows every criterion.
  package let why: String

  /// Takes the new level as the normal one.
  package let acknowledge: String

  /// Launches the two builds that the change lies between again, interleaved, or where they are not
  /// known, holds the last good night and the first bad one against each other; nil for a budget.
  package let compare: String?

  /// - Parameters:
  ///   - alert: What is read.
  ///   - nights: Those of the scenario, for the commits; may be empty.
  package init(_ alert: Alert, nights: [Night] = []) {
    why = "launchlab why \(alert.id)"
    acknowledge = "launchlab ack \(alert.id) --reason \"…\""
    guard let lastGood = alert.lastGood else {
      compare = nil
      return
    }
    if let range = AlertRange(alert, nights: nights).commits {
      let arm =
        "--target \(ShellQuoting.text([alert.series.target])) --state \(alert.series.state.rawValue)"
      compare = "launchlab compare --revisions \(range) scenario.yml \(arm)"
    } else {
      compare = "launchlab compare \(lastGood) \(alert.onset)"
    }
  }
}
