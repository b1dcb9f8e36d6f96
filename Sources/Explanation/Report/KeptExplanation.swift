package import LaunchCore
import Rendering

/// An explanation as texts, to be shown again when its launches are long over.
package struct KeptExplanation {
  /// The first reason on one line, without a full stop.
  package let why: String

  /// The same in Markdown.
  package let markdown: String

  private let result: ExplanationResult

  /// Takes the texts of an explanation; there are none where there is no difference to explain.
  ///
  /// - Parameter result: Of two programs.
  package init?(_ result: ExplanationResult) {
    let sentence = WhySentence(result)
    guard let why = sentence.plain, let markdown = sentence.markdown else { return nil }
    self.why = why
    self.markdown = markdown
    self.result = result
  }

  /// All reasons as Markdown that begins with a heading of the third level.
  package var section: String { ExplanationMarkdown(result).section() }

  /// What is shown of an alert.
  ///
  /// - Parameter run: The night or the bisection that found it.
  /// - Returns: The texts.
  package func explanation(by run: String) -> AlertExplanation {
    AlertExplanation(
      run: run,
      before: result.arms[0].name,
      after: result.arms[1].name,
      why: why,
      markdown: markdown,
      section: ExplanationMarkdown(result).section(includesWarnings: false),
      text: ExplanationText(result, style: TextStyle()).rendered()
    )
  }

  /// What is too large to be read with every alert.
  package var documents: ExplanationDocuments {
    var json = ""
    ExplanationJSON(result).write { json += $0 }
    return ExplanationDocuments(json: json, flameGraph: FlameGraph(result).svg())
  }
}

extension Diagnostic {
  /// That an alert has no explanation, which changes nothing else.
  ///
  /// - Parameters:
  ///   - alert: Such as `R-17`.
  ///   - error: Why.
  /// - Returns: A note with the remedy of the error.
  package static func notExplained(_ alert: String, because error: any Error) -> Self {
    let known = (error as? any LabError)?.diagnostics.first
    return Self(
      .note,
      id: "not-explained",
      problem: "\(alert) was not explained: \(known?.problem ?? "\(error)")",
      remedy: known?.remedy
    )
  }
}
