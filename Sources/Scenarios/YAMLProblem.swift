package import LaunchCore
import Yams

/// Why a text is not one YAML document of a bounded size.
struct YAMLProblem: Error {
  var id: String
  var problem: String
  var place: Place
  var remedy: String

  static func tooLarge(at place: Place) -> Self {
    Self(
      id: "scenario-too-large",
      problem: "the file has more than \(YAMLText.maximumNodes) values, with aliases expanded",
      place: place,
      remedy: "split it into several scenarios"
    )
  }

  static func tooDeep(at place: Place) -> Self {
    Self(
      id: "scenario-too-deep",
      problem: "values are nested more than \(YAMLText.maximumDepth) levels deep",
      place: place,
      remedy: "close the brackets before this place, or indent less"
    )
  }
}

extension YAMLProblem {
  /// Puts what the parser says into a problem, a place and a remedy.
  init(_ error: any Error, in text: String) {
    switch error {
    case let problem as YAMLProblem: self = problem
    case YamlError.parser(_, let problem, let mark, _) where problem.contains("nesting level"):
      self = .tooDeep(at: Place(mark))
    case YamlError.scanner(let context, let problem, let mark, _),
      YamlError.parser(let context, let problem, let mark, _):
      self.init(
        syntax: [context.map { Self.phrase($0, before: mark) }, problem],
        at: mark,
        in: text
      )
    case YamlError.composer(_, let problem, let mark, _):
      self.init(composer: problem, at: mark)
    case YamlError.reader(let problem, let offset, _, _):
      self.init(
        id: "yaml-syntax",
        problem: "the file is not text: \(problem)",
        place: Self.place(ofCharacter: offset ?? 0, in: text),
        remedy: "save the file as UTF-8 text"
      )
    case YamlError.memory:
      self = .tooDeep(at: Place(line: 1, column: 1))
    default:
      self.init(
        id: "yaml-syntax",
        problem: "the file cannot be parsed",
        place: Place(line: 1, column: 1),
        remedy: "check the file with another YAML tool"
      )
    }
  }

  private init(syntax parts: [String?], at mark: Mark, in text: String) {
    let line = text.split(separator: "\n", omittingEmptySubsequences: false)
      .dropFirst(mark.line - 1).first
    let problem = parts.compactMap(\.self).joined(separator: ", ")
    let isBlank = line?.allSatisfy(\.isWhitespace) ?? true
    self.init(
      id: "yaml-syntax",
      problem: "not valid YAML: \(problem)" + (isBlank ? "" : " in \(quoted(String(line ?? "")))"),
      place: Place(mark),
      remedy: line?.contains("\t") == true
        ? "indent with spaces, because YAML forbids tabs"
        : "correct the indentation, quotes or brackets here or in the lines above"
    )
  }

  /// Tells where what went wrong began, if that is another line.
  private static func phrase(_ context: YamlError.Context, before mark: Mark) -> String {
    context.mark.line == mark.line ? context.text : "\(context.text) in line \(context.mark.line)"
  }

  private init(composer problem: String, at mark: Mark) {
    let hasTwoDocuments = problem.contains("another document")
    self.init(
      id: hasTwoDocuments ? "several-documents" : "yaml-syntax",
      problem: hasTwoDocuments
        ? "the file holds a second document" : "not valid YAML: \(problem)",
      place: Place(mark),
      remedy: hasTwoDocuments
        ? "put each scenario into a file of its own" : "define the anchor before its use"
    )
  }

  private static func place(ofCharacter offset: Int, in text: String) -> Place {
    let before = text.prefix(offset)
    let line = before.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
    return Place(
      line: before.count { $0 == "\n" } + 1,
      column: line.unicodeScalars.count + 1
    )
  }
}

/// Why a scenario file cannot be used.
package enum ScenarioError: LabError {
  /// The file cannot be read at all; `reason` is a phrase such as `it is a directory`.
  case unreadable(path: String, reason: String, as: FileRole = .scenario)

  /// Everything that is wrong with the text, in the order of its lines; at least one error.
  case invalid([Diagnostic])

  package var diagnostics: [Diagnostic] {
    switch self {
    case .unreadable(let path, let reason, let role):
      [
        Diagnostic(
          .error,
          id: "unreadable-scenario",
          problem: "cannot read the \(role.rawValue) \"\(path)\": \(reason)",
          place: path,
          remedy: role.remedy
        )
      ]
    case .invalid(let diagnostics): diagnostics
    }
  }

  package var exitCode: LabExitCode { .usage }

  /// What a file is read as; the raw value is the word in errors.
  package enum FileRole: String, Sendable {
    case scenario
    case fleet = "fleet file"
    case approvals = "list of approvals"

    fileprivate var remedy: String {
      switch self {
      case .scenario: "give the path of a scenario file, or write one with `launchlab init`"
      case .fleet: "give the path of a fleet file"
      case .approvals: "make it a file that can be read, or change `gate.approvals` of the scenario"
      }
    }
  }
}
