import Testing

@testable import Stages

/// What people do to labels when they paste a text into a page.
@Suite struct PrintersMarkupTests {
  @Test(arguments: [
    "**%**: ", "**%:** ", "*%*:", "`%`: ", "<b>%</b>: ", "<code>%:</code> ", "- **%**: ", "%: **",
    "%: `", "**%** : *", "> **%:** ",
  ])
  func `bold and code around a label change nothing but the marks`(_ form: String) {
    let plain = TextExample.strictly(TextExample.summary)
    let text = TextExample.summary.split(separator: "\n").map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      let name = parts[0].drop { $0 == " " }
      guard name.hasSuffix("time") else { return String(line) }
      return form.replacing("%", with: name) + parts[1].drop { $0 == " " }
    }.joined(separator: "\n")
    let result = TextExample.strictly(text)
    #expect(result.facts == plain.facts, "\(text)")
    #expect(result.ids().isEmpty)
    #expect(!result.blocks[0].flags.isEmpty)
  }

  @Test func `an event of the loader keeps the marks of its path`() {
    let text = "     18921:\tcalling init: `a*b`\n"
    #expect(TextExample.strictly(text).events.map(\.text) == ["`a*b`"])
  }

  @Test(arguments: ["...", "\u{2026}", "xxxxx", "PID", "[pid]", "????"])
  func `a page that hides the process is read without one`(_ word: String) {
    let hidden = TextExample.glibc.replacing("     18921:\t", with: word + ":   ")
    let result = TextExample.strictly(hidden)
    let plain = TextExample.strictly(TextExample.glibc)
    #expect(result.blocks.map(\.counters) == plain.blocks.map(\.counters))
    #expect(result.blocks.map(\.pid) == [nil, nil])
    #expect(result.blocks[0].total?.amount?.printed == "84338")
    #expect(result.blocks[0].lastDigitDropped == nil)
  }

  @Test(arguments: ["a", "x...", "error", "...."])
  func `other words before a colon are no process`(_ word: String) {
    let text = "\(word) y: number of relocations: 3\n"
    #expect(TextExample.parse(text).blocks.isEmpty)
  }

  @Test(arguments: ["xxx", "XX", "???"])
  func `names that were made unreadable may be alike`(_ name: String) {
    let line = "\(name.right(30)) :   8.00 milliseconds (2.0%)\n"
    let result = TextExample.strictly(TextExample.summary + line + line)
    #expect(result.blocks[0].images.map(\.name).suffix(2) == [name, name])
    #expect(result.blocks[0].flags.isEmpty)
  }
}
