import Testing

@testable import LaunchCore
@testable import Stages

/// Large texts, and texts that would cost too much if they were read back and forth.
@Suite struct TextWorkTests {
  struct Unit: CustomTestStringConvertible, Sendable {
    var name: String
    var start = ""
    var repeated: String
    var testDescription: String { name }
  }

  private static let open = "Total pre-main time: 1.0 seconds (100.0%)\nslowest intializers :\n"

  static let units = [
    Unit(name: "colons", start: open, repeated: ":"),
    Unit(name: "colons and digits", start: open, repeated: ": 1 "),
    Unit(name: "spaced colons", start: open, repeated: "a : "),
    Unit(name: "blanks", start: open, repeated: " "),
    Unit(name: "no break spaces", start: open, repeated: "\u{A0}"),
    Unit(name: "digits", start: open + "a : ", repeated: "1"),
    Unit(name: "groups", start: "total time: ", repeated: "1,111,"),
    Unit(name: "labels without colons", repeated: "total time "),
    Unit(name: "labels", repeated: "total time: "),
    Unit(name: "open tags", start: open, repeated: "<b "),
    Unit(name: "stars", start: open, repeated: "* "),
    Unit(name: "quotation", start: open, repeated: ">"),
    Unit(name: "brackets", repeated: "[1s]"),
    Unit(name: "open brackets", repeated: "[ "),
    Unit(name: "beginnings of Go", repeated: "init "),
    Unit(name: "beginnings of Python", repeated: "import time: "),
    Unit(name: "Node", repeated: "{\"nodeStart\":[{"),
    Unit(name: "strings", repeated: "{\"nodeStart\":\"\\\""),
    Unit(name: "lines of images", start: open, repeated: "a : 1.00 milliseconds (0.1%)\n"),
    Unit(name: "totals", repeated: "Total pre-main time: 1.0 seconds (100.0%)\n"),
    Unit(name: "processes", repeated: "1:\tnumber of relocations: 1\n"),
    Unit(name: "prefixes", start: "a b c " + open, repeated: "a b c d : 1.0 seconds (1.0%)\n"),
    Unit(name: "imports", repeated: "import time: 1 | 1 |   a\n"),
    Unit(name: "line ends", repeated: "\r"),
    Unit(name: "bytes that are no text", start: open, repeated: "\u{0}\u{7F}"),
  ]

  @Test(arguments: units)
  func `twice the text is twice the work`(_ unit: Unit) {
    func work(_ bytes: Int) -> Int {
      let count = bytes / unit.repeated.utf8.count
      let text = unit.start + String(repeating: unit.repeated, count: count)
      return LoaderLog.parse(Array(text.utf8), name: "a").scannedBytes
    }
    let (once, twice) = (work(20_000), work(40_000))
    #expect(twice < 5 * once / 2)
    #expect(twice < 60 * 40_000)
  }

  @Test func `a line of a mebibyte is read`() {
    let name = String(repeating: "x", count: 1_000)
    let blanks = String(repeating: " ", count: 1_048_576 - 1_040)
    let result = TextExample.parse(
      Self.open + "\(blanks)\(name) : 1.00 milliseconds (0.1%)\n"
        + "after : 1.00 milliseconds (0.1%)\n"
    )
    #expect(result.blocks[0].images.map(\.name) == [name, "after"])
  }

  @Test func `a longer line is told of and passed`() {
    let blanks = String(repeating: " ", count: 1_048_577)
    let result = TextExample.parse(Self.open + blanks + "\nafter : 1.00 milliseconds (0.1%)\n")
    #expect(result.blocks[0].images.map(\.name) == ["after"])
    #expect(result.ids().contains("long-line"))
    #expect(result.ignoredLines == [3...3])
  }

  @Test func `diagnostics are bounded`() {
    let text = String(repeating: "Total pre-main time: 5\n", count: 5_000)
    let result = TextExample.parse(text)
    #expect(result.diagnostics.count <= 202)
    #expect(result.ids().contains("more"))
  }

  @Test func `a text that says nothing is distinct from no time`() {
    for text in ["", "\n", "hello\n", "\u{0}"] {
      let result = TextExample.parse(text)
      #expect(result.isEmpty)
      #expect(result.ids("error") == ["no-stage-text"])
      #expect(result.diagnostics[0].place == "a.log")
      #expect(result.diagnostics[0].problem.contains("static"))
    }
  }
}
