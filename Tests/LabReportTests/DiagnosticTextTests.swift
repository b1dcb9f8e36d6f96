import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Rendering

@Suite struct DiagnosticTextTests {
  private static let diagnostics = [
    Diagnostic(
      .error,
      id: "unknown-key",
      problem: "unknown key \"lanches\"",
      place: "scenario.yml:3:5",
      remedy: "write `launches`"
    ),
    Diagnostic(
      .warning,
      id: "few",
      problem: "only 3 values:  \u{1B}[31mtwo spaces stay",
      remedy: "ask for at least 5 launches so that an interval of the median can be given at all"
    ),
    Diagnostic(
      .note,
      id: "output",
      problem: "the target printed:\n      first line\n    second line"
    ),
  ]

  @Test func `without colour it is the text of the diagnostics`() {
    let diagnostics = [Self.diagnostics[0]]
    let text = DiagnosticText(diagnostics, style: TextStyle(width: 100)).rendered()
    #expect(text == diagnostics.map { "\($0)\n" }.joined())
  }

  @Test func `shows a remedy once for diagnostics of the same kind in a row`() {
    let problems = ["14 % off", "23 % off"].map {
      Diagnostic(.warning, id: "noise", problem: $0, remedy: "stop other work")
    }
    let other = Diagnostic(.warning, id: "few", problem: "3 values", remedy: "stop other work")
    let text = DiagnosticText(problems + [other], style: TextStyle()).rendered()
    #expect(
      text == """
        warning: 14 % off
        warning: 23 % off
          help: stop other work
        warning: 3 values
          help: stop other work

        """
    )
  }

  @Test(arguments: [true, false])
  func `shows errors, warnings and notes`(usesColor: Bool) throws {
    let style = TextStyle(usesColor: usesColor, width: 60)
    let text = DiagnosticText(Self.diagnostics, style: style).rendered()
    try expectSnapshot(text, named: usesColor ? "colour" : "plain", suite: "DiagnosticText")
  }

  @Test func `fits below a table, with errors whole and the gravest warnings on a line each`() {
    func diagnostic(_ severity: Diagnostic.Severity, _ problem: String) -> Diagnostic {
      Diagnostic(severity, id: "x", problem: problem, place: "app, warm", remedy: "do that")
    }
    let warnings = (1...4).map { diagnostic(.warning, "it is \($0); since something is so") }
    let text = DiagnosticText(
      [diagnostic(.error, "it fails")] + warnings + [diagnostic(.note, "by the way")],
      style: TextStyle()
    )
    #expect(
      text.brief(atMost: 3, allWith: "-v") == """
        error: it fails
          at: app, warm
          help: do that
        warning: app, warm: it is 1
        warning: app, warm: it is 2
        2 more warnings, 1 note: see -v

        """
    )
    let three = DiagnosticText(Array(warnings.prefix(3)), style: TextStyle(width: 20))
    #expect(three.brief(atMost: 3, allWith: "-v").split(separator: "\n").count == 3)
    #expect(DiagnosticText([], style: TextStyle()).brief(atMost: 3, allWith: "-v").isEmpty)
  }
}
