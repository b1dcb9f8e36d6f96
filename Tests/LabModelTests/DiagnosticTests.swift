import Testing

@testable import LaunchCore

@Suite struct DiagnosticTests {
  @Test func `shows the problem, its place and its remedy`() {
    let diagnostic = Diagnostic(
      .error,
      id: "x",
      problem: "cannot do it",
      place: "a.yml:1:2",
      remedy: "do this"
    )
    #expect(
      diagnostic.description == """
        error: cannot do it
          at: a.yml:1:2
          help: do this
        """
    )
  }
}
