package import LabModel
import Mustache

/// A template of a report that cannot be read.
package struct TemplateError: LabError, Hashable {
  /// What is wrong, as a sentence without a full stop.
  package var problem: String

  /// The line of the template, from 1.
  package var line: Int

  /// The text of that line.
  package var text: String

  /// The path of the template; nil while it is not known.
  package var path: String?

  package init(problem: String, line: Int, text: String, path: String? = nil) {
    self.problem = problem
    self.line = line
    self.text = text
    self.path = path
  }

  package var diagnostics: [Diagnostic] {
    [
      Diagnostic(
        .error,
        id: "bad-template",
        problem: "the template cannot be read: \(problem), in \"\(text.truncated(to: 60))\"",
        place: "\(path ?? "template"):\(line)",
        remedy: "correct it, or begin with the one that `launchlab report --print-template` prints"
      )
    ]
  }

  package var exitCode: LabExitCode { .usage }

  static func problem(of error: any Error) -> String {
    guard let error = error as? MustacheTemplate.Error else {
      return "a tag has no end"
    }
    switch error {
    case .sectionCloseNameIncorrect: return "a section ends with another name than it begins with"
    case .unfinishedName: return "a tag has no end, as {{name}} has"
    case .expectedSectionEnd: return "a section has no end, as {{/name}}"
    case .invalidSetDelimiter: return "the new delimiters are none, as in {{=<% %>=}}"
    case .transformAppliedToInheritanceSection: return "a transform cannot be applied to a block"
    case .illegalTokenInsideInheritSection: return "only blocks can stand in an inherited section"
    case .textInsideInheritSection: return "no text can stand in an inherited section"
    case .invalidConfigVariableSyntax: return "a setting is not written as {{% NAME: value}}"
    case .unrecognisedConfigVariable: return "a setting is not known; there is CONTENT_TYPE only"
    }
  }
}
