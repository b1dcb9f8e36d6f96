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
    Field(text: "\t=x", written: "\"'\t=x\""), Field(text: "\r=x", written: #"\r=x"#),
    Field(text: "x;=1+2", written: "\"x;=1+2\""),
    Field(text: "two\nlines", written: "\"two\nlines\""),
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
    #expect(text.visible(keepingStyles: true) == "\(own)\tx\r\ny\n\(rest)")
    #expect(
      text.visible(keepingStyles: false)
        == #"\u{1B}[31mred\u{1B}[0m"# + "\tx\r\ny\n" + rest
    )
    #expect("plain é 日本\n".visible(keepingStyles: false) == "plain é 日本\n")
  }
}
