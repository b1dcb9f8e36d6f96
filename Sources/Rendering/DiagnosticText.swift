package import LaunchCore

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
    .joinedLines(style)
  }

  /// The text that fits below a table: errors as they are, and of the rest the gravest, a line each.
  ///
  /// - Parameters:
  ///   - most: How many lines there are besides errors, the one that counts the others included.
  ///   - option: What shows all of it, such as `-v`.
  /// - Returns: The lines, each with a line feed; empty when there is no diagnostic.
  package func brief(atMost most: Int, allWith option: String) -> String {
    let errors = diagnostics.filter { $0.severity == .error }
    let warnings = diagnostics.filter { $0.severity == .warning }
    let notes = diagnostics.count - errors.count - warnings.count
    let shown = warnings.count + (notes > 0 ? 1 : 0) > most ? most - 1 : warnings.count
    let counts = [(warnings.count - shown, "more warning"), (notes, "note")]
      .filter { $0.0 > 0 }.map { Quantity.count($0.0, $0.1) }
    let rest =
      counts.isEmpty ? [] : [style.paint("\(counts.joined(separator: ", ")): see \(option)", .dim)]
    return DiagnosticText(errors, style: style).rendered()
      + (warnings.prefix(shown).map(line) + rest).joinedLines(style)
  }

  /// The first half of a sentence, which says what is wrong, on one line.
  private func line(_ diagnostic: Diagnostic) -> String {
    let problem = Self.parts(of: diagnostic.problem)[0]
    let what = problem.split(separator: "; ").first.map(String.init) ?? ""
    let place = diagnostic.place.map { "\($0): " } ?? ""
    let label = diagnostic.severity.rawValue
    let line = "\(label): \(place)\(what)".printable.truncated(to: style.width)
    return style.paint("\(label):", ink(diagnostic.severity)) + line.dropFirst(label.count + 1)
  }

  private func lines(_ diagnostic: Diagnostic, before next: Diagnostic?) -> [String] {
    let isRepeated = next?.id == diagnostic.id && next?.remedy == diagnostic.remedy
    let remedy = isRepeated ? nil : diagnostic.remedy
    return paragraph(diagnostic.severity.rawValue, diagnostic.problem, ink(diagnostic.severity))
      + (diagnostic.place.map { paragraph("  at", $0, .dim) } ?? [])
      + (remedy.map { paragraph("  help", $0, .note) } ?? [])
  }

  private func paragraph(_ label: String, _ text: String, _ ink: TextStyle.Ink) -> [String] {
    Self.parts(of: text).enumerated().flatMap { number, line in
      guard number == 0 else { return ["    \(line.printable)"] }
      var lines = style.wrapped("\(label): \(line.printable)", indent: 4)
      lines[0] = style.paint("\(label):", ink) + lines[0].dropFirst(label.count + 1)
      return lines
    }
  }

  /// A sentence, and the lines that follow it, such as what a target printed, all of which are indented;
  /// any other line feed is part of a name.
  private static func parts(of text: String) -> [String] {
    text.split(separator: "\n    ", omittingEmptySubsequences: false).map(String.init)
  }

  private func ink(_ severity: Diagnostic.Severity) -> TextStyle.Ink {
    switch severity {
    case .error: .boldFailure
    case .warning: .boldWarning
    case .note: .note
    }
  }
}
