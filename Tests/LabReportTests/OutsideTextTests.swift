import LaunchCore
import Testing

@testable import History
@testable import Rendering

/// Texts from outside that would do something in a spreadsheet or a terminal.
@Suite struct OutsideTextTests {
  struct Field: CustomTestStringConvertible {
    var text: String
    var written: String
    var testDescription: String { text }
  }

  @Test(arguments: [
    Field(text: "=1+2", written: "'=1+2"),
    Field(text: "+cmd|' /C x'!A0", written: "'+cmd|' /C x'!A0"),
    Field(text: "-app", written: "'-app"), Field(text: "@SUM(A1)", written: "'@SUM(A1)"),
    Field(text: "=a,b", written: "\"'=a,b\""), Field(text: "=\u{301}x", written: "'=\u{301}x"),
    Field(text: "\t=x", written: #"\t=x"#), Field(text: "\r=x", written: #"\r=x"#),
    Field(text: "x;=1+2", written: "\"x;=1+2\""),
    Field(text: "two\nlines", written: #"two\nlines"#),
    Field(text: "a\u{1B}[31m", written: #"a\u{1B}[31m"#),
    // Numbers stay numbers.
    Field(text: "-5", written: "-5"), Field(text: "-1.5e-7", written: "-1.5e-7"),
    Field(text: "app", written: "app"), Field(text: "", written: ""),
  ])
  func `keeps a spreadsheet from taking a text for a formula`(field: Field) {
    #expect(CSVLine([field.text, "1"]).text == "\(field.written),1\r\n")
  }

  @Test func `makes visible what would steer a terminal, but for its own colours`() {
    let own = TextStyle(usesColor: true).paint("red", .failure)
    let text = "\(own)\tx\r\ny\n\u{1B}]0;title\u{7}\u{9B}2J\u{1B}[35mz\u{202E}\u{7F}\r"
    let rest = #"\u{1B}]0;title\u{07}\u{009B}2J\u{1B}[35mz\u{202E}\u{7F}\r"#
    #expect(text.visible(keepingLines: true, styles: true) == "\(own)\tx\r\ny\n\(rest)")
    #expect(
      text.visible(keepingLines: true, styles: false)
        == #"\u{1B}[31mred\u{1B}[0m"# + "\tx\r\ny\n" + rest
    )
    #expect("plain é 日本\n".visible(keepingLines: true, styles: false) == "plain é 日本\n")
  }

  @Test func `a name in a line begins no other one`() {
    let red = TextStyle(usesColor: true)
    let names = ["files: q\r\n::stop-commands::zz", "a\u{85}b\u{2028}c\td"]
    let lines = names + [red.paint("e", .failure)]
    let first = #"files: q\r\n::stop-commands::zz"# + "\n" + #"a\u{0085}b\u{2028}c\td"# + "\n"
    #expect(lines.joinedLines(red) == first + red.paint("e", .failure) + "\n")
    #expect(lines.joinedLines() == first + #"\u{1B}[31me\u{1B}[0m"# + "\n")
  }

  @Test func `no line is a command of a CI system`() {
    let text = "::error::a\n \u{A0}::group::b\nc ::d\n##[e]\nf ##vso[g]\n##teamcity[h]\n## i\n"
    #expect(
      text.withoutCommands
        == #"\u{3A}:error::a"# + "\n \u{A0}" + #"\u{3A}:group::b"# + "\nc ::d\n"
        + #"\u{23}#[e]"# + "\n" + #"f \u{23}#vso[g]"# + "\n" + #"\u{23}#teamcity[h]"# + "\n## i\n"
    )
    #expect("std::vector\n".withoutCommands == "std::vector\n")
    let json = JSONText.line(["a": "##[b]\r\n\u{9B}\u{2028}"])
    #expect(json == ##"{"a":"#\u0023[b]\r\n\u009b\u2028"}"## + "\n")
    #expect(MarkdownTable.escaped("::a") == #"\::a"#)
  }

  @Test func `a line feed of a name stands in the line of an error`() {
    let problem = "no \"a\n::error::b\"\n    | what it\n    | printed"
    let text = DiagnosticText([Diagnostic(.error, id: "x", problem: problem)], style: TextStyle())
    #expect(
      text.rendered() == #"error: no "a\n::error::b""# + "\n    | what it\n    | printed\n"
    )
  }
}
