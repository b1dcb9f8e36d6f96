package import LabModel

/// Why a scenario file cannot be used.
package enum ScenarioError: LabError {
  /// The file cannot be read at all; `reason` is a phrase such as `it is a directory`.
  case unreadable(path: String, reason: String)

  /// Everything that is wrong with the text, in the order of its lines; at least one error.
  case invalid([Diagnostic])

  package var diagnostics: [Diagnostic] {
    switch self {
    case .unreadable(let path, let reason):
      [
        Diagnostic(
          .error,
          id: "unreadable-scenario",
          problem: "cannot read the scenario \"\(path)\": \(reason)",
          place: path,
          remedy: "give the path of a scenario file, or write one with `launchlab init`"
        )
      ]
    case .invalid(let diagnostics): diagnostics
    }
  }

  package var exitCode: LabExitCode { .usage }
}
