import Testing

@testable import Comparison
@testable import Measuring

@Suite struct CommandWordsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    let words: [String]

    var testDescription: String { text }
  }

  @Test(arguments: [
    Case(text: "perl -e 0", words: ["perl", "-e", "0"]),
    Case(text: "  perl\t-e\n0  ", words: ["perl", "-e", "0"]),
    Case(text: "perl -e '$x = \"a b\"'", words: ["perl", "-e", "$x = \"a b\""]),
    Case(text: #"sh -c "echo \"a\" \$b \n""#, words: ["sh", "-c", #"echo "a" $b \n"#]),
    Case(text: #"a\ b c\'d"#, words: ["a b", "c'd"]), Case(text: "a'b'\"c\"d", words: ["abcd"]),
    Case(text: "true ''", words: ["true", ""]),
    Case(text: "ls *.c ~ $HOME", words: ["ls", "*.c", "~", "$HOME"]),
    Case(text: "a '|' \"&\" \\;", words: ["a", "|", "&", ";"]),
    Case(text: "a\\\nb", words: ["ab"]),
  ])
  func `splits words like a shell, and expands nothing`(test: Case) throws {
    #expect(try CommandWords(test.text).words == test.words)
  }

  @Test(arguments: ["", "  ", "a 'b", "a \"b", "a\\", "a | b", "a > b", "a && b", "a; b"])
  func `refuses what it cannot split`(text: String) {
    #expect(throws: WorkflowError.self) { try CommandWords(text) }
  }
}
