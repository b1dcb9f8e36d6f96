/// An error that ends what was asked for, with the text and the exit code it ends with.
package protocol LabError: Error, Sendable {
  /// At least one diagnostic of severity error, in the order they are shown.
  var diagnostics: [Diagnostic] { get }

  var exitCode: LabExitCode { get }
}

/// The exit codes of launchlab.
///
/// Several are chosen for `git bisect run`, which reads 125 as skip and anything above 127 as abort.
package enum LabExitCode: Int32, Sendable {
  case done = 0
  case regression = 1
  case usage = 64
  case inconclusive = 125
  case couldNotMeasure = 128
  case interrupted = 130
}

extension LabExitCode: Comparable {
  /// Orders by precedence: where several codes apply, the greatest one is used.
  package static func < (left: Self, right: Self) -> Bool { left.precedence < right.precedence }

  private var precedence: Int {
    switch self {
    case .done: 0
    case .inconclusive: 1
    case .regression: 2
    case .couldNotMeasure: 3
    case .usage: 4
    case .interrupted: 5
    }
  }
}
