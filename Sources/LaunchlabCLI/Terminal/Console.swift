import Foundation
import LabModel
import LabReport
import LabWorkflows

/// Where results and messages go: results to stdout, everything else to stderr.
struct Console: Sendable {
  let stdout: Terminal
  let stderr: Terminal

  /// The console of this process; colour is off when `NO_COLOR` is set or it is not a terminal.
  static let standard = Console(stdout: .standardOutput, stderr: .standardError)

  /// The style for text on stdout.
  var resultStyle: TextStyle { Self.style(of: stdout) }

  private static func style(of terminal: Terminal) -> TextStyle {
    TextStyle(usesColor: terminal.isColored, width: terminal.width ?? .max)
  }

  /// Writes a result for people to stdout.
  func write(_ text: String) throws { try stdout.write(text) }

  /// Shows diagnostics on stderr; a closed stderr is no reason to fail.
  func show(_ diagnostics: [Diagnostic]) {
    let style = Self.style(of: stderr)
    try? stderr.write(DiagnosticText(diagnostics, style: style).rendered())
  }

  /// Shows the gravest diagnostics on stderr in a few lines; `-v` is said to show all.
  func showBriefly(_ diagnostics: [Diagnostic]) {
    let text = DiagnosticText(diagnostics, style: Self.style(of: stderr))
    try? stderr.write(text.brief(atMost: 3, allWith: "-v"))
  }

  /// Writes a line of progress to stderr; no name in it can steer a terminal.
  func note(_ line: String) { try? stderr.write(line + "\n") }
}
