package import LabModel

/// Diagnostics as a terminal shows them.
///
/// Without colour the text is that of the diagnostic itself, but that a long one is broken between
/// words, and that a remedy which the next diagnostic of the same kind repeats is shown once.
package struct DiagnosticText {
  private let diagnostics: [Diagnostic]
  private let style: TextStyle

  package init(_ diagnostics: [Diagnostic], style: TextStyle) {
    self.diagnostics = diagnostics
    self.style = style
  }

  /// The text, with a line feed after every line; empty when there is no diagnostic.
  package func rendered() -> String {
    diagnostics.indices.flatMap { index in
      let next = index + 1 < diagnostics.count ? diagnostics[index + 1] : nil
      return lines(diagnostics[index], before: next)
    }
    .map { $0 + "\n" }.joined()
  }

  private func lines(_ diagnostic: Diagnostic, before next: Diagnostic?) -> [String] {
    let isRepeated = next?.id == diagnostic.id && next?.remedy == diagnostic.remedy
    let remedy = isRepeated ? nil : diagnostic.remedy
    return paragraph(diagnostic.severity.rawValue, diagnostic.problem, ink(diagnostic.severity))
      + (diagnostic.place.map { paragraph("  at", $0, .dim) } ?? [])
      + (remedy.map { paragraph("  help", $0, .note) } ?? [])
  }

  private func paragraph(_ label: String, _ text: String, _ ink: TextStyle.Ink) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap {
      number,
      line in
      let line = String(line)
      // What a target printed follows the first line, and is often indented already.
      guard number == 0 else { return [(line.hasPrefix("    ") ? "" : "    ") + line.printable] }
      var lines = style.wrapped("\(label): \(line.printable)", indent: 4)
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
