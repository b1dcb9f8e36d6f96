import Testing

@testable import LaunchCore
@testable import Stages

/// The grammar of dyld, and what happens to its texts on their way.
@Suite struct TextDyldTests {
  struct Change: CustomTestStringConvertible, Sendable {
    var name: String
    var flags: [String] = []
    var change: @Sendable (String) -> String
    var testDescription: String { name }
  }

  /// Replaces every line of a text.
  private static func everyLine(
    _ change: @escaping @Sendable (String) -> String
  )
    -> @Sendable (String) -> String
  {
    { text in
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : change(String($0)) }.joined(separator: "\n")
    }
  }

  static let changes = [
    Change(name: "nothing", change: { $0 }),
    Change(name: "no indentation", change: everyLine { String($0.drop { $0 == " " }) }),
    Change(
      name: "single spaces",
      change: everyLine { $0.split(separator: " ").joined(separator: " ") }
    ),
    Change(name: "tabs", change: everyLine { "\t\t" + $0.replacing("  ", with: "\t") }),
    Change(name: "carriage returns", change: { $0.replacing("\n", with: "\r\n") }),
    Change(name: "carriage returns only", change: { $0.replacing("\n", with: "\r") }),
    Change(name: "blank lines", change: { $0.replacing("\n", with: "\n \n\n") }),
    Change(name: "spaces at the end", change: { $0.replacing("\n", with: " \t \n") }),
    Change(
      name: "no break spaces",
      flags: ["nbsp"],
      change: { $0.replacing("  ", with: "\u{A0} ") }
    ),
    Change(name: "quotation", flags: ["quoted"], change: everyLine { "> " + $0 }),
    Change(name: "nested quotation", flags: ["quoted"], change: everyLine { ">> > " + $0 }),
    Change(name: "comment", flags: ["quoted"], change: everyLine { "//" + $0 }),
    Change(name: "block comment", flags: ["quoted"], change: everyLine { " * " + $0 }),
    Change(name: "bold", flags: ["markup"], change: everyLine { "**\($0)**" }),
    Change(name: "code", flags: ["markup"], change: everyLine { "`\($0)`" }),
    Change(name: "tags", flags: ["markup"], change: everyLine { "<p>\($0)<br/>" }),
    Change(name: "byte order mark", change: { "\u{FEFF}" + $0 }),
    Change(name: "correct spelling", change: { $0.replacing("intializers", with: "initializers") }),
    Change(
      name: "full-width dots",
      flags: ["localized_decimal"],
      change: everyLine { $0.contains(")") ? $0.replacing(".", with: "。") : $0 }
    ),
    Change(
      name: "unified log",
      change: everyLine { "2020-03-01 10:00:00.123456+0000 Demo[512:9001] " + $0 }
    ),
    Change(
      name: "system log",
      change: everyLine { "Mar  1 10:00:07 iPhone Demo(libx)[512] <Notice>: " + $0 }
    ),
    Change(name: "container log", change: everyLine { "app-1  | " + $0 }),
    Change(name: "invalid UTF-8 around", change: { "x\u{FFFD}\n" + $0 + "\u{FFFD}\n" }),
    Change(
      name: "other lines between",
      change: { $0.replacing("\n", with: "\n+[AppDelegate load]\n") }
    ),
  ]

  @Test(arguments: changes, [TextExample.summary, TextExample.details])
  func `a changed text gives the same values`(_ change: Change, _ text: String) {
    let plain = TextExample.strictly(text)
    let result = TextExample.strictly(change.change(text))
    #expect(plain.blocks.count == 1)
    #expect(result.values == plain.values)
    #expect(result.blocks.map(\.flags) == [change.flags])
    #expect(result.ids("error").isEmpty)
  }

  @Test func `a time has an exact value and the resolution of its last digit`() throws {
    let block = try #require(TextExample.strictly(TextExample.details).blocks.first)
    let total = try #require(block.total?.amount)
    #expect(total.printed == "1.0" && total.nanoseconds == 1_000_000_000)
    #expect(total.resolution == 100_000_000)
    let load = try #require(block.stages[0].amount)
    #expect(load.nanoseconds == 571_100_000 && load.resolution == 10_000)
    #expect(load.seconds == "0.5711" && load.resolutionSeconds == "0.00001")
  }

  @Test(arguments: [("411015771.6", "24 MHz"), ("126687488.9", "1 GHz"), ("100000000.0", "least")])
  func `a wrapped counter is null, with the rest of the total as a guess`(
    _ printed: String,
    _ clock: String
  ) throws {
    let text = TextExample.summary.replacing(
      "rebase/binding time:  60.00 milliseconds (15.0%)",
      with: "rebase/binding time: \(printed) seconds (336794286.5%)"
    )
    let result = TextExample.strictly(text)
    let stage = try #require(result.blocks.first?.stages[1])
    #expect(stage.amount?.nanoseconds == nil)
    #expect(stage.amount?.printed == printed)
    #expect(stage.flags == ["wrapped"])
    #expect(stage.repaired == 60_000_000)
    #expect(result.blocks[0].flags == ["wrapped"])
    #expect(result.ids() == ["wrapped"])
    #expect(result.blocks[0].launchStages[1].duration == nil)
    #expect(result.blocks[0].launchStages[1].flags == [.wrapped])
  }

  @Test func `a guess below zero is zero`() {
    let text = TextExample.summary
      .replacing(
        "rebase/binding time:  60.00 milliseconds",
        with: "rebase/binding time: 411015771.6 seconds"
      )
      .replacing("initializer time: 200.00", with: "initializer time: 270.00")
    #expect(TextExample.parse(text).blocks[0].stages[1].repaired == 0)
  }

  @Test func `a percentage may exceed 100, be missing or contradict`() {
    let text = TextExample.summary
      .replacing("(15.0%)", with: "").replacing(
        "120.00 milliseconds (30.0%)",
        with: "3.4 seconds (850.0%)"
      )
      .replacing("(50.0%)", with: "(51.0%)")
    let result = TextExample.strictly(text)
    #expect(result.blocks[0].stages[1].percent == nil)
    #expect(result.blocks[0].stages[1].flags == ["no_percent"])
    #expect(result.blocks[0].images[1].percent == "850.0")
    #expect(result.blocks[0].stages[3].amount?.nanoseconds == 200_000_000)
    #expect(result.diagnostics.map(\.place) == ["a.log:5"])
    #expect(result.ids() == ["percent-contradiction"])
  }

  @Test func `a number too large to keep is null and no crash`() {
    let huge = String(repeating: "9", count: 5_000)
    let result = TextExample.parse("Total pre-main time: \(huge).5 seconds (100.0%)\n")
    #expect(result.blocks[0].total?.amount?.nanoseconds == nil)
    #expect(result.blocks[0].total?.flags == ["wrapped"])
    let details = TextExample.details.replacing("17,959", with: huge)
    #expect(TextExample.parse(details).blocks[0].counters["rebase_fixups"] == nil)
  }

  @Test func `an empty percentage of dyld is nonstandard`() {
    let text = TextExample.summary.replacing("(15.0%)", with: "(%)")
    #expect(TextExample.strictly(text).blocks.isEmpty)
  }

  @Test func `names of images keep spaces, dots, digits and other scripts`() {
    let names = ["My App 2.0", "01-启动优化", "sdsp-ext3", "libc++.1.dylib", "a:b"]
    let images = names.map { "  \($0) :   8.00 milliseconds (2.0%)\n" }.joined()
    let result = TextExample.strictly(TextExample.summary + images)
    #expect(result.blocks[0].images.map(\.name).suffix(5) == names.suffix(5))
  }

  @Test func `a name that is not UTF-8 is kept with replacements`() {
    let bytes =
      Array(TextExample.summary.utf8) + [0x20, 0xFF, 0x41, 0x20]
      + Array(": 8.00 milliseconds (2.0%)\n".utf8)
    let result = LoaderLog.parse(bytes, name: "a")
    #expect(result.blocks[0].images.last?.name == "\u{FFFD}A")
  }

  @Test func `an image may come as two messages of a log`() {
    let text = TextExample.summary.replacing("B.dylib : ", with: "B.dylib \n : ")
    let result = TextExample.strictly(text)
    #expect(result.values == TextExample.strictly(TextExample.summary).values)
    #expect(result.ignoredLines.isEmpty)
  }
}
