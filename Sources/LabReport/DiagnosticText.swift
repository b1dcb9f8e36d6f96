package import LabModel

/// Diagnostics as a terminal shows them.
///
/// Without colour the text is that of the diagnostic itself; a long one is broken between words.
package struct DiagnosticText {
  private let diagnostics: [Diagnostic]
  private let style: TextStyle

  package init(_ diagnostics: [Diagnostic], style: TextStyle) {
    self.diagnostics = diagnostics
    self.style = style
  }

  /// The text, with a line feed after every line; empty when there is no diagnostic.
  package func rendered() -> String {
    diagnostics.flatMap(lines).map { $0 + "\n" }.joined()
  }

  private func lines(_ diagnostic: Diagnostic) -> [String] {
    paragraph(diagnostic.severity.rawValue, diagnostic.problem, ink(diagnostic.severity))
      + (diagnostic.place.map { paragraph("  at", $0, .dim) } ?? [])
      + (diagnostic.remedy.map { paragraph("  help", $0, .note) } ?? [])
  }

  private func paragraph(_ label: String, _ text: String, _ ink: TextStyle.Ink) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap {
      number,
      line in
      guard number == 0 else { return ["    " + String(line).printable] }
      var lines = style.wrapped("\(label): \(String(line).printable)", indent: 4)
      lines[0] = style.paint("\(label):", ink) + lines[0].dropFirst(label.count + 1)
      return lines
    }
  }

  private func ink(_ severity: Diagnostic.Severity) -> TextStyle.Ink {
    switch severity {
    case .error: .boldFailure
    case .warning: .boldWarning
    case .note: .note
    }
  }
}
