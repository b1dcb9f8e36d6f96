import Testing

@testable import History

@Suite struct CSVTextTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var text: String
    var fields: [[String]]
    var testDescription: String { name }
  }

  @Test(arguments: [
    Case(name: "nothing", text: "", fields: []),
    Case(name: "LF", text: "a,b\nc,d\n", fields: [["a", "b"], ["c", "d"]]),
    Case(name: "CR LF", text: "a,b\r\nc,d\r\n", fields: [["a", "b"], ["c", "d"]]),
    Case(name: "CR", text: "a,b\rc,d", fields: [["a", "b"], ["c", "d"]]),
    Case(name: "no end of the last line", text: "a\nb", fields: [["a"], ["b"]]),
    Case(name: "byte order mark", text: "\u{FEFF}a,b", fields: [["a", "b"]]),
    Case(name: "empty fields", text: "a,,\n,,\n", fields: [["a", "", ""], ["", "", ""]]),
    Case(name: "blank lines", text: "\n\na\n\nb\n\n", fields: [["a"], ["b"]]),
    Case(name: "quoted", text: "\"a\",\"b,c\"\n", fields: [["a", "b,c"]]),
    Case(name: "doubled quotes", text: "\"say \"\"a\"\"\"\n", fields: [["say \"a\""]]),
    Case(name: "line ends in quotes", text: "\"a\r\nb\",c\n", fields: [["a\r\nb", "c"]]),
    Case(name: "other scripts", text: "größe,日本\n", fields: [["größe", "日本"]]),
  ])
  func `splits a text into fields`(_ example: Case) throws {
    let text = try CSVText(Array(example.text.utf8))
    #expect(text.records.map { $0.fields.map(\.text) } == example.fields)
  }

  struct Wrong: CustomTestStringConvertible {
    var bytes: [UInt8]
    var text: String
    var line: Int
    var column: Int
    var testDescription: String { text }
  }

  @Test(arguments: [
    Wrong(
      bytes: Array("a\nb,\"c\nd".utf8),
      text: "the quoted field has no end",
      line: 2,
      column: 3
    ),
    Wrong(bytes: Array("é,\"b\"c".utf8), text: "text follows a quoted field", line: 1, column: 6),
    Wrong(
      bytes: Array("a\r\nb\"c".utf8),
      text: "quote inside an unquoted field",
      line: 2,
      column: 2
    ),
    Wrong(bytes: [0x61, 0x2C, 0xFF], text: "the field is not UTF-8 text", line: 1, column: 3),
  ])
  func `says where a text is not of the format`(_ example: Wrong) throws {
    let problem = try #require(throws: CSVText.Problem.self) { try CSVText(example.bytes) }
    #expect(problem.text == example.text)
    #expect([problem.line, problem.column] == [example.line, example.column])
  }

  @Test func `knows where fields begin`() throws {
    let records = try CSVText(Array("a,b\n\"x\ny\",é,z\nlast".utf8)).records
    #expect(records.map(\.line) == [1, 2, 4])
    #expect(records[1].fields.map(\.line) == [2, 3, 3])
    #expect(records[1].fields.map(\.column) == [1, 4, 6])
  }
}
